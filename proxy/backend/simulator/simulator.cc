#include "proxy/backend/simulator/simulator.h"

#include <algorithm>
#include <utility>

#include "proto/base/check.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/frames.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {

Simulator::Simulator(SimulatorOptions options)
    : rules_(std::move(options.rules)),
      start_unix_ns_(options.start_unix_ns),
      latency_(rules_, options.seed),
      store_(rules_),
      experience_(rules_),
      throughput_(rules_) {}

// ---------------------------------------------------------------- calls

bool Simulator::WouldLeave(const Request& request, Time now) {
  Settle(now);
  if (FindMethod(request.method, request.store.kind, rules_) == nullptr) return false;
  Request checked = request;
  const bool sets_nil = request.method == v1::METHOD_SET_ASYNC && !request.value;
  if (sets_nil && rules_.nil_is_error == 0) checked.value = "null";
  if (CheckRequest(checked, rules_, UnixUs())) return false;
  return request.method != v1::METHOD_GET_ASYNC || !ReadsTheCopy(request) ||
         !ServerOf(request.source).cache().Find(request.store, request.key, now_);
}

void Simulator::Submit(CallId id, Time now, Request request) {
  Settle(now);
  GameServer& server = ServerOf(request.source);
  const auto [position, is_new] = calls_.try_emplace(id);
  DSTAP_CHECK(is_new);

  Call& call = position->second;
  call.id = id;
  call.request = std::move(request);
  call.server = &server;
  call.number = call.server->NextRequest();
  call.row = FindMethod(call.request.method, call.request.store.kind, rules_);
  call.spends = Spends(call.request);
  if (call.row == nullptr) {
    return Reject(call, NoMethodError(call.request.method, call.request.store.kind));
  }
  const bool sets_nil = call.request.method == v1::METHOD_SET_ASYNC && !call.request.value;
  if (sets_nil && rules_.nil_is_error == 0) call.request.value = "null";
  if (std::optional<CallError> error = CheckRequest(call.request, rules_, UnixUs())) {
    return Reject(call, *std::move(error));
  }
  call.place = PlaceOf(call.request.store, call.request.key);
  if (call.request.method == v1::METHOD_BATCH_GET_ASYNC) {
    call.tokens = call.request.list.keys_size();
  }
  if (HasFault(call, ServiceFault::Kind::kDrop)) {
    call.answer.by_fault = true;
    return AnswerNextFrame(
        call, v1::OUTCOME_DROPPED,
        DroppedError(call.request.method, call.spends[0], rules_.legacy_codes != 0));
  }
  switch (call.request.method) {
    case v1::METHOD_GET_ASYNC:
      return StartGet(call);
    case v1::METHOD_UPDATE_ASYNC:
      return StartUpdate(call);
    default:
      return Acquire(call, 0);
  }
}

void Simulator::Served(Call& call) {
  if (HasFault(call, ServiceFault::Kind::kFail) ||
      (HasFault(call, ServiceFault::Kind::kFailWrite) && IsWrite(call))) {
    return FailByFault(call);
  }
  switch (call.request.method) {
    case v1::METHOD_GET_ASYNC:
      return ServeGet(call);
    case v1::METHOD_GET_SORTED_ASYNC:
      return ServeSorted(call);
    case v1::METHOD_BATCH_GET_ASYNC:
      return ServeBatch(call);
    case v1::METHOD_ON_UPDATE:
      // The connection: what it would fire later has no message in the session protocol.
      return Answer(call, ReadAnswer(call, nullptr, v1::SERVED_BY_UNKNOWN));
    case v1::METHOD_GET_VERSION_ASYNC:
      return ServeGetVersion(call);
    case v1::METHOD_GET_VERSION_AT_TIME_ASYNC:
      return ServeGetVersionAtTime(call);
    case v1::METHOD_REMOVE_VERSION_ASYNC:
      return ServeRemoveVersion(call);
    case v1::METHOD_LIST_VERSIONS_ASYNC:
      return ServeListVersions(call);
    case v1::METHOD_LIST_KEYS_ASYNC:
      return ServeListKeys(call);
    case v1::METHOD_LIST_DATA_STORES_ASYNC:
      return ServeListStores(call);
    case v1::METHOD_SET_ASYNC:
      return ServeSet(call);
    case v1::METHOD_INCREMENT_ASYNC:
      return ServeIncrement(call);
    case v1::METHOD_REMOVE_ASYNC:
      return ServeRemove(call);
    case v1::METHOD_UPDATE_ASYNC:
      return call.step == 0 ? ServeUpdateRead(call) : ServeUpdateWrite(call);
    default:
      DSTAP_CHECK(false && "every method that spends is served");
  }
}

