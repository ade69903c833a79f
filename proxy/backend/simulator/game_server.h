// One game server: its budgets, its queues, and its own copies of values.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "proto/base/clock.h"
#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/request_queue.h"
#include "proxy/backend/simulator/rule_profile.h"
#include "proxy/backend/simulator/token_bucket.h"
#include "proxy/backend/simulator/value_cache.h"

namespace dstap::proxy {

// Units:   tokens and requests a minute.
// Threads: not thread-safe. Times must not go back.
// Limits:  queue_length requests wait in each queue.
class GameServer {
 public:
  GameServer(const RuleProfile& rules, Time now, uint32_t players);

  enum class Admission { kAdmitted, kQueued, kDropped };
  // Asks for tokens for `call`. `ready` says whether the key of a waiting call, or of this one,
  // is free to be used.
  Admission Ask(CallId call, v1::RequestType type, int64_t tokens, Time now,
                const std::function<bool(CallId)>& ready);
  // The next waiting call that gets a token at `now`, if any.
  std::optional<CallId> AdmitNext(v1::RequestType type, Time now,
                                  const std::function<bool(CallId)>& ready);
  // A token that nobody waits for, even when there is none.
  void TakeSilently(v1::RequestType type, Time now) { buckets_[type].Take(now); }
  void Leave(CallId call);

  std::vector<CallId> Waiting(v1::RequestType type) const { return QueueOf(type).Waiting(type); }
  std::optional<Time> OpenAt(v1::RequestType type, Time now, int64_t tokens) const {
    return buckets_[type].OpenAt(now, tokens);
  }

  // What GetRequestBudgetForRequestType shows.
  int64_t Visible(v1::RequestType type, Time now) const;
  // The first instant at which it may show more, if nobody takes any; null: it never will.
  std::optional<Time> GrowsAt(v1::RequestType type, Time now) const;

  void SetPlayers(Time now, uint32_t players);
  uint32_t players() const { return players_; }
  // The type must have a bucket.
  void SetRate(v1::RequestType type, Time now, Rate rate);
  v1::Limits Limits() const;
  // U: what a server that begins to close may spend at least.
  void RaiseForClose(Time now);
  // Tokens that a new server's bucket of the type holds at most; its start is cut to them.
  int64_t CapOf(v1::RequestType type) const { return buckets_[type].cap_tokens(); }

  // When this server may write to a place again (the cooldown before 2023), and that it does.
  Time MayWriteAt(const Place& place) const;
  void NoteWrite(const Place& place, Time now);

  ValueCache& cache() { return cache_; }
  // Numbers the server's calls from 1.
  uint64_t NextRequest() { return ++requests_; }

  // When the type's waiting calls are looked at next, if that is planned: the simulator's note.
  std::optional<Time>& drain_at(v1::RequestType type) { return drains_[type]; }

 private:
  RequestQueue& QueueOf(v1::RequestType type);
  const RequestQueue& QueueOf(v1::RequestType type) const;
  std::array<v1::RequestType, 2> SpentByUpdate() const;
  int64_t LimitOf(v1::RequestType type) const;

  const RuleProfile& rules_;
  uint32_t players_;
  uint64_t requests_ = 0;
  std::array<Rate, kRequestTypes> rates_;
  std::array<TokenBucket, kRequestTypes> buckets_;
  std::array<std::optional<Time>, kRequestTypes> drains_;
  std::vector<RequestQueue> queues_;
  ValueCache cache_;
  std::map<Place, Time> last_writes_;
  std::deque<std::pair<Time, Place>> last_writes_order_;
};

// The bucket whose level `type` shows: itself, or what it mirrors. Unknown: shows 0.
v1::RequestType ShownBucket(v1::RequestType type, const RuleProfile& rules);

}  // namespace dstap::proxy
