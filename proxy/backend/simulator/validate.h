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

struct ValueToStore {
  v1::StoreKind kind = v1::STORE_KIND_STANDARD;
  const std::optional<std::string>& value;  // Absent: nil.
  const std::vector<int64_t>& user_ids;
  const std::optional<std::string>& metadata;
};
std::optional<CallError> CheckValue(const ValueToStore& to_store, const RuleProfile& rules);
// Only the user ids and the metadata.
std::optional<CallError> CheckAttributes(const ValueToStore& to_store, const RuleProfile& rules);

// All arguments of a call.
std::optional<CallError> CheckRequest(const Request& request, const RuleProfile& rules);

// The number if `json` is an integer that fits; 5.0 is one, 5.5 and "5" are not.
std::optional<int64_t> IntegerOf(std::string_view json);

}  // namespace dstap::proxy
