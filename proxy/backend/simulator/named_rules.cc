// Rules by name: what --rule, --latency and the manual's test go by.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

struct TypeName {
  v1::RequestType type;
  std::string_view name;
  std::string_view rule;  // What its rules' names begin with.
};

constexpr TypeName kTypeNames[] = {
    {v1::REQUEST_TYPE_GET_ASYNC, "GetAsync", "get_async"},
    {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, "SetIncrementAsync", "set_increment_async"},
    {v1::REQUEST_TYPE_UPDATE_ASYNC, "UpdateAsync", "update_async"},
    {v1::REQUEST_TYPE_GET_SORTED_ASYNC, "GetSortedAsync", "get_sorted_async"},
    {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, "SetIncrementSortedAsync",
     "set_increment_sorted_async"},
    {v1::REQUEST_TYPE_ON_UPDATE, "OnUpdate", "on_update"},
    {v1::REQUEST_TYPE_LIST_ASYNC, "ListAsync", "list_async"},
    {v1::REQUEST_TYPE_GET_VERSION_ASYNC, "GetVersionAsync", "get_version_async"},
    {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, "RemoveVersionAsync", "remove_version_async"},
    {v1::REQUEST_TYPE_STANDARD_READ, "StandardRead", "standard_read"},
    {v1::REQUEST_TYPE_STANDARD_WRITE, "StandardWrite", "standard_write"},
    {v1::REQUEST_TYPE_STANDARD_LIST, "StandardList", "standard_list"},
    {v1::REQUEST_TYPE_STANDARD_REMOVE, "StandardRemove", "standard_remove"},
    {v1::REQUEST_TYPE_ORDERED_READ, "OrderedRead", "ordered_read"},
    {v1::REQUEST_TYPE_ORDERED_WRITE, "OrderedWrite", "ordered_write"},
    {v1::REQUEST_TYPE_ORDERED_LIST, "OrderedList", "ordered_list"},
    {v1::REQUEST_TYPE_ORDERED_REMOVE, "OrderedRemove", "ordered_remove"},
};

struct RuleRow {
  std::string_view name;
  int64_t min;
  int64_t max;
  std::string_view summary;
  int64_t& (*member)(RuleProfile&);
};

constexpr int64_t kMsMax = 1'000'000'000;
constexpr int64_t kRateMax = 10'000'000;

#define DSTAP_RULE(rule_name, path, min, max, summary)                              \
  RuleRow {                                                                         \
    rule_name, min, max, summary, [](RuleProfile& p) -> int64_t& { return p.path; } \
  }
#define DSTAP_LATENCY(rule_name, path, what)                                          \
  DSTAP_RULE(rule_name "_median_us", path.median_us, 0, kMsMax, what ": median"),     \
      DSTAP_RULE(rule_name "_low_us", path.low_us, 0, kMsMax, what ": never faster"), \
      DSTAP_RULE(rule_name "_high_us", path.high_us, 0, kMsMax,                       \
                 what ": never slower, the tail apart"),                              \
      DSTAP_RULE(rule_name "_sigma_permille", path.sigma_permille, 0, 3000, what ": spread")
