#include "proxy/backend/simulator/token_bucket.h"

#include <algorithm>

#include "proto/base/check.h"

namespace dstap::proxy {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kToken = 60'000'000'000;  // One token in units of a level.

// Levels above this would overflow; it is 50 million tokens.
constexpr int64_t kLevelMax = kToken * 50'000'000;

}  // namespace

TokenBucket::TokenBucket(Time now, int64_t start_tokens, int64_t limit_per_minute,
                         int64_t cap_times, bool restarts)
    : level_(std::clamp<int64_t>(start_tokens, 0, kLevelMax / kToken) * kToken),
      cap_(level_),
      cap_times_(cap_times),
      restarts_(restarts),
      at_(now) {
  SetLimit(now, limit_per_minute);
}

int64_t TokenBucket::LevelAt(Time now) const {
  DSTAP_CHECK(now >= at_);
  const Int128 level = Int128{level_} + Int128{limit_} * (now - at_).count();
  return static_cast<int64_t>(std::min<Int128>(level, cap_));
}

int64_t TokenBucket::Visible(Time now) const { return std::max<int64_t>(0, LevelAt(now)) / kToken; }

std::optional<Time> TokenBucket::GrowsAt(Time now) const {
  const Int128 next = Int128{Visible(now) + 1} * kToken;
  if (limit_ == 0 || next > cap_) return std::nullopt;
  return now + Time(static_cast<int64_t>((next - LevelAt(now) + limit_ - 1) / limit_));
}

int64_t TokenBucket::Needed(int64_t tokens) const { return std::min((tokens - 1) * kToken, cap_); }

void TokenBucket::Take(Time now, int64_t tokens) {
  level_ = LevelAt(now) - tokens * kToken;
  if (level_ < 0) level_ = restarts_ ? -kToken : std::max(level_, -kToken);
  at_ = now;
}

std::optional<Time> TokenBucket::OpenAt(Time now, int64_t tokens) const {
  const int64_t missing = Needed(tokens) - LevelAt(now);
  if (missing <= 0) return now;
  if (limit_ == 0) return std::nullopt;
  return now + Time((missing + limit_ - 1) / limit_);
}

int64_t TokenBucket::cap_tokens() const { return cap_ / kToken; }

void TokenBucket::RaiseTo(Time now, int64_t sixtieths) {
  const Int128 level = std::min<Int128>(Int128{sixtieths} * (kToken / 60), cap_);
  level_ = std::max(LevelAt(now), static_cast<int64_t>(level));
  at_ = now;
}

void TokenBucket::SetLimit(Time now, int64_t limit_per_minute) {
  level_ = LevelAt(now);  // Of the old limit; the new cap cuts it wherever it is looked at.
  at_ = now;
  limit_ = std::clamp<int64_t>(limit_per_minute, 0, kLimitMax);
  cap_ = static_cast<int64_t>(std::min<Int128>(Int128{limit_} * cap_times_ * kToken, kLevelMax));
}

}  // namespace dstap::proxy
