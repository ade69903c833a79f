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
  // `restarts`: a level that falls below 0 starts the refill anew (U; else it goes on as it was).
  TokenBucket(Time now, int64_t start_tokens, int64_t limit_per_minute, int64_t cap_times,
              bool restarts = true);

  // What GetRequestBudgetForRequestType shows: whole tokens, 0 while in debt.
  int64_t Visible(Time now) const;
  // The first instant at which Visible() shows more, if nobody takes any; null: it never will.
  std::optional<Time> GrowsAt(Time now) const;
  // A request may pass: one that spends several tokens where as many requests could pass one after
  // the other, or the bucket is full.
  bool Open(Time now, int64_t tokens = 1) const { return LevelAt(now) >= Needed(tokens); }
  void Take(Time now, int64_t tokens = 1);
  // When a request may pass, if ever: a limit of 0 does not refill. Not rounded to a frame.
  std::optional<Time> OpenAt(Time now, int64_t tokens = 1) const;

  // The level is kept, and cut to the new cap.
  void SetLimit(Time now, int64_t limit_per_minute);
  int64_t limit() const { return limit_; }
  int64_t cap_tokens() const;
  // The level is at least so many sixtieths of a token, or what the bucket holds.
  void RaiseTo(Time now, int64_t sixtieths);

 private:
  int64_t LevelAt(Time now) const;
  int64_t Needed(int64_t tokens) const;

  int64_t level_ = 0;
  int64_t cap_ = 0;
  int64_t limit_ = 0;
  int64_t cap_times_ = 0;
  bool restarts_ = true;
  Time at_{0};  // When level_ was true.
};

}  // namespace dstap::proxy
