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
  switch (call.server->Ask(call.id, type, call.tokens, now_, ready)) {
    case GameServer::Admission::kAdmitted:
      return Admit(call);
    case GameServer::Admission::kQueued:
      call.stage = Stage::kQueued;
      Tell(call.id, Queued{type, QueueWarning(call.request.key)});
      return PlanDrain(call.request.source, type);
    case GameServer::Admission::kDropped:
      return AnswerNextFrame(
          call, v1::OUTCOME_DROPPED,
          Throttled(DroppedError(call.request.method, type, rules_.legacy_codes != 0)));
  }
}

void Simulator::Admit(Call& call) {
  call.answer.taken[call.step] += static_cast<uint32_t>(call.tokens);
  Tell(call.id, Admitted{});
  Send(call);
}

void Simulator::Send(Call& call) {
  const v1::RequestType type = call.spends[call.step];
  if (!experience_.Take(type, now_, call.tokens)) {
    return AnswerNextFrame(call, v1::OUTCOME_FAILED,
                           Throttled(ExperienceError(type, rules_.experience_service_text != 0)));
  }
  const auto counts = CountsAs(call);
  if (counts && !throughput_.Take(call.place, *counts, BytesOf(call), now_)) {
    return AnswerNextFrame(call, v1::OUTCOME_FAILED,
                           MakeError(rules_.legacy_codes != 0 ? ErrorId::kKeyThrottledByCode
                                                              : ErrorId::kKeyThrottled));
  }
  if (IsWrite(call)) call.server->NoteWrite(call.place, now_);
  call.stage = IsWrite(call) ? Stage::kWriting : Stage::kReading;
  Plan(ServedAt(call), EventKind::kServed, call);
}

Time Simulator::ServedAt(const Call& call) const {
  if (call.row->cost.latency == MethodRow::Latency::kNone) return now_;
  const LatencyDraw draw{call.request.source, call.number,
                         IsWrite(call) ? std::max(call.runs, 1U) : 0};
  const std::optional<Time> fixed = FixedUpdateTime(call);
  return FrameAtOrAfter(now_ + (fixed ? *fixed : latency_.Draw(LatencyOf(call), draw)));
}

// What the rules fix of an UpdateAsync that reads the service: its read, and the write behind it.
// One that is served by the copy, or runs again, writes like any other call.
std::optional<Time> Simulator::FixedUpdateTime(const Call& call) const {
  if (call.request.method != v1::METHOD_UPDATE_ASYNC) return std::nullopt;
  const bool is_write = IsWrite(call);
  if (is_write && (call.runs > 1 || call.answer.served_by != v1::SERVED_BY_BACKEND)) {
    return std::nullopt;
  }
  const int64_t us = is_write ? rules_.update_write_us : rules_.update_read_us;
  return us < 0 ? std::nullopt : std::optional(Time(us * 1000));
}

// U: the documentation ends these texts with a full stop, what servers printed did not.
CallError Simulator::Throttled(CallError error) const {
  if (rules_.throttled_full_stop != 0 && error.code == 0 && !error.text.ends_with('.')) {
    error.text += '.';
  }
  return error;
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
    case v1::METHOD_REMOVE_ASYNC:
      return 1;  // A number, or nothing but the request: rounded up, one KB.
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
  if (rules_.experience.queues != 0) {
    const auto open = experience_.OpenAt(call.spends[call.step], now_, call.tokens);
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
  Time first = Time::max();
  // The earliest that a call before this one in the queue may go, its tokens apart: from then on
  // that one comes first, however many it waits for.
  Time ahead_from = Time::max();
  for (const CallId id : server.Waiting(type)) {
    const Call& call = calls_.at(id);
    const Time ready = KeyReadyAt(call);
    const std::optional<Time> open = server.OpenAt(type, now_, call.tokens);
    const Time at = open ? std::max(*open, ready) : Time::max();
    if (at < ahead_from) first = std::min(first, at);
    ahead_from = std::min(ahead_from, ready);
  }
  if (first == Time::max()) {
    planned.reset();
    return;
  }
  const Time at = FrameAtOrAfter(first);
  if (planned == at) return;
  planned = at;
  events_.push({at, ++sequence_, EventKind::kDrain, 0, source, type});
}

}  // namespace dstap::proxy
