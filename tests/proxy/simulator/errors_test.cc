#include "proxy/backend/simulator/errors.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <utility>

#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

TEST(ErrorsTest, EveryCodedErrorBeginsWithItsCode) {
  for (const ErrorRow& row : ErrorTable()) {
    EXPECT_FALSE(row.text.empty());
    if (row.code != 0) {
      EXPECT_THAT(std::string(row.text), testing::StartsWith(std::to_string(row.code) + ": "));
    } else if (!row.name.empty()) {
      EXPECT_THAT(std::string(row.text), testing::StartsWith(std::string(row.name) + ": "));
    }
    EXPECT_NE(std::string_view("DOIU-").find(row.mark), std::string_view::npos) << row.text;
  }
}

TEST(ErrorsTest, EachIdHasOneRow) {
  std::set<ErrorId> ids;
  for (const ErrorRow& row : ErrorTable()) EXPECT_TRUE(ids.insert(row.id).second) << row.text;
  EXPECT_EQ(ids.size(), static_cast<size_t>(ErrorId::kNotSimulated) + 1);
}

TEST(ErrorsTest, ADropOfATypeFromBefore2026IsNamedAfterItsMethod) {
  for (const bool legacy : {false, true}) {
    EXPECT_EQ(
        DroppedError(v1::METHOD_REMOVE_VERSION_ASYNC, v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, legacy)
            .text,
        "RemoveVersionAsyncThrottle: RemoveVersionAsync request dropped. Request was "
        "throttled.");
    EXPECT_EQ(DroppedError(v1::METHOD_ON_UPDATE, v1::REQUEST_TYPE_ON_UPDATE, legacy).text,
              "OnUpdateThrottle: OnUpdate request dropped. Request was throttled.");
  }
}

TEST(ErrorsTest, ADropIsNamedAfterItsTypeOrNumberedAfterItsMethod) {
  EXPECT_EQ(DroppedError(v1::METHOD_REMOVE_ASYNC, v1::REQUEST_TYPE_STANDARD_REMOVE, false).text,
            "StandardRemoveGameServerThrottled: StandardRemove request was throttled by game "
            "server limits or the request queue was full");
  const std::string tail =
      " request dropped. Request was throttled, but throttled request queue was full.";
  const auto legacy = [](v1::Method method) {
    return DroppedError(method, v1::REQUEST_TYPE_GET_ASYNC, true).text;
  };
  EXPECT_EQ(legacy(v1::METHOD_GET_ASYNC), "301: GetAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_SET_ASYNC), "302: SetAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_INCREMENT_ASYNC), "303: IncrementAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_UPDATE_ASYNC), "304: UpdateAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_GET_SORTED_ASYNC), "305: GetSorted" + tail);
  EXPECT_EQ(legacy(v1::METHOD_REMOVE_ASYNC), "306: RemoveAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_LIST_KEYS_ASYNC),
            "ListKeysAsyncThrottle: ListKeysAsync request dropped. Request was throttled.");
}

// The documentation's names; a number alone is not unique.
TEST(ErrorsTest, TheTableOfCodedErrorsIsWhole) {
  std::set<std::pair<uint32_t, std::string>> rows;
  for (const ErrorRow& row : ErrorTable()) rows.emplace(row.code, row.name);
  const std::pair<uint32_t, const char*> kDocumented[] = {
      {101, "KeyNameEmpty"},
      {102, "KeyNameLimit"},
      {103, "ValueNotAllowed"},
      {104, "CantStoreValue"},
      {105, "ValueTooLarge"},
      {106, "MaxValueInvalid"},
      {106, "MinValueInvalid"},
      {106, "PageSizeGreater"},
      {106, "PageSizeLesser"},
      {107, "MinMaxOrderInvalid"},
      {301, "GetAsyncThrottle"},
      {302, "SetAsyncThrottle"},
      {303, "IncreAsyncThrottle"},
      {304, "UpdateAsyncThrottle"},
      {305, "GetSortedThrottle"},
      {306, "RemoveAsyncThrottle"},
      {401, "DataModelNoAccess"},
      {402, "LuaWebSrvsNoAccess"},
      {403, "StudioAccessToApisNotAllowed"},
      {404, "InternalError"},
      {501, "InternalError"},
      {502, "RequestRejected"},
      {503, "InternalError"},
      {504, "InternalError"},
      {505, "InternalError"},
      {509, "OperationNotAllowed"},
      {511, "AttributeSizeTooLarge"},
      {512, "UserIdLimitExceeded"},
      {513, "AttributeFormatError"},
  };
  for (const auto& [code, name] : kDocumented) {
    EXPECT_TRUE(rows.contains({code, name})) << code << " " << name;
  }
  EXPECT_EQ(MakeError(ErrorId::kRejected, "HTTP 500 (Internal Server Error)").text,
            "502: API Services rejected request with error. HTTP 500 (Internal Server Error)");
  EXPECT_EQ(MakeError(ErrorId::kNoAccessFromStudio).text,
            "403: Cannot write to DataStore from studio if API access is not enabled.");
}

