#include "proxy/backend/simulator/limits.h"

#include <algorithm>

#include "proto/base/check.h"

namespace dstap::proxy {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kToken = 60'000'000'000;
constexpr int64_t kMsPerMinute = 60'000;
constexpr int64_t kLimitMax = 100'000'000;  // kLimitMax * kToken fits an int64_t.

const Rate* RateOf(const ExperienceRules& rules, v1::RequestType type) {
  switch (type) {
    case v1::REQUEST_TYPE_STANDARD_READ:
      return &rules.standard_read;
    case v1::REQUEST_TYPE_STANDARD_WRITE:
      return &rules.standard_write;
    case v1::REQUEST_TYPE_STANDARD_LIST:
      return &rules.standard_list;
    case v1::REQUEST_TYPE_STANDARD_REMOVE:
      return &rules.standard_remove;
    case v1::REQUEST_TYPE_ORDERED_READ:
      return &rules.ordered_read;
    case v1::REQUEST_TYPE_ORDERED_WRITE:
      return &rules.ordered_write;
    case v1::REQUEST_TYPE_ORDERED_LIST:
      return &rules.ordered_list;
    case v1::REQUEST_TYPE_ORDERED_REMOVE:
      return &rules.ordered_remove;
    default:
      return nullptr;
  }
}

}  // namespace

int64_t ExperienceLimits::LimitOf(v1::RequestType type) const {
  const Rate* rate = RateOf(rules_, type);
  DSTAP_CHECK(rate != nullptr);
  const Int128 limit = Int128{rate->base} + Int128{rate->per_player} * players_;
  return static_cast<int64_t>(std::min<Int128>(limit, kLimitMax));
}

// A small bucket holds one request all the same.
int64_t ExperienceLimits::CapOf(v1::RequestType type) const {
  const int64_t limit = LimitOf(type);
  const int64_t cap = limit * (kToken / kMsPerMinute) * rules_.bucket_ms;
  return limit == 0 ? 0 : std::max(cap, kToken);
}

int64_t ExperienceLimits::LevelAt(v1::RequestType type, Time now) const {
  const Kind& kind = kinds_[type];
  const int64_t limit = LimitOf(type);
  const int64_t cap = CapOf(type);
  if (!kind.started) return cap;
  const Int128 level = Int128{kind.level} + Int128{limit} * (now - kind.at).count();
  return static_cast<int64_t>(std::min<Int128>(level, cap));
}

void ExperienceLimits::SetPlayers(Time now, int64_t players) {
  std::array<int64_t, kRequestTypes> levels{};
  for (size_t type = 0; type < kRequestTypes; ++type) {
    if (kinds_[type].started) levels[type] = LevelAt(static_cast<v1::RequestType>(type), now);
  }
  players_ = players;
  for (size_t type = 0; type < kRequestTypes; ++type) {
    if (kinds_[type].started) kinds_[type] = {true, levels[type], now};
  }
}

bool ExperienceLimits::Take(v1::RequestType type, Time now, int64_t count) {
  if (rules_.on == 0 || RateOf(rules_, type) == nullptr) return true;
  const int64_t level = LevelAt(type, now);
  if (level < count * kToken) return false;
  kinds_[type] = {true, level - count * kToken, now};
  return true;
}

std::optional<Time> ExperienceLimits::OpenAt(v1::RequestType type, Time now, int64_t count) const {
  if (rules_.on == 0 || RateOf(rules_, type) == nullptr) return now;
  const int64_t missing = count * kToken - LevelAt(type, now);
  if (missing <= 0) return now;
  const int64_t limit = LimitOf(type);
  if (count * kToken > CapOf(type)) return std::nullopt;
  return now + Time((missing + limit - 1) / limit);
}

bool KeyThroughput::Take(const Place& place, Direction direction, size_t bytes, Time now) {
  Forget(now);
  const int64_t limit = limits_[static_cast<size_t>(direction)];
  const int64_t kb = KbOf(bytes);
  if (limit == 0 || kb == 0) return true;
  Key key{direction, place};
  const auto found = windows_.find(key);
  const int64_t used = found == windows_.end() ? 0 : found->second.kb;
  if (used + kb > limit) return false;
  Window& window = windows_[key];
  window.uses.push_back({now, kb});
  window.kb += kb;
  order_.emplace_back(now, std::move(key));
  return true;
}

std::optional<Time> KeyThroughput::OpenAt(const Place& place, Direction direction, size_t bytes,
                                          Time now) const {
  const int64_t limit = limits_[static_cast<size_t>(direction)];
  const int64_t kb = KbOf(bytes);
  if (limit == 0) return now;
  if (kb > limit) return std::nullopt;
  const auto found = windows_.find({direction, place});
  if (found == windows_.end()) return now;
  int64_t used = found->second.kb;
  Time open = now;
  for (const Use& use : found->second.uses) {
    if (used + kb <= limit && use.at + window_ > now) break;
    used -= use.kb;
    open = std::max(open, use.at + window_);
  }
  return open;
}

void KeyThroughput::Forget(Time now) {
  while (!order_.empty() && order_.front().first + window_ <= now) {
    const auto found = windows_.find(order_.front().second);
    DSTAP_CHECK(found != windows_.end());
    found->second.kb -= found->second.uses.front().kb;
    found->second.uses.pop_front();
    if (found->second.uses.empty()) windows_.erase(found);
    order_.pop_front();
  }
}

}  // namespace dstap::proxy
