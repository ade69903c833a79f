// The service's rules as data: every number the simulator goes by, with the evidence for it.
//
// Marks: D documented by the platform, O observed on live servers or in well-known mocks, I
// inferred from observed numbers, U unknown (a default that can be changed). docs/simulator.md
// explains each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/status.h"

namespace dstap::proxy {

// Requests a minute: base + per_player * players.
struct Rate {
  int64_t base = 0;
  int64_t per_player = 0;
};

// Where requests of a type wait. Types of one queue share its places. The numbers are those of the
// rules that end in _queue.
enum class QueueKind : uint8_t {
  kGet,
  kSet,
  kOrderedGet,
  kOrderedSet,
  // U: nobody says where these wait; each has its own.
  kStandardList,
  kOrderedList,
  kVersion,
  kRemoveVersion,
  kOnUpdate,
};
inline constexpr size_t kQueueKinds = 9;

// One request type of a game server.
struct BucketRules {
  // False: the type spends nothing of its own (it mirrors another, or does not exist yet).
  bool live = false;
  Rate limit;
  // Tokens in a new server's bucket: the "startup burst".
  int64_t start_level = 0;
  int64_t queue = 0;  // A QueueKind.
  // O (mocks): the bucket holds one limit, whatever bucket_cap_times says.
  bool holds_one_limit = false;
};

// Lognormal, clipped to [low, high].
struct LatencyRules {
  int64_t median_us = 0;
  int64_t low_us = 0;
  int64_t high_us = 0;
  // Standard deviation of the logarithm, in thousandths. I: about half the distance to the nearer
  // clip, so that few draws reach it.
  int64_t sigma_permille = 0;
};

// Requests a minute of the whole experience; per_player counts the players of all servers.
struct ExperienceRules {
  int64_t on = 1;
  int64_t bucket_ms = 60'000;  // U: it holds what so long a time brings.
  int64_t queues = 0;          // U: a request waits for it (1) or fails (0).
  Rate standard_read, standard_write, standard_list, standard_remove;
  Rate ordered_read, ordered_write, ordered_list, ordered_remove;
};

inline constexpr size_t kRequestTypes = v1::RequestType_ARRAYSIZE;

// Every rule. Members that --rule can set are int64_t; 0 and 1 stand for no and yes.
struct RuleProfile {
  std::string_view name;

  std::array<BucketRules, kRequestTypes> buckets;
  // True: StandardRead and its like are the buckets, legacy types mirror them. False: the other way
  // round, and the current types do not exist.
  int64_t current_types = 1;
  int64_t bucket_cap_times = 3;      // O (mocks), U on live: cap = this many times the limit
  int64_t refill_restarts = 1;       // I: a bucket that runs dry starts its refill anew
  int64_t queue_length = 30;         // D: each of the four
  int64_t own_queue_length = 30;     // U: each of the others
  int64_t close_raises_budgets = 0;  // O: in 2018; U: whether it still is so
  int64_t legacy_mirrors = 1;        // U: legacy budgets show what is left of the current types
  // O: a full queue is told as "301: ..." rather than by name.
  int64_t legacy_codes = 0;
  int64_t throttled_full_stop = 0;  // U: named throttle errors end with a full stop (O: without)
  int64_t experience_service_text = 0;  // U: of the two documented texts, the service's
  int64_t console_lines = 0;            // O: named errors are printed on the server too

  // D. 0: no caching.
  int64_t cache_ms = 4000;
  int64_t update_uses_cache = 1;  // O: stale first values of UpdateAsync in server hops
  int64_t cache_missing = 0;      // I: a save after a nil read still waited for a read token
  int64_t cache_removed = 1;      // U: documented that RemoveAsync goes through the cache
  int64_t cache_ordered = 1;      // U: ordered stores keep copies as well
  int64_t use_cache_option = 1;   // D: UseCache = false is honoured (since 2023-07)

