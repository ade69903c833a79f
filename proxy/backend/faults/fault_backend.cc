#include "proxy/backend/faults/fault_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/base/check.h"
#include "proxy/backend/simulator/frames.h"
#include "proxy/backend/simulator/request_queue.h"

namespace dstap::proxy {
namespace {

constexpr std::string_view kCrashNotice =
    "This server was crashed on purpose: its calls are never answered.";

bool IsAmbiguous(v1::FaultKind kind) {
  return kind == v1::FAULT_KIND_AMBIGUOUS_APPLIED || kind == v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED;
}

// What the inner backend is asked to do; null: nothing.
std::shared_ptr<const ServiceFault> ServiceFaultOf(const FaultRule& rule) {
  const auto make = [&](ServiceFault::Kind kind) {
    return std::make_shared<const ServiceFault>(ServiceFault{kind, rule.error});
  };
  switch (rule.kind) {
    case v1::FAULT_KIND_DROP:
      return make(ServiceFault::Kind::kDrop);
    case v1::FAULT_KIND_ERROR:
      return make(ServiceFault::Kind::kFail);
    case v1::FAULT_KIND_AMBIGUOUS_APPLIED:
      return make(ServiceFault::Kind::kFailAfterWrite);
    case v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED:
      return make(ServiceFault::Kind::kFailWrite);
    case v1::FAULT_KIND_CONFLICT:
      return make(ServiceFault::Kind::kConflict);
    default:
      return nullptr;
  }
}

}  // namespace

// Between the inner backend and the listener.
class FaultBackend::Relay final : public BackendListener {
 public:
  Relay(FaultBackend& faults, BackendListener& to) : faults_(faults), to_(to) {}

  void OnQueued(CallId call, Time now, v1::RequestType type, std::string_view warning) override {
    to_.OnQueued(call, now, type, warning);
  }
  void OnAdmitted(CallId call, Time now) override { to_.OnAdmitted(call, now); }
  void OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) override {
    to_.OnNotice(source, now, kind, text);
  }
  void OnLimits(SourceId source, Time now, const v1::Limits& limits) override {
    to_.OnLimits(source, now, limits);
  }

  void OnTransform(CallId call, Time now, TransformInput input) override {
    const auto found = faults_.struck_.find(call);
    // A second run is the conflict that was asked for.
    if (found != faults_.struck_.end() && found->second.rule->kind == v1::FAULT_KIND_CONFLICT &&
        input.run == 2) {
      faults_.Tell(*found->second.rule, found->second.source, call, now, to_);
    }
    to_.OnTransform(call, now, std::move(input));
  }

  void OnAnswer(CallId call, Time now, BackendAnswer answer) override {
    const auto found = faults_.struck_.find(call);
    if (found != faults_.struck_.end() && !PassesOn(found->second, call, now, answer)) return;
    faults_.Forget(call);
    to_.OnAnswer(call, now, std::move(answer));
  }

 private:
  // False: the answer is held back, or lost.
  bool PassesOn(Struck& struck, CallId call, Time now, BackendAnswer& answer) {
    const FaultRule& rule = *struck.rule;
    const bool is_late = rule.kind == v1::FAULT_KIND_LATENCY;
    const bool is_never = rule.kind == v1::FAULT_KIND_NEVER_ANSWER;
    if (!is_late && !is_never && !answer.by_fault) return true;
    // What never leaves the server cannot be late or lost on its way.
    if ((is_late || is_never) &&
        (answer.outcome == v1::OUTCOME_REJECTED || answer.served_by == v1::SERVED_BY_LOCAL_COPY) &&
        answer.taken[0] == 0 && answer.taken[1] == 0) {
      return true;
    }
    faults_.Tell(rule, struck.source, call, now, to_);
    if (is_late) {
      struck.late = std::move(answer);
      faults_.Plan(FrameAtOrAfter(now + rule.delay), EventKind::kAnswer, call);
      return false;
    }
    if (!is_never && (!IsAmbiguous(rule.kind) || rule.answered)) return true;
    faults_.Forget(call);
    return false;
  }

