#include "proxy/backend/simulator/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "proto/base/check.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

constexpr ErrorRow kErrors[] = {
    {ErrorId::kKeyEmpty, 101, "KeyNameEmpty", "101: Key name can't be empty.", 'D'},
    {ErrorId::kKeyTooLong, 102, "KeyNameLimit", "102: Key name exceeds the 50 character limit.",
     'D'},
    {ErrorId::kKeyWithoutScope, 102, "KeyNameLimit", "102: Invalid key name.", 'U'},
    {ErrorId::kStoreNameEmpty, 101, "", "101: DataStore name can't be empty.", 'U'},
    {ErrorId::kStoreNameTooLong, 102, "", "102: DataStore name exceeds the 50 character limit.",
     'U'},
    {ErrorId::kScopeEmpty, 101, "", "101: DataStore scope can't be empty.", 'U'},
    {ErrorId::kScopeTooLong, 102, "", "102: DataStore scope exceeds the 50 character limit.", 'U'},
    {ErrorId::kScopeWithAllScopes, 0, "",
     "DataStore scope must be an empty string when AllScopes is true.", 'U'},
    {ErrorId::kKindNotAllowed, 103, "ValueNotAllowed", "103: {} is not allowed in data stores.",
     'O'},
    {ErrorId::kCannotStore, 104, "CantStoreValue",
     "104: Cannot store {} in data store. Data stores can only accept valid UTF-8 characters.",
     'O'},
    {ErrorId::kValueTooLarge, 105, "ValueTooLarge", "105: Serialized value exceeds 4MB limit.",
     'O'},
    {ErrorId::kMaxValueNotInteger, 106, "MaxValueInvalid", "106: MaxValue must be an integer.",
     'D'},
    {ErrorId::kMinValueNotInteger, 106, "MinValueInvalid", "106: MinValue must be an integer.",
     'D'},
    {ErrorId::kPageSizeTooGreat, 106, "PageSizeGreater",
     "106: PageSize must be within a predefined range.", 'D'},
    {ErrorId::kPageSizeTooSmall, 106, "PageSizeLesser",
     "106: PageSize must be within a predefined range.", 'D'},
    {ErrorId::kMinAboveMax, 107, "MinMaxOrderInvalid",
     "107: MaxValue must be greater than or equal to MinValue.", 'D'},
    {ErrorId::kGetDropped, 301, "GetAsyncThrottle",
     "301: GetAsync request dropped. Request was throttled, but throttled request queue was full.",
     'O'},
    {ErrorId::kSetDropped, 302, "SetAsyncThrottle",
     "302: SetAsync request dropped. Request was throttled, but throttled request queue was full.",
     'O'},
    {ErrorId::kIncrementDropped, 303, "IncreAsyncThrottle",
     "303: IncrementAsync request dropped. Request was throttled, but throttled request queue was "
     "full.",
     'O'},
    {ErrorId::kUpdateDropped, 304, "UpdateAsyncThrottle",
     "304: UpdateAsync request dropped. Request was throttled, but throttled request queue was "
     "full.",
     'O'},
    {ErrorId::kGetSortedDropped, 305, "GetSortedThrottle",
     "305: GetSorted request dropped. Request was throttled, but throttled request queue was full.",
     'O'},
    {ErrorId::kRemoveDropped, 306, "RemoveAsyncThrottle",
     "306: RemoveAsync request dropped. Request was throttled, but throttled request queue was "
     "full.",
     'O'},
    {ErrorId::kShuttingDown, 401, "DataModelNoAccess",
     "401: Request failed. DataModel is inaccessible while the experience is shutting down.", 'D'},
    {ErrorId::kShutDown, 402, "LuaWebSrvsNoAccess",
     "402: Request failed. LuaWebService is inaccessible while the experience is shutting down.",
     'D'},
    {ErrorId::kNoAccessFromStudio, 403, "StudioAccessToApisNotAllowed",
     "403: Cannot write to DataStore from studio if API access is not enabled.", 'O'},
    {ErrorId::kOrderedStoreMissing, 404, "InternalError", "404: OrderedDataStore doesn't exist.",
     'D'},
    {ErrorId::kResponseCorrupted, 501, "InternalError",
     "501: Can't parse response because data might be corrupted.", 'D'},
    {ErrorId::kRejected, 502, "RequestRejected",
     "502: API Services rejected request with error. {}", 'O'},
    {ErrorId::kNotNumeric, 502, "RequestRejected",
     "502: API Services rejected request with error. Error code: 24 Reason: Key value is not "
     "numeric.",
     'O'},
    {ErrorId::kKeyThrottledByCode, 502, "RequestRejected",
     "502: API Services rejected request with error. Error code: 8 Reason: The request rate "
     "exceeds the allowed maximum for the key.",
     'O'},
    {ErrorId::kKeyNotInResponse, 503, "InternalError",
     "503: Data store request was successful but key wasn't found.", 'D'},
    {ErrorId::kResponseMalformed, 504, "InternalError",
     "504: Data store request was successful but the response wasn't formatted correctly.", 'D'},
    {ErrorId::kOrderedResponseMalformed, 505, "InternalError",
     "505: OrderedDataStore request was successful but the response wasn't formatted correctly.",
     'D'},
    {ErrorId::kPersonalServer, 509, "OperationNotAllowed",
     "509: Data Store operations blocked while running on a Personal RCC to prevent possible data "
     "corruption",
     'O'},
    {ErrorId::kMetadataTooLarge, 511, "AttributeSizeTooLarge",
     "511: Metadata attribute size exceeds 300 bytes limit.", 'O'},
    {ErrorId::kTooManyUserIds, 512, "UserIdLimitExceeded", "512: UserID size exceeds limit of 4",
     'O'},
    {ErrorId::kUserIdFormat, 513, "AttributeFormatError", "513: Attribute userId format is invalid",
     'O'},
    {ErrorId::kMetadataFormat, 513, "AttributeFormatError",
     "513: Attribute metadata format is invalid", 'D'},
    {ErrorId::kUserIdsNotAllowed, 517, "", "517: Additional parameter UserIds not allowed", 'O'},
    {ErrorId::kOptionsNotAllowed, 517, "", "517: Additional parameter Options not allowed", 'O'},
    {ErrorId::kStoreDeleted, 0, "DatastoreDeleted", "DatastoreDeleted: The data store is deleted.",
     'D'},
    {ErrorId::kStoreThrottled, 0, "DatastoreThrottled",
     "DatastoreThrottled: The request rate exceeds the allowed maximum for the datastore.", 'D'},
    {ErrorId::kKeyThrottled, 0, "KeyThrottled",
     "KeyThrottled: The request rate exceeds the allowed maximum for the key.", 'O'},
    {ErrorId::kInternal, 0, "InternalServerError",
     "InternalServerError: An internal server error occurred.", 'D'},
    {ErrorId::kExclusiveStartKey, 0, "InvalidExclusiveStartKey",
     "InvalidExclusiveStartKey: The provided exclusive start key is not valid.", 'D'},
    {ErrorId::kPlace, 0, "InvalidPlace", "InvalidPlace: The provided place is invalid.", 'D'},
    {ErrorId::kTarget, 0, "InvalidTarget", "InvalidTarget: The provided target is invalid.", 'D'},
    {ErrorId::kUniverse, 0, "InvalidUniverse", "InvalidUniverse: The provided universe is invalid.",
     'D'},
    {ErrorId::kUserIds, 0, "InvalidUserIds",
     "InvalidUserIds: The provided user IDs have an invalid format.", 'D'},
    {ErrorId::kKeyNotFound, 0, "KeyNotFound", "KeyNotFound: The requested key doesn't exist.", 'D'},
    {ErrorId::kStorageFull, 0, "StorageLimitExceeded",
     "StorageLimitExceeded: The experience's storage limit is exceeded.", 'U'},
    {ErrorId::kVersionNotValid, 0, "InvalidVersion", "InvalidVersion: The version id is not valid.",
     'U'},
    {ErrorId::kTimestamp, 0, "InvalidTimestamp",
     "InvalidTimestamp: Timestamp must be positive and not more than ten minutes in the future.",
     'D'},
    {ErrorId::kNoMorePages, 0, "", "No pages to advance to.", 'D'},
    {ErrorId::kUnpublished, 0, "", "You must publish this place to the web to access DataStore.",
     'O'},
    {ErrorId::kCallbackYielded, 0, "", "Callbacks cannot yield", 'O'},
    {ErrorId::kBatchOfStandard, 0, "", "BatchGetAsync can only be called on an OrderedDataStore.",
     'U'},
    {ErrorId::kBatchSize, 0, "", "BatchGetAsync takes from 1 to {} keys.", 'U'},
    {ErrorId::kNotInStandard, 0, "", "{} is not a valid member of DataStore \"Instance\"", 'I'},
    {ErrorId::kNotInOrdered, 0, "", "{} is not a valid member of OrderedDataStore \"Instance\"",
     'I'},
    {ErrorId::kNotInService, 0, "",
     "{} is not a valid member of DataStoreService \"DataStoreService\"", 'I'},
    {ErrorId::kRateLimitType, 0, "", "Rate limit of request type {} cannot be set.", 'U'},
    {ErrorId::kRateLimitRange, 0, "", "Rate limit of request type {} is out of range.", 'U'},
    {ErrorId::kNoRateLimits, 0, "",
     "SetRateLimitForRequestType is not a valid member of DataStoreService \"DataStoreService\"",
     'I'},
    {ErrorId::kNotSimulated, 0, "", "dstap's simulator does not answer {}.", '-'},
};

}  // namespace