TEST(ErrorsTest, TheTableOfNamedErrorsIsWhole) {
  std::map<std::string, std::string> texts;
  for (const ErrorRow& row : ErrorTable()) {
    if (row.code == 0 && !row.name.empty()) texts[std::string(row.name)] = row.text;
  }
  const std::pair<const char*, const char*> kDocumented[] = {
      {"DatastoreDeleted", "The data store is deleted."},
      {"DatastoreThrottled", "The request rate exceeds the allowed maximum for the datastore."},
      {"KeyThrottled", "The request rate exceeds the allowed maximum for the key."},
      {"InternalServerError", "An internal server error occurred."},
      {"InvalidExclusiveStartKey", "The provided exclusive start key is not valid."},
      {"InvalidPlace", "The provided place is invalid."},
      {"InvalidTarget", "The provided target is invalid."},
      {"InvalidUniverse", "The provided universe is invalid."},
      {"InvalidUserIds", "The provided user IDs have an invalid format."},
      {"KeyNotFound", "The requested key doesn't exist."},
      {"InvalidTimestamp",
       "Timestamp must be positive and not more than ten minutes in the future."},
  };
  for (const auto& [name, text] : kDocumented) {
    EXPECT_EQ(texts[name], std::string(name) + ": " + text);
  }
}

TEST(ErrorsTest, TheThrottleErrorsOfAllTypesAreTheDocumentedOnes) {
  for (const v1::RequestType type :
       {v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE,
        v1::REQUEST_TYPE_STANDARD_LIST, v1::REQUEST_TYPE_STANDARD_REMOVE,
        v1::REQUEST_TYPE_ORDERED_READ, v1::REQUEST_TYPE_ORDERED_WRITE,
        v1::REQUEST_TYPE_ORDERED_LIST, v1::REQUEST_TYPE_ORDERED_REMOVE}) {
    const std::string name(RequestTypeName(type));
    EXPECT_EQ(DroppedError(v1::METHOD_GET_ASYNC, type, false).text,
              name + "GameServerThrottled: " + name +
                  " request was throttled by game server limits or the request queue was full");
    EXPECT_EQ(ExperienceError(type).text, name + "ExperienceThrottled: " + name +
                                              " request was throttled by experience limits");
    EXPECT_EQ(ExperienceError(type).name, name + "ExperienceThrottled");
  }
  EXPECT_EQ(ExperienceError(v1::REQUEST_TYPE_ORDERED_REMOVE, true).text,
            "OrderedRemoveExperienceThrottled: The ordered remove request rate exceeds the allowed "
            "maximum for the experience");
}

TEST(ErrorsTest, DetailsStandWhereTheServicePutsThem) {
  EXPECT_EQ(MakeError(ErrorId::kKindNotAllowed, "Array").text,
            "103: Array is not allowed in data stores.");
  EXPECT_EQ(ExperienceError(v1::REQUEST_TYPE_ORDERED_LIST).text,
            "OrderedListExperienceThrottled: OrderedList request was throttled by experience "
            "limits");
}

}  // namespace
}  // namespace dstap::proxy