  FaultBackend& faults_;
  BackendListener& to_;
};

FaultBackend::FaultBackend(std::unique_ptr<Backend> inner, FaultPlan plan, uint64_t seed)
    : inner_(std::move(inner)), selector_(std::move(plan), seed) {
  for (const FaultRule& rule : selector_.plan()) {
    if (rule.kind == v1::FAULT_KIND_SERVER_CRASH) Plan(rule.delay, EventKind::kCrash, 0, &rule);
  }
  has_crashes_ = !events_.empty();
}

// ---------------------------------------------------------------- calls

void FaultBackend::Submit(CallId call, Time now, Request request) {
  const SourceId source = request.source;
  if (has_crashes_) {
    if (sources_.at(source) != 0) {
      struck_[call].source = source;
      return Plan(now, EventKind::kLost, call);
    }
    open_.emplace(call, source);
  }
  const FaultRule* const rule = selector_.Select(call, now, request);
  if (rule == nullptr) return inner_->Submit(call, now, std::move(request));
  // What never leaves the server has no place in a queue.
  if (rule->kind == v1::FAULT_KIND_QUEUE && !inner_->WouldLeave(request, now)) {
    return inner_->Submit(call, now, std::move(request));
  }

  const auto [at, is_new] = struck_.try_emplace(call);
  DSTAP_CHECK(is_new);
  Struck& struck = at->second;
  struck.rule = rule;
  struck.source = source;
  if (rule->kind == v1::FAULT_KIND_QUEUE) {
    struck.waiting = std::move(request);
    Plan(now, EventKind::kQueued, call);
    return Plan(FrameAtOrAfter(now + rule->delay), EventKind::kLeaveQueue, call);
  }
  request.fault = ServiceFaultOf(*rule);
  inner_->Submit(call, now, std::move(request));
}

void FaultBackend::TransformDone(CallId call, Time now, TransformOutput output) {
  // A server that crashed while its function ran.
  if (has_crashes_ && !open_.contains(call)) return;
  inner_->TransformDone(call, now, std::move(output));
}

void FaultBackend::Cancel(CallId call) {
  Forget(call);
  inner_->Cancel(call);
}

void FaultBackend::Forget(CallId call) {
  struck_.erase(call);
  if (has_crashes_) open_.erase(call);
}

// ---------------------------------------------------------------- time

void FaultBackend::Plan(Time at, EventKind kind, CallId call, const FaultRule* rule) {
  events_.push({at, ++sequence_, kind, call, rule});
}

std::optional<Time> FaultBackend::NextEvent() const {
  const std::optional<Time> inner = inner_->NextEvent();
  if (events_.empty()) return inner;
  return inner ? std::min(*inner, events_.top().at) : events_.top().at;
}

void FaultBackend::AdvanceTo(Time now, BackendListener& listener) {
  Relay relay(*this, listener);
  for (;;) {
    const std::optional<Time> inner = inner_->NextEvent();
    if (!events_.empty() && events_.top().at <= now && (!inner || events_.top().at <= *inner)) {
      const Event event = events_.top();
      events_.pop();
      RunEvent(event, listener);
      continue;
    }
    if (!inner || *inner > now) break;
    inner_now_ = std::max(inner_now_, *inner);
    inner_->AdvanceTo(inner_now_, relay);
  }
  inner_now_ = std::max(inner_now_, now);
  inner_->AdvanceTo(inner_now_, relay);
}

