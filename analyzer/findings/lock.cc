#include "analyzer/findings/lock.h"

#include <nlohmann/json.hpp>

namespace dstap::analyzer {
namespace {

constexpr size_t kBytesMax = size_t{1} << 20;

using Value = nlohmann::json;

std::string OwnerOf(const Value& json) {
  return json.is_string() ? json.get<std::string>()
                          : json.dump(-1, ' ', true, Value::error_handler_t::replace);
}

}  // namespace

LockSeen LockOf(const std::optional<ValueInfo>& value) {
  if (!value || !value->value || value->encoding != ValueEncoding::kJson) return {};
  const std::string_view text = *value->value;
  if (text.empty() || text.front() != '{' || text.size() > kBytesMax) return {};
  const Value json = Value::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {};

  if (const auto meta = json.find("MetaData"); meta != json.end() && meta->is_object()) {
    const auto session = meta->find("ActiveSession");
    if (session == meta->end() || session->is_null()) return {.is_known = true};
    return {.is_known = true, .is_held = true, .owner = OwnerOf(*session)};
  }
  if (const auto locked = json.find("isLocked"); locked != json.end() && locked->is_boolean()) {
    const auto owner = json.find("sessionLockId");
    const bool is_held = locked->get<bool>();
    return {.is_known = true,
            .is_held = is_held,
            .owner = is_held && owner != json.end() ? OwnerOf(*owner) : ""};
  }
  if (const auto id = json.find("lockId"); id != json.end() && !id->is_null()) {
    return {.is_known = true, .is_held = true, .owner = OwnerOf(*id)};
  }
  // What such a value looks like once the lock is gone.
  return {.is_known = json.contains("migrationVersion") && json.contains("data")};
}

}  // namespace dstap::analyzer