#define DSTAP_EXPERIENCE(rule_name, path)                                                      \
  DSTAP_RULE("experience_" rule_name "_base", experience.path.base, 0, kRateMax,               \
             "requests a minute of the experience"),                                           \
      DSTAP_RULE("experience_" rule_name "_per_player", experience.path.per_player, 0, 10'000, \
                 "and more for each player of all servers")

constexpr RuleRow kRules[] = {
    DSTAP_RULE("bucket_cap_times", bucket_cap_times, 1, 100, "a bucket holds so many limits"),
    DSTAP_RULE("refill_restarts", refill_restarts, 0, 1, "a bucket that runs dry refills anew"),
    DSTAP_RULE("queue_length", queue_length, 0, 100'000, "requests one queue holds"),
    DSTAP_RULE("own_queue_length", own_queue_length, 0, 100'000,
               "and one that only a type or two have"),
    DSTAP_RULE("close_raises_budgets", close_raises_budgets, 0, 1,
               "a server that begins to close gets 150 times its base limits a second"),
    DSTAP_RULE("legacy_mirrors", legacy_mirrors, 0, 1, "legacy budgets show the current types'"),
    DSTAP_RULE("legacy_codes", legacy_codes, 0, 1, "a full queue is told as 301 to 306"),
    DSTAP_RULE("throttled_full_stop", throttled_full_stop, 0, 1,
               "named throttle errors end with a full stop"),
    DSTAP_RULE("experience_service_text", experience_service_text, 0, 1,
               "the experience's limit is told in the service's words"),
    DSTAP_RULE("console_lines", console_lines, 0, 1, "named errors are printed on the server too"),
    DSTAP_RULE("cache_ms", cache_ms, 0, kMsMax, "how long a read value is kept; 0: not at all"),
    DSTAP_RULE("update_uses_cache", update_uses_cache, 0, 1, "UpdateAsync reads the kept value"),
    DSTAP_RULE("cache_missing", cache_missing, 0, 1, "that a key is missing is kept too"),
    DSTAP_RULE("cache_removed", cache_removed, 0, 1, "a removed key is kept as nil"),
    DSTAP_RULE("cache_ordered", cache_ordered, 0, 1, "ordered stores keep values too"),
    DSTAP_RULE("use_cache_option", use_cache_option, 0, 1, "UseCache = false is honoured"),
    DSTAP_RULE("value_bytes_max", value_bytes_max, 1, 4'194'304, "bytes of a value's JSON"),
    DSTAP_RULE("key_bytes_max", key_bytes_max, 1, 1000, "bytes of a key, store name or scope"),
    DSTAP_RULE("metadata_bytes_max", metadata_bytes_max, 2, 1'000'000, "bytes of metadata's JSON"),
    DSTAP_RULE("user_ids_max", user_ids_max, 0, 1000, "user ids of one value"),
    DSTAP_RULE("batch_keys_max", batch_keys_max, 1, 10'000, "keys of one BatchGetAsync"),
    DSTAP_RULE("list_keys_checked_max", list_keys_checked_max, 1, 1'000'000,
               "keys that one ListKeysAsync without removed ones looks at"),
    DSTAP_RULE("nil_is_error", nil_is_error, 0, 1, "SetAsync of nil fails; 0: null is stored"),
    DSTAP_RULE("versions", versions, 0, 1, "versions, key info and metadata exist"),
    DSTAP_RULE("backup_days", backup_days, 0, 3650, "days a replaced version is kept"),
    DSTAP_RULE("version_number_hex", version_number_hex, 0, 1,
               "the number in a version id is hexadecimal"),
    DSTAP_RULE("version_counts_all", version_counts_all, 0, 1,
               "that number counts writes that were overwritten too"),
    DSTAP_RULE("version_restarts", version_restarts, 0, 1,
               "written after a removal, a key is new in its ids"),
    DSTAP_RULE("unknown_version_fails", unknown_version_fails, 0, 1,
               "GetVersionAsync of an unknown id fails"),
    DSTAP_RULE("tombstone_has_info", tombstone_has_info, 0, 1,
               "GetVersionAsync of a removal gives its key info"),
    DSTAP_RULE("remove_latest_promotes", remove_latest_promotes, 0, 1,
               "RemoveVersionAsync of the latest brings back the one before"),
    DSTAP_RULE("sorted_ties_up", sorted_ties_up, 0, 1,
               "equal values go upwards by key in both directions"),
    DSTAP_RULE("sorted_lag_ms", sorted_lag_ms, 0, kMsMax, "how late GetSortedAsync sees a write"),
    DSTAP_RULE("list_keys_up", list_keys_up, 0, 1, "ListKeysAsync goes upwards by key"),
    DSTAP_RULE("mixed_tables_fail", mixed_tables_fail, 0, 1,
               "a table with an array part and other keys is refused"),
    DSTAP_RULE("write_cooldown_ms", write_cooldown_ms, 0, kMsMax,
               "between two writes of a server to one key"),
    DSTAP_RULE("kb_bytes", kb_bytes, 1, 1'000'000, "bytes of a KB"),
    DSTAP_RULE("key_read_kb", key_read_kb, 0, 1'000'000'000, "KB read of one key in a window"),
    DSTAP_RULE("key_write_kb", key_write_kb, 0, 1'000'000'000, "KB written to one key in a window"),
    DSTAP_RULE("key_window_ms", key_window_ms, 1, kMsMax, "length of that window"),
    DSTAP_RULE("key_throttle_queues", key_throttle_queues, 0, 1,
               "a request for a throttled key waits rather than fails"),
    DSTAP_RULE("experience_limits", experience.on, 0, 1, "the experience's limits hold"),
    DSTAP_RULE("experience_bucket_ms", experience.bucket_ms, 1, 60'000,
               "its buckets hold what so long a time brings"),
    DSTAP_RULE("experience_queues", experience.queues, 0, 1,
               "a request past them waits on its server rather than fails"),
    DSTAP_EXPERIENCE("standard_read", standard_read),
    DSTAP_EXPERIENCE("standard_write", standard_write),
    DSTAP_EXPERIENCE("standard_list", standard_list),
    DSTAP_EXPERIENCE("standard_remove", standard_remove),
    DSTAP_EXPERIENCE("ordered_read", ordered_read),
    DSTAP_EXPERIENCE("ordered_write", ordered_write),
    DSTAP_EXPERIENCE("ordered_list", ordered_list),
    DSTAP_EXPERIENCE("ordered_remove", ordered_remove),
    DSTAP_RULE("storage_base_mb", storage_base_mb, 0, 1'000'000'000, "MB an experience may store"),
    DSTAP_RULE("storage_per_user_mb", storage_per_user_mb, 0, 1'000'000, "and more for each user"),
    DSTAP_RULE("storage_enforced", storage_enforced, 0, 1, "writes past that fail; 0: it is told"),
    DSTAP_LATENCY("read_stored", read_stored, "reading a stored key"),
    DSTAP_LATENCY("read_missing", read_missing, "reading a missing key"),
    DSTAP_LATENCY("write", write, "a write or removal"),
    DSTAP_LATENCY("list", list, "a listing, sorted or version call"),
    DSTAP_RULE("update_read_us", update_read_us, -1, kMsMax,
               "the read of an UpdateAsync; -1: like any read"),
    DSTAP_RULE("update_write_us", update_write_us, -1, kMsMax,
               "the write of an UpdateAsync behind that read; -1: like any write"),
    DSTAP_RULE("tail_permille", tail_permille, 0, 1000, "of a thousand requests, so many are slow"),
    DSTAP_RULE("tail_times", tail_times, 1, 1000, "how much slower those are"),
    DSTAP_RULE("run_factor_permille", run_factor_permille, 1, 1'000'000,
               "all latencies, times this"),
    DSTAP_RULE("run_factor_drawn", run_factor_drawn, 0, 1,
               "times 0.85 to 1.5, drawn from the seed"),
    DSTAP_RULE("raised_transform_fails", raised_transform_fails, 0, 1,
               "an error in the transform function fails the call"),
    DSTAP_RULE("conflict_takes_tokens", conflict_takes_tokens, 0, 1,
               "running the function again takes tokens"),
    DSTAP_RULE("cancelled_gives_old", cancelled_gives_old, 0, 1,
               "a cancelled UpdateAsync returns what it read"),
};

#undef DSTAP_EXPERIENCE
#undef DSTAP_LATENCY
#undef DSTAP_RULE

// A rule of a request type: standard_read_base.
struct BucketRuleRow {
  std::string_view suffix;
  int64_t max;
  std::string_view summary;
  int64_t& (*member)(BucketRules&);
};

constexpr BucketRuleRow kBucketRules[] = {
    {"_base", kRateMax, "requests a minute of a server",
     [](BucketRules& b) -> int64_t& { return b.limit.base; }},
    {"_per_player", 10'000, "and more for each player",
     [](BucketRules& b) -> int64_t& { return b.limit.per_player; }},
    {"_start", kRateMax, "tokens of a new server",
     [](BucketRules& b) -> int64_t& { return b.start_level; }},
    {"_queue", static_cast<int64_t>(kQueueKinds) - 1, "the queue it waits in, by number",
     [](BucketRules& b) -> int64_t& { return b.queue; }},
};

// `start_level` sets those of the types that libraries spend: reads, writes, removals.
constexpr std::string_view kStartLevel = "start_level";
constexpr v1::RequestType kMainTypes[] = {
    v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_ASYNC,
    v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE,
    v1::REQUEST_TYPE_STANDARD_REMOVE};

struct Slot {
  int64_t min = 0;
  int64_t max = 0;
  std::vector<int64_t*> members;
};

std::optional<Slot> FindSlot(RuleProfile& profile, std::string_view name) {
  for (const RuleRow& row : kRules) {
    if (row.name == name) return Slot{row.min, row.max, {&row.member(profile)}};
  }
  for (const TypeName& type : kTypeNames) {
    BucketRules& bucket = profile.buckets[type.type];
    if (!bucket.live || !name.starts_with(type.rule)) continue;
    for (const BucketRuleRow& row : kBucketRules) {
      if (name.substr(type.rule.size()) == row.suffix)
        return Slot{0, row.max, {&row.member(bucket)}};
    }
  }
  if (name != kStartLevel) return std::nullopt;
  Slot slot{0, kRateMax, {}};
  for (const v1::RequestType type : kMainTypes) {
    if (profile.buckets[type].live) slot.members.push_back(&profile.buckets[type].start_level);
  }
  return slot;
}

// Levenshtein's distance: letters to add, drop or change.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Up to four names like `name`, best first.
std::string NearNames(const RuleProfile& profile, std::string_view name) {
  std::vector<std::pair<size_t, std::string>> near;
  for (const NamedRule& rule : ListRules(profile)) {
    const bool part = rule.name.find(name) != std::string::npos;
    const size_t distance = part ? 1 : Distance(name, rule.name);
    if (distance <= std::max<size_t>(2, name.size() / 3)) near.emplace_back(distance, rule.name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (size_t i = 0; i < near.size() && i < 4; ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", near[i].second);
  }
  return out;
}

}  // namespace

Status SetRule(RuleProfile& profile, std::string_view name, std::string_view value) {
  const std::optional<Slot> slot = FindSlot(profile, name);
  if (!slot) {
    const std::string near = NearNames(profile, name);
    return Status(ErrorCode::kUsage,
                  near.empty() ? fmt::format("no rule \"{}\" in profile {}; docs/simulator.md "
                                             "lists them",
                                             name, profile.name)
                               : fmt::format("no rule \"{}\" in profile {}; did you mean {}?", name,
                                             profile.name, near));
  }
  int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < slot->min || number > slot->max) {
    return Status(ErrorCode::kUsage,
                  fmt::format("rule {}: \"{}\" is not a whole number from {} to {}", name, value,
                              slot->min, slot->max));
  }
  for (int64_t* member : slot->members) *member = number;
  return Status();
}

Status CheckRules(const RuleProfile& profile) {
  const std::pair<std::string_view, const LatencyRules*> kLatencies[] = {
      {"read_stored", &profile.read_stored},
      {"read_missing", &profile.read_missing},
      {"write", &profile.write},
      {"list", &profile.list}};
  for (const auto& [name, latency] : kLatencies) {
    if (latency->low_us <= latency->high_us) continue;
    return Status(ErrorCode::kUsage,
                  fmt::format("rules {0}_low_us={1} and {0}_high_us={2}: never faster than {1} and "
                              "never slower than {2} exclude each other",
                              name, latency->low_us, latency->high_us));
  }
  return Status();
}

Status SetLatency(RuleProfile& profile, std::string_view name) {
  if (name == kDefaultLatency) return Status();
  if (name != kReferenceLatency) {
    return Status(ErrorCode::kUsage, fmt::format("no latency \"{}\"; there are {}, {}", name,
                                                 kDefaultLatency, kReferenceLatency));
  }
  const auto fixed = [](int64_t us) { return LatencyRules{us, us, us, 0}; };
  profile.read_stored = fixed(50'000);
  profile.read_missing = fixed(50'000);
  profile.write = fixed(200'000);
  profile.list = fixed(100'000);
  profile.update_read_us = 250'000;
  profile.update_write_us = 0;
  profile.tail_permille = 0;
  return Status();
}

std::vector<NamedRule> ListRules(const RuleProfile& profile) {
  RuleProfile copy = profile;  // The tables hand out references to change.
  std::vector<NamedRule> rules;
  rules.push_back({std::string(kStartLevel), *FindSlot(copy, kStartLevel)->members.front(),
                   "tokens of a new server, of reads, writes and removals"});
  for (const TypeName& type : kTypeNames) {
    if (!copy.buckets[type.type].live) continue;
    for (const BucketRuleRow& row : kBucketRules) {
      rules.push_back({fmt::format("{}{}", type.rule, row.suffix),
                       row.member(copy.buckets[type.type]), row.summary});
    }
  }
  for (const RuleRow& row : kRules) {
    rules.push_back({std::string(row.name), row.member(copy), row.summary});
  }
  return rules;
}

std::string_view RequestTypeName(v1::RequestType type) {
  for (const TypeName& row : kTypeNames) {
    if (row.type == type) return row.name;
  }
  return "";
}

}  // namespace dstap::proxy
