#include "proxy/backend/simulator/game_server.h"

#include <algorithm>

#include "proto/base/check.h"

namespace dstap::proxy {

v1::RequestType ShownBucket(v1::RequestType type, const RuleProfile& rules) {
  if (rules.buckets[type].live) return type;
  if (rules.current_types == 0) return v1::REQUEST_TYPE_UNKNOWN;
  // U: the legacy types are documented as "do not use" and still give numbers.
  switch (type) {
    case v1::REQUEST_TYPE_GET_ASYNC:
      return v1::REQUEST_TYPE_STANDARD_READ;
    case v1::REQUEST_TYPE_SET_INCREMENT_ASYNC:
      return v1::REQUEST_TYPE_STANDARD_WRITE;
    case v1::REQUEST_TYPE_GET_SORTED_ASYNC:
      return v1::REQUEST_TYPE_ORDERED_LIST;
    case v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC:
      return v1::REQUEST_TYPE_ORDERED_WRITE;
    case v1::REQUEST_TYPE_LIST_ASYNC:
      return v1::REQUEST_TYPE_STANDARD_LIST;
    case v1::REQUEST_TYPE_GET_VERSION_ASYNC:
      return v1::REQUEST_TYPE_STANDARD_READ;
    default:
      return v1::REQUEST_TYPE_UNKNOWN;
  }
}

GameServer::GameServer(const RuleProfile& rules, Time now, uint32_t players)
    : rules_(rules), players_(players), cache_(rules) {
  for (size_t kind = 0; kind < kQueueKinds; ++kind) {
    const bool documented = kind <= static_cast<size_t>(QueueKind::kOrderedSet);
    queues_.emplace_back(
        static_cast<size_t>(documented ? rules.queue_length : rules.own_queue_length));
  }
  for (size_t i = 0; i < kRequestTypes; ++i) {
    const BucketRules& bucket = rules.buckets[i];
    if (!bucket.live) continue;
    rates_[i] = bucket.limit;
    buckets_[i] = TokenBucket(now, bucket.start_level, LimitOf(static_cast<v1::RequestType>(i)),
                              bucket.holds_one_limit ? 1 : rules.bucket_cap_times,
                              rules.refill_restarts != 0);
  }
}

RequestQueue& GameServer::QueueOf(v1::RequestType type) {
  return queues_[static_cast<size_t>(rules_.buckets[type].queue)];
}

const RequestQueue& GameServer::QueueOf(v1::RequestType type) const {
  return queues_[static_cast<size_t>(rules_.buckets[type].queue)];
}

int64_t GameServer::LimitOf(v1::RequestType type) const {
  return rates_[type].base + rates_[type].per_player * players_;
}

GameServer::Admission GameServer::Ask(CallId call, v1::RequestType type, int64_t tokens, Time now,
                                      const std::function<bool(CallId)>& ready) {
  DSTAP_CHECK(rules_.buckets[type].live);
  RequestQueue& queue = QueueOf(type);
  if (buckets_[type].Open(now, tokens) && ready(call)) {
    // Between two frames a bucket can be open and the queue not yet looked at.
    const std::vector<CallId> waiting = queue.Waiting(type);
    if (std::none_of(waiting.begin(), waiting.end(), ready)) {
      buckets_[type].Take(now, tokens);
      return Admission::kAdmitted;
    }
  }
  if (queue.full()) return Admission::kDropped;
  queue.Push(call, type, tokens);
  return Admission::kQueued;
}

std::optional<CallId> GameServer::AdmitNext(v1::RequestType type, Time now,
                                            const std::function<bool(CallId)>& ready) {
  if (!buckets_[type].Open(now)) return std::nullopt;
  const RequestQueue::Request* const first = QueueOf(type).FirstReady(type, ready);
  if (first == nullptr || !buckets_[type].Open(now, first->tokens)) return std::nullopt;
  buckets_[type].Take(now, first->tokens);
  return QueueOf(type).PopReady(type, ready);
}

void GameServer::Leave(CallId call) {
  for (RequestQueue& queue : queues_) queue.Remove(call);
}

std::array<v1::RequestType, 2> GameServer::SpentByUpdate() const {
  if (rules_.current_types == 0) {
    return {v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_ASYNC};
  }
  return {v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE};
}

int64_t GameServer::Visible(v1::RequestType type, Time now) const {
  if (type == v1::REQUEST_TYPE_UPDATE_ASYNC) {
    const auto [read, write] = SpentByUpdate();
    return std::min(Visible(read, now), Visible(write, now));
  }
  if (type == v1::REQUEST_TYPE_ORDERED_LIST) return 0;  // D: a documented quirk
  const v1::RequestType shown = ShownBucket(type, rules_);
  if (shown == v1::REQUEST_TYPE_UNKNOWN) return 0;
  if (shown != type && rules_.legacy_mirrors == 0) return rules_.buckets[shown].start_level;
  return buckets_[shown].Visible(now);
}

std::optional<Time> GameServer::GrowsAt(v1::RequestType type, Time now) const {
  if (type == v1::REQUEST_TYPE_UPDATE_ASYNC) {
    const auto [read, write] = SpentByUpdate();
    const std::optional<Time> at_read = GrowsAt(read, now);
    const std::optional<Time> at_write = GrowsAt(write, now);
    return at_read && at_write ? std::min(at_read, at_write) : at_read ? at_read : at_write;
  }
  if (type == v1::REQUEST_TYPE_ORDERED_LIST) return std::nullopt;
  const v1::RequestType shown = ShownBucket(type, rules_);
  const bool fixed = shown != type && rules_.legacy_mirrors == 0;
  if (shown == v1::REQUEST_TYPE_UNKNOWN || fixed) return std::nullopt;
  return buckets_[shown].GrowsAt(now);
}

void GameServer::SetPlayers(Time now, uint32_t players) {
  players_ = players;
  for (size_t i = 0; i < kRequestTypes; ++i) {
    if (rules_.buckets[i].live) buckets_[i].SetLimit(now, LimitOf(static_cast<v1::RequestType>(i)));
  }
}

void GameServer::SetRate(v1::RequestType type, Time now, Rate rate) {
  DSTAP_CHECK(rules_.buckets[type].live);
  rates_[type] = rate;
  buckets_[type].SetLimit(now, LimitOf(type));
}

// O, in 2018: 150 times the base limit a second.
void GameServer::RaiseForClose(Time now) {
  for (size_t i = 0; i < kRequestTypes; ++i) {
    if (rules_.buckets[i].live) buckets_[i].RaiseTo(now, 150 * rates_[i].base);
  }
}

v1::Limits GameServer::Limits() const {
  v1::Limits limits;
  for (size_t i = 0; i < kRequestTypes; ++i) {
    if (!rules_.buckets[i].live) continue;
    v1::Limit& limit = *limits.add_limits();
    limit.set_type(static_cast<v1::RequestType>(i));
    limit.set_base_per_minute(static_cast<uint32_t>(rates_[i].base));
    limit.set_per_player_per_minute(static_cast<uint32_t>(rates_[i].per_player));
  }
  limits.set_queue_length(static_cast<uint32_t>(rules_.queue_length));
  return limits;
}

Time GameServer::MayWriteAt(const Place& place) const {
  const auto found = last_writes_.find(place);
  return found == last_writes_.end() ? Time(0)
                                     : found->second + Time(rules_.write_cooldown_ms * 1'000'000);
}

void GameServer::NoteWrite(const Place& place, Time now) {
  if (rules_.write_cooldown_ms == 0) return;
  const Time cooldown(rules_.write_cooldown_ms * 1'000'000);
  while (!last_writes_order_.empty() && last_writes_order_.front().first + cooldown <= now) {
    const auto found = last_writes_.find(last_writes_order_.front().second);
    if (found != last_writes_.end() && found->second + cooldown <= now) last_writes_.erase(found);
    last_writes_order_.pop_front();
  }
  last_writes_[place] = now;
  last_writes_order_.emplace_back(now, place);
}

}  // namespace dstap::proxy