std::span<const ErrorRow> ErrorTable() { return kErrors; }

CallError MakeError(ErrorId id, std::string_view detail) {
  for (const ErrorRow& row : kErrors) {
    if (row.id != id) continue;
    std::string text(row.text);
    if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, detail);
    return {row.code, std::string(row.name), std::move(text)};
  }
  DSTAP_CHECK(false && "every ErrorId has a row");
  return {};
}

CallError DroppedError(v1::Method method, v1::RequestType type, bool legacy_codes) {
  // D: a type from before that is still alive has no name of the new kind.
  const bool has_type_name =
      type != v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC && type != v1::REQUEST_TYPE_ON_UPDATE;
  if (!legacy_codes && has_type_name) {
    // O: no full stop at the end, unlike the documentation.
    const std::string name = fmt::format("{}GameServerThrottled", RequestTypeName(type));
    return {0, name,
            fmt::format("{}: {} request was throttled by game server limits or the request queue "
                        "was full",
                        name, RequestTypeName(type))};
  }
  switch (method) {
    case v1::METHOD_GET_ASYNC:
      return MakeError(ErrorId::kGetDropped);
    case v1::METHOD_SET_ASYNC:
      return MakeError(ErrorId::kSetDropped);
    case v1::METHOD_INCREMENT_ASYNC:
      return MakeError(ErrorId::kIncrementDropped);
    case v1::METHOD_UPDATE_ASYNC:
      return MakeError(ErrorId::kUpdateDropped);
    case v1::METHOD_GET_SORTED_ASYNC:
      return MakeError(ErrorId::kGetSortedDropped);
    case v1::METHOD_REMOVE_ASYNC:
      return MakeError(ErrorId::kRemoveDropped);
    default: {
      // D: the younger methods' throttle errors have names even where the others have numbers.
      const std::string name = MethodName(method) + "Throttle";
      return {
          0, name,
          fmt::format("{}: {} request dropped. Request was throttled.", name, MethodName(method))};
    }
  }
}

