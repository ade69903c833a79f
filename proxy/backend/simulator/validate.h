// What the engine refuses before a request counts, with the engine's own texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {

// Each returns the error that a script sees, or nothing.
std::optional<CallError> CheckStore(const StoreName& store, const RuleProfile& rules);
std::optional<CallError> CheckKey(const StoreName& store, std::string_view key,
                                  const RuleProfile& rules);

// Refers to its parts: for the length of one check.
struct ValueToStore {
  v1::StoreKind kind = v1::STORE_KIND_STANDARD;
  const std::string* value = nullptr;  // JSON. Null: nil.
  const std::vector<int64_t>& user_ids;
  const std::optional<std::string>& metadata;
};
std::optional<CallError> CheckValue(const ValueToStore& to_store, const RuleProfile& rules);
// Only the user ids and the metadata.
std::optional<CallError> CheckAttributes(const ValueToStore& to_store, const RuleProfile& rules);

// All arguments of a call made at `now_us`, Unix microseconds.
std::optional<CallError> CheckRequest(const Request& request, const RuleProfile& rules,
                                      int64_t now_us);

// Items of a page where none are asked for: D.
inline constexpr uint32_t kSortedPageSize = 50;
inline constexpr uint32_t kSortedPageSizeMax = 100;
inline constexpr uint32_t kStoresPageSize = 32;
inline constexpr uint32_t kKeysPageSize = 50;
inline constexpr uint32_t kVersionsPageSize = 1024;

// Where a page of GetSortedAsync ended, "12 key": the next one starts behind it, whatever was
// written in between.
struct SortedCursor {
  int64_t value = 0;
  std::string key;
};
std::optional<SortedCursor> SortedCursorOf(std::string_view text);

// The number if `json` is an integer that fits; 5.0 is one, 5.5 and "5" are not.
std::optional<int64_t> IntegerOf(std::string_view json);

}  // namespace dstap::proxy
