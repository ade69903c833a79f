#include "proxy/backend/simulator/validate.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "proxy/backend/simulator/errors.h"

namespace dstap::proxy {
namespace {

// The library takes a NUL for the end of the text, and would not see what stands behind it.
bool IsJson(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

constexpr int64_t kAheadMsMax = 600'000;  // D: ten minutes.

std::string_view Trimmed(std::string_view json) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = json.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return json.substr(begin, json.find_last_not_of(kSpace) - begin + 1);
}

// What the engine calls the kind of a JSON value in its errors.
std::string_view KindName(std::string_view json) {
  // D: how the engine writes numbers that JSON has none for, and buffers.
  if (json.starts_with(R"({"m":null,"t":"numeric",)")) return "double";
  if (json.starts_with(R"({"m":null,"t":"buffer",)")) return "buffer";
  switch (json.empty() ? '\0' : json.front()) {
    case '[':
      return "Array";
    case '{':
      return "Dictionary";
    case '"':
      return "string";
    case 't':
    case 'f':
      return "bool";
    case 'n':
      return "nil";
    default:
      return "double";
  }
}

// The container is named where the bad value is inside one.
std::string_view ContainerName(std::string_view json) {
  const std::string_view kind = KindName(json);
  return kind == "Array" || kind == "Dictionary" ? kind : "string";
}

std::optional<CallError> CheckSorted(const v1::ListArguments& list) {
  const uint32_t page_size = list.has_page_size() ? list.page_size() : kSortedPageSize;
  if (page_size < 1) return MakeError(ErrorId::kPageSizeTooSmall);
  if (page_size > kSortedPageSizeMax) return MakeError(ErrorId::kPageSizeTooGreat);
  if (list.has_min_value() && list.has_max_value() && list.min_value() > list.max_value()) {
    return MakeError(ErrorId::kMinAboveMax);
  }
  if (!list.cursor().empty() && !SortedCursorOf(list.cursor())) {
    return MakeError(ErrorId::kExclusiveStartKey);
  }
  return std::nullopt;
}

std::optional<CallError> CheckBatch(const Request& request, const RuleProfile& rules) {
  const int keys = request.list.keys_size();
  if (keys < 1 || keys > rules.batch_keys_max) {
    return MakeError(ErrorId::kBatchSize, std::to_string(rules.batch_keys_max));
  }
  for (const std::string& key : request.list.keys()) {
    if (auto error = CheckKey(request.store, key, rules)) return error;
  }
  return std::nullopt;
}

// Sixteen hexadecimal digits, ten digits, sixteen hexadecimal digits, "01", with dots between.
bool IsVersionId(std::string_view id, const RuleProfile& rules) {
  constexpr std::string_view kShape = "XXXXXXXXXXXXXXXX.9999999999.XXXXXXXXXXXXXXXX.01";
  if (id.size() != kShape.size()) return false;
  for (size_t i = 0; i < id.size(); ++i) {
    const bool digit = id[i] >= '0' && id[i] <= '9';
    const bool letter = id[i] >= 'A' && id[i] <= 'F';
    const bool hex = kShape[i] == 'X' || (kShape[i] == '9' && rules.version_number_hex != 0);
    if (hex ? !digit && !letter : kShape[i] == '9' ? !digit : id[i] != kShape[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<SortedCursor> SortedCursorOf(std::string_view text) {
  SortedCursor cursor;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, cursor.value);
  if (error != std::errc() || stop == end || *stop != ' ') return std::nullopt;
  cursor.key = std::string(stop + 1, end);
  return cursor;
}

std::optional<int64_t> IntegerOf(std::string_view json) {
  json = Trimmed(json);
  if (json.empty()) return std::nullopt;
  int64_t number = 0;
  const char* end = json.data() + json.size();
  auto [stop, error] = std::from_chars(json.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  if (stop == end) return number;
  if (*stop != '.') return std::nullopt;
  for (++stop; stop != end; ++stop) {
    if (*stop != '0') return std::nullopt;
  }
  return number;
}

std::optional<CallError> CheckStore(const StoreName& store, const RuleProfile& rules) {
  const auto limit = static_cast<size_t>(rules.key_bytes_max);
  // The store of GetGlobalDataStore has no name, and the scope "u".
  const bool is_global = store.name.empty() && store.scope == "u";
  if (store.name.empty() && !is_global) return MakeError(ErrorId::kStoreNameEmpty);
  if (store.name.size() > limit) return MakeError(ErrorId::kStoreNameTooLong);
  if (store.all_scopes) {
    if (!store.scope.empty()) return MakeError(ErrorId::kScopeWithAllScopes);
    return std::nullopt;
  }
  if (store.scope.empty()) return MakeError(ErrorId::kScopeEmpty);
  if (store.scope.size() > limit) return MakeError(ErrorId::kScopeTooLong);
  return std::nullopt;
}

std::optional<CallError> CheckKey(const StoreName& store, std::string_view key,
                                  const RuleProfile& rules) {
  const auto limit = static_cast<size_t>(rules.key_bytes_max);
  if (key.empty()) return MakeError(ErrorId::kKeyEmpty);
  if (store.all_scopes) {
    const size_t slash = key.find('/');
    if (slash == std::string_view::npos || slash == 0) return MakeError(ErrorId::kKeyWithoutScope);
    if (slash > limit) return MakeError(ErrorId::kKeyTooLong);
    key.remove_prefix(slash + 1);
    if (key.empty()) return MakeError(ErrorId::kKeyEmpty);
  }
  if (key.size() > limit) return MakeError(ErrorId::kKeyTooLong);
  return std::nullopt;
}

std::optional<CallError> CheckAttributes(const ValueToStore& to_store, const RuleProfile& rules) {
  const std::optional<std::string>& metadata = to_store.metadata;
  if (to_store.kind == v1::STORE_KIND_ORDERED) {
    if (!to_store.user_ids.empty()) return MakeError(ErrorId::kUserIdsNotAllowed);
    if (metadata && *metadata != "{}" && *metadata != "[]") {
      return MakeError(ErrorId::kOptionsNotAllowed);
    }
    return std::nullopt;
  }
  if (to_store.user_ids.size() > static_cast<size_t>(rules.user_ids_max)) {
    return MakeError(ErrorId::kTooManyUserIds);
  }
  if (!metadata) return std::nullopt;
  if (metadata->size() > static_cast<size_t>(rules.metadata_bytes_max)) {
    return MakeError(ErrorId::kMetadataTooLarge);
  }
  // An empty Luau table is "[]" in JSON.
  const std::string_view text = Trimmed(*metadata);
  if (text == "[]") return std::nullopt;
  if (!text.starts_with('{') || !IsJson(text)) {
    return MakeError(ErrorId::kMetadataFormat);
  }
  return std::nullopt;
}

std::optional<CallError> CheckValue(const ValueToStore& to_store, const RuleProfile& rules) {
  const bool nil_is_error = rules.nil_is_error != 0 || to_store.kind == v1::STORE_KIND_ORDERED;
  if (to_store.value == nullptr) return MakeError(ErrorId::kKindNotAllowed, "nil");
  if (to_store.value->size() > static_cast<size_t>(rules.value_bytes_max)) {
    return MakeError(ErrorId::kValueTooLarge);
  }
  const std::string_view json = Trimmed(*to_store.value);
  if (!IsJson(json)) return MakeError(ErrorId::kCannotStore, ContainerName(json));
  const std::string_view kind = KindName(json);
  if (kind == "nil" && nil_is_error) return MakeError(ErrorId::kKindNotAllowed, kind);
  if (to_store.kind == v1::STORE_KIND_ORDERED && !IntegerOf(json)) {
    return MakeError(ErrorId::kKindNotAllowed, kind);
  }
  return CheckAttributes(to_store, rules);
}

std::optional<CallError> CheckRequest(const Request& request, const RuleProfile& rules,
                                      int64_t now_us) {
  // The one method that is not asked of a store.
  if (request.method == v1::METHOD_LIST_DATA_STORES_ASYNC) {
    const bool is_name = request.list.cursor().size() <= static_cast<size_t>(rules.key_bytes_max);
    return is_name ? std::nullopt : std::optional(MakeError(ErrorId::kExclusiveStartKey));
  }
  if (auto error = CheckStore(request.store, rules)) return error;
  if (request.method == v1::METHOD_LIST_KEYS_ASYNC) {
    const std::string& cursor = request.list.cursor();
    const bool is_key = cursor.empty() || !CheckKey(request.store, cursor, rules);
    return is_key ? std::nullopt : std::optional(MakeError(ErrorId::kExclusiveStartKey));
  }
  if (request.method == v1::METHOD_GET_SORTED_ASYNC) return CheckSorted(request.list);
  if (request.method == v1::METHOD_BATCH_GET_ASYNC) return CheckBatch(request, rules);
  if (auto error = CheckKey(request.store, request.key, rules)) return error;

  const ValueToStore to_store{request.store.kind, request.value ? &*request.value : nullptr,
                              request.user_ids, request.metadata};
  if (!request.refused.empty()) return RefusalOf(request.refused);
  switch (request.method) {
    case v1::METHOD_SET_ASYNC:
      return CheckValue(to_store, rules);
    case v1::METHOD_INCREMENT_ASYNC:
      return CheckAttributes(to_store, rules);
    case v1::METHOD_GET_VERSION_ASYNC:
    case v1::METHOD_REMOVE_VERSION_ASYNC:
      if (!IsVersionId(request.list.version(), rules)) return MakeError(ErrorId::kVersionNotValid);
      return std::nullopt;
    case v1::METHOD_LIST_VERSIONS_ASYNC:
      if (!request.list.cursor().empty() && !IsVersionId(request.list.cursor(), rules)) {
        return MakeError(ErrorId::kExclusiveStartKey);
      }
      return std::nullopt;
    case v1::METHOD_GET_VERSION_AT_TIME_ASYNC:
      if (request.list.at_ms() <= 0 || request.list.at_ms() > now_us / 1000 + kAheadMsMax) {
        return MakeError(ErrorId::kTimestamp);
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace dstap::proxy