void Simulator::Cancel(CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  Call& call = found->second;
  if (call.stage == Stage::kWriting) {
    call.cancelled = true;  // It is on its way and will be applied.
    return;
  }
  if (call.stage == Stage::kQueued) call.server->Leave(id);
  calls_.erase(found);
}

// ---------------------------------------------------------------- time

std::optional<Time> Simulator::NextEvent() const {
  if (!told_.empty()) return told_.front().at;
  if (events_.empty()) return std::nullopt;
  return events_.top().at;
}

void Simulator::AdvanceTo(Time now, BackendListener& listener) {
  for (;;) {
    while (!told_.empty()) {
      Told next = std::move(told_.front());
      told_.pop_front();
      Deliver(std::move(next), listener);
    }
    if (events_.empty() || events_.top().at > now) break;
    RunEventsAt(events_.top().at);
  }
  now_ = std::max(now_, now);
}

void Simulator::Settle(Time now) {
  while (!events_.empty() && events_.top().at <= now) RunEventsAt(events_.top().at);
  now_ = std::max(now_, now);
}

void Simulator::RunEventsAt(Time at) {
  now_ = std::max(now_, at);
  while (!events_.empty() && events_.top().at <= at) {
    const Event event = events_.top();
    events_.pop();
    if (event.kind == EventKind::kDrain) {
      Drain(event.source, event.type);
      continue;
    }
    const auto found = calls_.find(event.call);
    if (found == calls_.end()) continue;  // Cancelled.
    if (event.kind == EventKind::kServed) {
      Served(found->second);
    } else {
      TellAnswer(found->second);
    }
    if (found->second.cancelled && found->second.stage != Stage::kWriting) calls_.erase(found);
  }
}

void Simulator::Plan(Time at, EventKind kind, const Call& call) {
  events_.push({at, ++sequence_, kind, call.id, call.request.source, v1::REQUEST_TYPE_UNKNOWN});
}

void Simulator::Tell(CallId call, News news) { told_.push_back({now_, call, std::move(news)}); }

void Simulator::Deliver(Told told, BackendListener& listener) {
  const auto found = calls_.find(told.call);
  const bool gone = told.call != 0 && found == calls_.end();
  if (gone || (told.call != 0 && found->second.cancelled)) return;
  if (auto* queued = std::get_if<Queued>(&told.news)) {
    listener.OnQueued(told.call, told.at, queued->type, queued->warning);
  } else if (std::holds_alternative<Admitted>(told.news)) {
    listener.OnAdmitted(told.call, told.at);
  } else if (auto* input = std::get_if<TransformInput>(&told.news)) {
    listener.OnTransform(told.call, told.at, std::move(*input));
  } else if (std::holds_alternative<Answered>(told.news)) {
    BackendAnswer answer = std::move(found->second.answer);
    calls_.erase(found);
    listener.OnAnswer(told.call, told.at, std::move(answer));
  } else if (auto* printed = std::get_if<Printed>(&told.news)) {
    listener.OnNotice(printed->source, told.at, printed->kind, printed->text);
  } else if (auto* limits = std::get_if<LimitsChanged>(&told.news)) {
    listener.OnLimits(limits->source, told.at, limits->limits);
  }
}

}  // namespace dstap::proxy