void FaultBackend::RunEvent(const Event& event, BackendListener& listener) {
  if (event.kind == EventKind::kCrash) return Crash(*event.rule, event.at, listener);
  const auto found = struck_.find(event.call);
  if (found == struck_.end()) return;  // Cancelled, or its server has crashed.
  Struck& struck = found->second;
  switch (event.kind) {
    case EventKind::kQueued:
      Tell(*struck.rule, struck.source, event.call, event.at, listener);
      return listener.OnQueued(event.call, event.at, inner_->Spends(*struck.waiting)[0],
                               QueueWarning(struck.waiting->key));
    case EventKind::kLeaveQueue: {
      Request request = *std::move(struck.waiting);
      struck_.erase(found);  // From here on it is a call like any other.
      listener.OnAdmitted(event.call, event.at);
      return inner_->Submit(event.call, event.at, std::move(request));
    }
    case EventKind::kAnswer: {
      BackendAnswer answer = std::move(struck.late);
      Forget(event.call);
      return listener.OnAnswer(event.call, event.at, std::move(answer));
    }
    case EventKind::kLost: {
      const uint64_t fault = sources_.at(struck.source);
      struck_.erase(found);
      return listener.OnFaulted(event.call, fault);
    }
    case EventKind::kCrash:
      break;
  }
}

// ---------------------------------------------------------------- faults

uint64_t FaultBackend::Tell(const FaultRule& rule, SourceId source, CallId call, Time at,
                            BackendListener& listener) {
  v1::InjectedFault fault;
  fault.set_id(++last_fault_);
  fault.set_kind(rule.kind);
  fault.set_rule(rule.text);
  fault.set_call(call);
  fault.set_source(source);
  const bool is_told = rule.kind == v1::FAULT_KIND_ERROR || IsAmbiguous(rule.kind);
  if (is_told && rule.answered) fault.set_error_text(rule.error.text);
  if (rule.kind == v1::FAULT_KIND_QUEUE || rule.kind == v1::FAULT_KIND_LATENCY) {
    fault.set_delay_ns(static_cast<uint64_t>(rule.delay.count()));
  }
  listener.OnFault(at, fault);
  if (call != 0) listener.OnFaulted(call, fault.id());
  return fault.id();
}

void FaultBackend::Crash(const FaultRule& rule, Time at, BackendListener& listener) {
  for (auto& [source, crashed_by] : sources_) {
    if (crashed_by != 0 || !selector_.IsAbout(rule, source)) continue;
    crashed_by = Tell(rule, source, 0, at, listener);
    selector_.Crashed(rule);
    for (auto call = open_.begin(); call != open_.end();) {
      const auto [id, owner] = *call++;
      if (owner != source) continue;
      Cancel(id);
      listener.OnFaulted(id, crashed_by);
    }
    inner_->SetPlayers(source, at, 0);  // They count for the experience.
    listener.OnNotice(source, at, v1::NOTICE_KIND_WARNING, kCrashNotice);
  }
}

// ---------------------------------------------------------------- passed on

void FaultBackend::NameSource(SourceId source, std::string_view name) {
  selector_.NameSource(source, name);
  inner_->NameSource(source, name);
}

void FaultBackend::AddSource(SourceId source, Time now, uint32_t players) {
  sources_.try_emplace(source, 0);
  inner_->AddSource(source, now, players);
}

void FaultBackend::SetPlayers(SourceId source, Time now, uint32_t players) {
  inner_->SetPlayers(source, now, players);
}

CallError FaultBackend::OpenStore(SourceId source, Time now, const StoreName& store) {
  return inner_->OpenStore(source, now, store);
}

int64_t FaultBackend::Budget(SourceId source, Time now, v1::RequestType type) {
  return inner_->Budget(source, now, type);
}

Time FaultBackend::BudgetChange(SourceId source, Time now, v1::RequestType type) {
  const Time change = inner_->BudgetChange(source, now, type);
  // A call that leaves its queue takes a token.
  return events_.empty() ? change : std::max(now, std::min(change, events_.top().at));
}

CallError FaultBackend::SetRateLimit(SourceId source, Time now, v1::RequestType type,
                                     int64_t base_per_minute, int64_t per_player_per_minute) {
  return inner_->SetRateLimit(source, now, type, base_per_minute, per_player_per_minute);
}

std::array<v1::RequestType, 2> FaultBackend::Spends(const Request& request) const {
  return inner_->Spends(request);
}

}  // namespace dstap::proxy
