// From asking for a token to being on the way to the service, and the limits in between.
#include <algorithm>
#include <utility>

#include "proto/base/check.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/frames.h"
#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {
namespace {

// The table of docs/simulator.md: what each method spends, read part first.
struct SpendRow {
  v1::Method method;
  v1::StoreKind kind;
  std::array<v1::RequestType, 2> current;
  std::array<v1::RequestType, 2> legacy;
};

constexpr auto kNone = v1::REQUEST_TYPE_UNKNOWN;
constexpr auto kStandard = v1::STORE_KIND_STANDARD;
constexpr auto kOrdered = v1::STORE_KIND_ORDERED;

constexpr SpendRow kSpends[] = {
    {v1::METHOD_GET_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, kNone},
     {v1::REQUEST_TYPE_GET_ASYNC, kNone}},
    {v1::METHOD_SET_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_INCREMENT_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_UPDATE_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE},
     {v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_ASYNC}},
    {v1::METHOD_REMOVE_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_REMOVE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_GET_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_READ, kNone},
     {v1::REQUEST_TYPE_GET_ASYNC, kNone}},
    {v1::METHOD_SET_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_INCREMENT_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_UPDATE_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_READ, v1::REQUEST_TYPE_ORDERED_WRITE},
     {v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC}},
    {v1::METHOD_REMOVE_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_REMOVE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_GET_SORTED_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_LIST, kNone},
     {v1::REQUEST_TYPE_GET_SORTED_ASYNC, kNone}},
};

}  // namespace

std::array<v1::RequestType, 2> Simulator::Spends(const Request& request) const {
  for (const SpendRow& row : kSpends) {
    if (row.method != request.method || row.kind != request.store.kind) continue;
    return rules_.current_types != 0 ? row.current : row.legacy;
  }
  return {kNone, kNone};
}

void Simulator::Acquire(Call& call, size_t step) {
  call.step = step;
  const v1::RequestType type = call.spends[step];
  const auto ready = [this](CallId id) { return KeyReadyAt(calls_.at(id)) <= now_; };
  switch (call.server->Ask(call.id, type, now_, ready)) {
    case GameServer::Admission::kAdmitted:
      return Admit(call);
    case GameServer::Admission::kQueued:
      call.stage = Stage::kQueued;
      Tell(call.id, Queued{type, QueueWarning(call.request.key)});
      return PlanDrain(call.request.source, type);
    case GameServer::Admission::kDropped:
      return AnswerNextFrame(call, v1::OUTCOME_DROPPED,
                             DroppedError(call.request.method, type, rules_.legacy_codes != 0));
  }
}

void Simulator::Admit(Call& call) {
  ++call.answer.taken[call.step];
  Tell(call.id, Admitted{});
  Send(call);
}

void Simulator::Send(Call& call) {
  const v1::RequestType type = call.spends[call.step];
  if (!experience_.Take(type, now_)) {
    return AnswerNextFrame(call, v1::OUTCOME_FAILED, ExperienceError(type));
  }
  const bool is_read = IsRead(call);
  const Direction direction = is_read ? Direction::kRead : Direction::kWrite;
  if (!throughput_.Take(call.place, direction, BytesOf(call), now_)) {
    return AnswerNextFrame(call, v1::OUTCOME_FAILED,
                           MakeError(rules_.legacy_codes != 0 ? ErrorId::kKeyThrottledByCode
                                                              : ErrorId::kKeyThrottled));
  }
  if (!is_read) call.server->NoteWrite(call.place, now_);
  call.stage = is_read ? Stage::kReading : Stage::kWriting;
  const LatencyRules& latency = LatencyOf(call);
  const LatencyDraw draw{call.request.source, call.number, is_read ? 0 : std::max(call.runs, 1U)};
  Plan(FrameAtOrAfter(now_ + latency_.Draw(latency, draw)), EventKind::kServed, call);
}

// The read part of a call: nothing is changed by it.
bool Simulator::IsRead(const Call& call) const {
  switch (call.request.method) {
    case v1::METHOD_GET_ASYNC:
    case v1::METHOD_GET_SORTED_ASYNC:
      return true;
    case v1::METHOD_UPDATE_ASYNC:
      return call.step == 0;
    default:
      return false;
  }
}

const LatencyRules& Simulator::LatencyOf(const Call& call) const {
  if (call.request.method == v1::METHOD_GET_SORTED_ASYNC) return rules_.list;
  if (!IsRead(call)) return rules_.write;
  return HasValue(store_.Latest(call.place)) ? rules_.read_stored : rules_.read_missing;
}

// What counts towards the key's throughput.
size_t Simulator::BytesOf(const Call& call) const {
  switch (call.request.method) {
    case v1::METHOD_SET_ASYNC:
      return call.request.value->size();
    case v1::METHOD_INCREMENT_ASYNC:
      return 1;  // A number: rounded up, one KB.
    case v1::METHOD_UPDATE_ASYNC:
      if (call.step == 1) return call.output.value.size();
      [[fallthrough]];
    case v1::METHOD_GET_ASYNC: {
      const VersionPtr latest = store_.Latest(call.place);
      return HasValue(latest) ? latest->value.size() : 0;
    }
    default:
      return 0;
  }
}

Time Simulator::KeyReadyAt(const Call& call) const {
  const bool is_read = IsRead(call);
  Time ready = is_read ? Time(0) : call.server->MayWriteAt(call.place);
  if (rules_.key_throttle_queues != 0) {
    // A request that is larger than the limit itself would wait for ever: it goes on, and fails.
    const auto open = throughput_.OpenAt(call.place, is_read ? Direction::kRead : Direction::kWrite,
                                         BytesOf(call), now_);
    ready = std::max(ready, open.value_or(Time(0)));
  }
  return ready;
}

void Simulator::Drain(SourceId source, v1::RequestType type) {
  GameServer& server = servers_.at(source);
  // A plan that was replaced by another one.
  if (server.drain_at(type) != now_) return;
  server.drain_at(type).reset();
  const auto ready = [this](CallId id) { return KeyReadyAt(calls_.at(id)) <= now_; };
  while (const std::optional<CallId> id = server.AdmitNext(type, now_, ready)) {
    Admit(calls_.at(*id));
  }
  PlanDrain(source, type);
}

// Queues are looked at on frames only. Called whenever something about the type's bucket or queue
// has changed that could let a request go earlier or later.
void Simulator::PlanDrain(SourceId source, v1::RequestType type) {
  GameServer& server = servers_.at(source);
  std::optional<Time>& planned = server.drain_at(type);
  const std::vector<CallId> waiting = server.Waiting(type);
  const std::optional<Time> open = server.OpenAt(type, now_);
  if (waiting.empty() || !open) {
    planned.reset();
    return;
  }
  Time ready = Time::max();
  for (const CallId id : waiting) ready = std::min(ready, KeyReadyAt(calls_.at(id)));
  Time at = FrameAtOrAfter(std::max(*open, ready));
  if (planned == at) return;
  planned = at;
  events_.push({at, ++sequence_, EventKind::kDrain, 0, source, type});
}

}  // namespace dstap::proxy
