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

// Where requests of a type wait. Types of one queue share its places.
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
  QueueKind queue = QueueKind::kGet;
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
  int64_t bucket_cap_times = 3;  // O (mocks), U on live: cap = this many times the limit
  int64_t queue_length = 30;     // D: each of the four; U for the others
  // O: a full queue is told as "301: ..." rather than by name.
  int64_t legacy_codes = 0;

  // D. 0: no caching.
  int64_t cache_ms = 4000;
  int64_t update_uses_cache = 1;  // O: stale first values of UpdateAsync in server hops
  int64_t cache_missing = 0;      // I: a save after a nil read still waited for a read token
  int64_t cache_removed = 1;      // U: documented that RemoveAsync goes through the cache
  int64_t use_cache_option = 1;   // D: UseCache = false is honoured (since 2023-07)

  int64_t value_bytes_max = 4'194'304;  // D
  int64_t key_bytes_max = 50;           // D; also store names and scopes
  int64_t metadata_bytes_max = 300;     // D, O: of the JSON text
  int64_t user_ids_max = 4;             // D, O
  // Versions, key info, user ids and metadata exist (since 2021-2022).
  int64_t versions = 1;
  int64_t backup_days = 30;         // D
  int64_t write_cooldown_ms = 0;    // D: removed 2023-07; 6,000 before
  int64_t key_read_kb = 25 * 1024;  // D: each 60 s; U: 1 MB = 1,024 KB. 0: no limit
  int64_t key_write_kb = 4 * 1024;  // D
  int64_t key_window_ms = 60'000;   // D
  int64_t key_throttle_queues = 0;  // U: a throttled key waits (1) or fails (0)
  ExperienceRules experience;

  LatencyRules read_stored{30'000, 15'000, 80'000, 350};    // O
  LatencyRules read_missing{80'000, 60'000, 120'000, 150};  // O
  LatencyRules write{200'000, 120'000, 300'000, 200};       // O, I; U for all but UpdateAsync
  LatencyRules list{100'000, 50'000, 200'000, 300};         // U
  int64_t tail_permille = 5;  // O: one request in some hundreds is much slower
  int64_t tail_times = 3;     // O
  // O: medians of the same step differed by half between live runs. 1000: as measured.
  int64_t run_factor_permille = 1000;
  // 1: a factor of 0.85 to 1.5 drawn from the seed, the same for the whole run.
  int64_t run_factor_drawn = 0;
  // U: a function that raises is printed and the call gives nil (0), or the call fails (1).
  int64_t raised_transform_fails = 0;
  int64_t conflict_takes_tokens = 1;  // U: a run after a conflict takes read and write tokens
};

// "2020", "2023", "2026"; the last is the default.
std::span<const RuleProfile> RuleProfiles();
Result<RuleProfile> FindRuleProfile(std::string_view name);
inline constexpr std::string_view kDefaultRuleProfile = "2026";

// Sets one rule by name. An unknown name is an error that lists near ones; so is a value that is
// not a whole number within the rule's range.
Status SetRule(RuleProfile& profile, std::string_view name, std::string_view value);

struct NamedRule {
  std::string name;
  int64_t value = 0;
  std::string_view summary;
};
// All rules that SetRule() knows, in the order of the profile.
std::vector<NamedRule> ListRules(const RuleProfile& profile);

// "StandardRead"; "" for the unknown type.
std::string_view RequestTypeName(v1::RequestType type);

}  // namespace dstap::proxy
