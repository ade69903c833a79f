// Limits beyond one server's buckets: the whole experience's, and each key's throughput.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "proto/base/clock.h"
#include "proxy/backend/simulator/rule_profile.h"
#include "proxy/backend/simulator/store.h"

namespace dstap::proxy {

// What the experience's limits count apart. Server request types that have no limit of their own
// here (RemoveVersionAsync, OnUpdate, all legacy ones) are not counted.
//
// Units:   tokens; inside token * 60 * 10^9 as in TokenBucket.
// Threads: not thread-safe. Times must not go back.
class ExperienceLimits {
 public:
  explicit ExperienceLimits(const RuleProfile& rules) : rules_(rules.experience) {}

  // Players of all servers together: the limits grow and shrink at once, what is left is kept.
  void SetPlayers(Time now, int64_t players);

  // Takes so many requests of the type; false when the experience has not as many left. U: a bucket
  // as large as a minute's limit.
  bool Take(v1::RequestType type, Time now, int64_t count = 1);
  // When it would have as many, if ever; `now` if at once.
  std::optional<Time> OpenAt(v1::RequestType type, Time now, int64_t count) const;

 private:
  struct Kind {
    bool started = false;  // A kind never asked for is full.
    int64_t level = 0;
    Time at{0};
  };

  int64_t LimitOf(v1::RequestType type) const;
  int64_t CapOf(v1::RequestType type) const;
  int64_t LevelAt(v1::RequestType type, Time now) const;

  ExperienceRules rules_;
  int64_t players_ = 0;
  std::array<Kind, kRequestTypes> kinds_;
};

enum class Direction : uint8_t { kRead, kWrite };

// Kilobytes of one key in the last 60 s, of all servers.
//
// Units:   bytes in, each request rounded up to whole KB (of kb_bytes).
// Threads: not thread-safe. Times must not go back.
// Limits:  remembers the requests of one window.
class KeyThroughput {
 public:
  explicit KeyThroughput(const RuleProfile& rules)
      : window_(Time(rules.key_window_ms * 1'000'000)),
        kb_bytes_(static_cast<size_t>(rules.kb_bytes)),
        limits_{rules.key_read_kb, rules.key_write_kb} {}

  // Counts the request, unless it would pass the limit: then false, and it does not count.
  bool Take(const Place& place, Direction direction, size_t bytes, Time now);

  // When such a request would pass, if it is not larger than the limit itself; `now` if at once.
  std::optional<Time> OpenAt(const Place& place, Direction direction, size_t bytes, Time now) const;

 private:
  using Key = std::pair<Direction, Place>;
  struct Use {
    Time at{0};
    int64_t kb = 0;
  };
  struct Window {
    std::deque<Use> uses;  // Oldest first.
    int64_t kb = 0;
  };

  void Forget(Time now);
  int64_t KbOf(size_t bytes) const {
    return static_cast<int64_t>((bytes + kb_bytes_ - 1) / kb_bytes_);
  }

  Time window_;
  size_t kb_bytes_;
  std::array<int64_t, 2> limits_;
  std::map<Key, Window> windows_;
  std::deque<std::pair<Time, Key>> order_;  // All uses, oldest first.
};

}  // namespace dstap::proxy
