#include "proxy/backend/simulator/rule_profile.h"

#include <fmt/format.h>

namespace dstap::proxy {
namespace {

constexpr BucketRules Bucket(Rate limit, int64_t start_level, QueueKind queue) {
  return {.live = true,
          .limit = limit,
          .start_level = start_level,
          .queue = static_cast<int64_t>(queue)};
}

// O: mocks of 2018-2019.
constexpr BucketRules OnUpdateBucket() {
  BucketRules bucket = Bucket({30, 5}, 30, QueueKind::kOnUpdate);
  bucket.holds_one_limit = true;
  return bucket;
}

// Formulas D (limits page of 2026-10-08). Start levels: O for read and write, 120 on a new server
// without players; U for the others, twice the base likewise. Queues: see QueueKind.
constexpr RuleProfile Rules2026() {
  using enum QueueKind;
  RuleProfile p;
  p.name = "2026";
  p.buckets[v1::REQUEST_TYPE_STANDARD_READ] = Bucket({60, 40}, 120, kGet);
  p.buckets[v1::REQUEST_TYPE_STANDARD_WRITE] = Bucket({60, 40}, 120, kSet);
  p.buckets[v1::REQUEST_TYPE_STANDARD_REMOVE] = Bucket({60, 40}, 120, kSet);
  p.buckets[v1::REQUEST_TYPE_STANDARD_LIST] = Bucket({5, 2}, 10, kStandardList);
  p.buckets[v1::REQUEST_TYPE_ORDERED_READ] = Bucket({60, 40}, 120, kOrderedGet);
  p.buckets[v1::REQUEST_TYPE_ORDERED_WRITE] = Bucket({30, 5}, 60, kOrderedSet);
  p.buckets[v1::REQUEST_TYPE_ORDERED_REMOVE] = Bucket({30, 5}, 60, kOrderedSet);
  p.buckets[v1::REQUEST_TYPE_ORDERED_LIST] = Bucket({5, 2}, 10, kOrderedList);
  p.buckets[v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC] = Bucket({5, 2}, 10, kRemoveVersion);
  p.buckets[v1::REQUEST_TYPE_ON_UPDATE] = OnUpdateBucket();

  // D, since 2026-07-14.
  p.experience = {.on = 1,
                  .standard_read = {300, 40},
                  .standard_write = {300, 20},
                  .standard_list = {300, 2},
                  .standard_remove = {300, 40},
                  .ordered_read = {300, 40},
                  .ordered_write = {300, 20},
                  .ordered_list = {300, 2},
                  .ordered_remove = {300, 40}};
  return p;
}

// After the summer of 2023: per-key throughput instead of the write cooldown, UseCache, and the
// request types that are "legacy" today. Formulas D (docs to 2026-03); start levels O, measured on
// live servers in 2018-2019; those of the list and version types U.
constexpr RuleProfile Rules2023() {
  using enum QueueKind;
  RuleProfile p;
  p.name = "2023";
  p.current_types = 0;
  p.legacy_codes = 1;
  p.buckets[v1::REQUEST_TYPE_GET_ASYNC] = Bucket({60, 10}, 100, kGet);
  p.buckets[v1::REQUEST_TYPE_SET_INCREMENT_ASYNC] = Bucket({60, 10}, 100, kSet);
  p.buckets[v1::REQUEST_TYPE_GET_SORTED_ASYNC] = Bucket({5, 2}, 10, kOrderedGet);
  p.buckets[v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC] = Bucket({30, 5}, 50, kOrderedSet);
  p.buckets[v1::REQUEST_TYPE_ON_UPDATE] = OnUpdateBucket();
  p.buckets[v1::REQUEST_TYPE_LIST_ASYNC] = Bucket({5, 2}, 10, kStandardList);
  p.buckets[v1::REQUEST_TYPE_GET_VERSION_ASYNC] = Bucket({5, 2}, 10, kVersion);
  p.buckets[v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC] = Bucket({5, 2}, 10, kRemoveVersion);
  p.experience.on = 0;            // D: announced 2025-2026
  p.value_bytes_max = 4'194'303;  // O: older texts
  return p;
}

// Before versions, metadata, UseCache and per-key throughput; with the write cooldown.
constexpr RuleProfile Rules2020() {
  RuleProfile p = Rules2023();
  p.name = "2020";
  p.versions = 0;
  p.use_cache_option = 0;
  p.cache_ms = 5000;           // O: mocks of the time
  p.write_cooldown_ms = 6000;  // D: until 2023-07
  p.key_read_kb = 0;           // D: since 2023-07
  p.key_write_kb = 0;
  return p;
}

constexpr RuleProfile kProfiles[] = {Rules2020(), Rules2023(), Rules2026()};

}  // namespace

std::span<const RuleProfile> RuleProfiles() { return kProfiles; }

Result<RuleProfile> FindRuleProfile(std::string_view name) {
  std::string known;
  for (const RuleProfile& profile : kProfiles) {
    if (profile.name == name) return profile;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", profile.name);
  }
  return Status(ErrorCode::kUsage,
                fmt::format("no rule profile \"{}\"; there are {}", name, known));
}

}  // namespace dstap::proxy
