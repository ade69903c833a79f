// One request type's budget on one game server.
//
// The model reproduces what live servers did under a burst (161 requests at a visible budget of
// 121, 9 drops) and after it (the first place in the queue free after exactly one second):
//
// - a request passes while the level is at least 0, so one more passes than the budget shows;
// - a level that falls below 0 is set to -1, which starts the refill anew at that instant.
#pragma once

#include <cstdint>
#include <optional>

#include "proto/base/clock.h"

namespace dstap::proxy {

// Units:   tokens outside; inside, a level counts token * 60 * 10^9, so that a limit in requests a
//          minute is the growth in one nanosecond and nothing is ever rounded.
// Threads: not thread-safe. Times must not go back.
// Limits:  a limit above kLimitMax counts as kLimitMax.
class TokenBucket {
 public:
  static constexpr int64_t kLimitMax = 10'000'000;  // Requests a minute.

  TokenBucket() = default;
  TokenBucket(Time now, int64_t start_tokens, int64_t limit_per_minute, int64_t cap_times);

  // What GetRequestBudgetForRequestType shows: whole tokens, 0 while in debt.
  int64_t Visible(Time now) const;
  // The first instant at which Visible() shows more, if nobody takes any; null: it never will.
  std::optional<Time> GrowsAt(Time now) const;
  // A request may pass.
  bool Open(Time now) const { return LevelAt(now) >= 0; }
  void Take(Time now);
  // When a request may pass, if ever: a limit of 0 does not refill. Not rounded to a frame.
  std::optional<Time> OpenAt(Time now) const;

  // The level is kept, and cut to the new cap.
  void SetLimit(Time now, int64_t limit_per_minute);
  int64_t limit() const { return limit_; }

 private:
  int64_t LevelAt(Time now) const;

  int64_t level_ = 0;
  int64_t cap_ = 0;
  int64_t limit_ = 0;
  int64_t cap_times_ = 0;
  Time at_{0};  // When level_ was true.
};

}  // namespace dstap::proxy
