// From asking for a token to being on the way to the service, and the limits in between.
#include <algorithm>
#include <utility>

#include "proto/base/check.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/frames.h"
#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {
std::array<v1::RequestType, 2> Simulator::Spends(const Request& request) const {
  const MethodRow* row = FindMethod(request.method, request.store.kind, rules_);
  if (row == nullptr) return {v1::REQUEST_TYPE_UNKNOWN, v1::REQUEST_TYPE_UNKNOWN};
  return rules_.current_types != 0 ? row->current : row->legacy;
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
  const auto counts = CountsAs(call);
  if (counts && !throughput_.Take(call.place, *counts, BytesOf(call), now_)) {
    return AnswerNextFrame(call, v1::OUTCOME_FAILED,
                           MakeError(rules_.legacy_codes != 0 ? ErrorId::kKeyThrottledByCode
                                                              : ErrorId::kKeyThrottled));
  }
  if (IsWrite(call)) call.server->NoteWrite(call.place, now_);
  call.stage = IsWrite(call) ? Stage::kWriting : Stage::kReading;
  const LatencyDraw draw{call.request.source, call.number,
                         IsWrite(call) ? std::max(call.runs, 1U) : 0};
  Plan(FrameAtOrAfter(now_ + latency_.Draw(LatencyOf(call), draw)), EventKind::kServed, call);
}

// What is under way changes something; of UpdateAsync only the second part.
bool Simulator::IsWrite(const Call& call) const {
  return call.step == 1 || call.row->cost.latency == MethodRow::Latency::kWrite;
}

const LatencyRules& Simulator::LatencyOf(const Call& call) const {
  if (IsWrite(call)) return rules_.write;
  if (call.row->cost.latency == MethodRow::Latency::kList) return rules_.list;
  return HasValue(store_.Latest(call.place)) ? rules_.read_stored : rules_.read_missing;
}

// Which direction of its key's throughput the request counts towards, if any.
std::optional<Direction> Simulator::CountsAs(const Call& call) const {
  if (call.step == 1) return Direction::kWrite;
  switch (call.row->cost.counts) {
    case MethodRow::Counts::kRead:
      return Direction::kRead;
    case MethodRow::Counts::kWrite:
      return Direction::kWrite;
    case MethodRow::Counts::kNothing:
      return std::nullopt;
  }
  return std::nullopt;
}

// U for reads: what is stored when the request leaves.
size_t Simulator::BytesOf(const Call& call) const {
  if (call.step == 1) return call.output.value.size();
  switch (call.request.method) {
    case v1::METHOD_SET_ASYNC:
      return call.request.value->size();
    case v1::METHOD_INCREMENT_ASYNC:
      return 1;  // A number: rounded up, one KB.
    case v1::METHOD_REMOVE_ASYNC:
      return 0;
    default: {
      const VersionPtr latest = store_.Latest(call.place);
      return HasValue(latest) ? latest->value.size() : 0;
    }
  }
}

Time Simulator::KeyReadyAt(const Call& call) const {
  Time ready = IsWrite(call) ? call.server->MayWriteAt(call.place) : Time(0);
  const auto counts = CountsAs(call);
  if (rules_.key_throttle_queues != 0 && counts) {
    // A request that is larger than the limit itself would wait for ever: it goes on, and fails.
    const auto open = throughput_.OpenAt(call.place, *counts, BytesOf(call), now_);
    ready = std::max(ready, open.value_or(Time(0)));
  }
  return ready;
}

void Simulator::Drain(SourceId source, v1::RequestType type) {
  GameServer& server = ServerOf(source);
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
  GameServer& server = ServerOf(source);
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