CallError ExperienceError(v1::RequestType type, bool service_text) {
  const std::string name = fmt::format("{}ExperienceThrottled", RequestTypeName(type));
  if (service_text) {
    // "StandardRead" is "standard read" there.
    std::string words;
    for (const char c : RequestTypeName(type)) {
      if (c >= 'A' && c <= 'Z' && !words.empty()) words += ' ';
      words += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return {0, name,
            fmt::format("{}: The {} request rate exceeds the allowed maximum for the experience",
                        name, words)};
  }
  return {0, name,
          fmt::format("{}: {} request was throttled by experience limits", name,
                      RequestTypeName(type))};
}

std::string ConsoleLine(const CallError& error, v1::Method method, std::string_view store) {
  return fmt::format("DataStoreService: {}{} API: {}, Data Store: {}", error.text,
                     error.text.ends_with('.') ? "" : ".", MethodName(method), store);
}

CallError ErrorOfText(std::string_view text) {
  CallError error{0, "", std::string(text)};
  const std::string_view head = text.substr(0, text.find(": "));
  if (head.empty() || head.size() == text.size()) return error;
  const auto is = [&](auto what) {
    return std::ranges::all_of(head,
                               [&](char c) { return what(static_cast<unsigned char>(c)) != 0; });
  };
  if (is([](int c) { return std::isdigit(c); })) {
    std::from_chars(head.data(), head.data() + head.size(), error.code);
  } else if (is([](int c) { return std::isalnum(c); })) {
    error.name = head;
  }
  return error;
}

CallError RefusalOf(std::string_view text) {
  CallError error = ErrorOfText(text);
  const auto row = std::ranges::find(kErrors, error.code, &ErrorRow::code);
  if (error.code != 0 && row != std::end(kErrors)) error.name = row->name;
  return error;
}

std::string MethodName(v1::Method method) {
  switch (method) {
    case v1::METHOD_GET_ASYNC:
      return "GetAsync";
    case v1::METHOD_SET_ASYNC:
      return "SetAsync";
    case v1::METHOD_UPDATE_ASYNC:
      return "UpdateAsync";
    case v1::METHOD_INCREMENT_ASYNC:
      return "IncrementAsync";
    case v1::METHOD_REMOVE_ASYNC:
      return "RemoveAsync";
    case v1::METHOD_GET_VERSION_ASYNC:
      return "GetVersionAsync";
    case v1::METHOD_GET_VERSION_AT_TIME_ASYNC:
      return "GetVersionAtTimeAsync";
    case v1::METHOD_REMOVE_VERSION_ASYNC:
      return "RemoveVersionAsync";
    case v1::METHOD_LIST_DATA_STORES_ASYNC:
      return "ListDataStoresAsync";
    case v1::METHOD_LIST_KEYS_ASYNC:
      return "ListKeysAsync";
    case v1::METHOD_LIST_VERSIONS_ASYNC:
      return "ListVersionsAsync";
    case v1::METHOD_GET_SORTED_ASYNC:
      return "GetSortedAsync";
    case v1::METHOD_BATCH_GET_ASYNC:
      return "BatchGetAsync";
    case v1::METHOD_ON_UPDATE:
      return "OnUpdate";
    default:
      return fmt::format("{}", v1::Method_Name(method));
  }
}

}  // namespace dstap::proxy