  int64_t value_bytes_max = 4'194'304;  // D
  int64_t key_bytes_max = 50;           // D; also store names and scopes
  int64_t metadata_bytes_max = 300;     // D, O: of the JSON text
  int64_t user_ids_max = 4;             // D, O
  int64_t batch_keys_max = 100;         // D
  int64_t list_keys_checked_max = 512;  // D: of a ListKeysAsync that leaves out removed keys
  int64_t nil_is_error = 1;             // U: SetAsync(key, nil) is refused, or stored as null
  // Versions, key info, user ids and metadata exist (since 2021-2022).
  int64_t versions = 1;
  int64_t backup_days = 30;           // D
  int64_t version_number_hex = 0;     // U: the middle number of a version id
  int64_t version_counts_all = 1;     // U: counts writes that were overwritten too
  int64_t version_restarts = 0;       // U: after a removal creation and count begin anew
  int64_t unknown_version_fails = 0;  // U: GetVersionAsync of an unknown id
  int64_t tombstone_has_info = 1;     // U: GetVersionAsync of a removal gives its key info
  // U: RemoveVersionAsync of the latest uncovers the one before.
  int64_t remove_latest_promotes = 0;
  int64_t sorted_ties_up = 1;       // U: equal values upwards by key in both directions
  int64_t sorted_lag_ms = 0;        // U: so late GetSortedAsync sees a write
  int64_t list_keys_up = 1;         // U: keys in the order of their bytes, or the other way round
  int64_t mixed_tables_fail = 0;    // O: 2016; now the array part is stored and other keys are not
  int64_t write_cooldown_ms = 0;    // D: removed 2023-07; 6,000 before
  int64_t kb_bytes = 1024;          // U
  int64_t key_read_kb = 25 * 1024;  // D: each 60 s; U: 1 MB = 1,024 KB. 0: no limit
  int64_t key_write_kb = 4 * 1024;  // D
  int64_t key_window_ms = 60'000;   // D
  int64_t key_throttle_queues = 0;  // U: a throttled key waits (1) or fails (0)
  ExperienceRules experience;
  // D: what the experience may store. What happens past it is U: it is told, or refused.
  int64_t storage_base_mb = 500;
  int64_t storage_per_user_mb = 1;
  int64_t storage_enforced = 0;

  LatencyRules read_stored{30'000, 15'000, 80'000, 350};    // O
  LatencyRules read_missing{80'000, 60'000, 120'000, 150};  // O
  LatencyRules write{200'000, 120'000, 300'000, 200};       // O, I; U for all but UpdateAsync
  LatencyRules list{100'000, 50'000, 200'000, 300};         // U
  // Of an UpdateAsync that reads the service, microseconds; -1: as a GetAsync and a SetAsync.
  int64_t update_read_us = -1;
  int64_t update_write_us = -1;
  int64_t tail_permille = 5;  // O: one request in some hundreds is much slower
  int64_t tail_times = 3;     // O
  // O: medians of the same step differed by half between live runs. 1000: as measured.
  int64_t run_factor_permille = 1000;
  // 1: a factor of 0.85 to 1.5 drawn from the seed, the same for the whole run.
  int64_t run_factor_drawn = 0;
  // U: a function that raises is printed and the call gives nil (0), or the call fails (1).
  int64_t raised_transform_fails = 0;
  int64_t conflict_takes_tokens = 1;  // U: a run after a conflict takes read and write tokens
  int64_t cancelled_gives_old = 0;  // U: what a cancelled UpdateAsync returns: nil, or what it read
};

// "2020", "2023", "2026"; the last is the default.
std::span<const RuleProfile> RuleProfiles();
Result<RuleProfile> FindRuleProfile(std::string_view name);
inline constexpr std::string_view kDefaultRuleProfile = "2026";

// Sets one rule by name. An unknown name is an error that lists near ones; so is a value that is
// not a whole number within the rule's range.
Status SetRule(RuleProfile& profile, std::string_view name, std::string_view value);

// Rules that are fine one by one and make no sense together.
Status CheckRules(const RuleProfile& profile);

struct NamedRule {
  std::string name;
  int64_t value = 0;
  std::string_view summary;
};
// All rules that SetRule() knows, in the order of the profile.
std::vector<NamedRule> ListRules(const RuleProfile& profile);

// Ready sets of latency rules, by name: "default" changes nothing, "reference" fixes every time. An
// unknown name is an error that lists the known ones.
Status SetLatency(RuleProfile& profile, std::string_view name);
inline constexpr std::string_view kDefaultLatency = "default";
inline constexpr std::string_view kReferenceLatency = "reference";

// "StandardRead"; "" for the unknown type.
std::string_view RequestTypeName(v1::RequestType type);

}  // namespace dstap::proxy
