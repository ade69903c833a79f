// A backend in which things go wrong as a plan says. docs/faults.md is its page.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <string_view>
#include <vector>

#include "proxy/backend/backend.h"
#include "proxy/backend/faults/fault_selector.h"

namespace dstap::proxy {

// Stands in front of another backend. What can be done from outside (waiting, answering late or
// never, a server that is gone) it does itself; what happens inside the service (a failed request,
// a write that got lost, a conflict) it asks for with Request::fault, and reports once the inner
// backend says that it happened.
//
// Units:     times are nanoseconds since the recording began.
// Ownership: owns the inner backend.
// Threads:   as the inner one.
// Promises:  those of Backend; but a call that the plan says is never answered is not. Calls that
//            no rule strikes go through unchanged.
// Limits:    keeps the struck calls that are open; with a server_crash in the plan, all open calls.
class FaultBackend final : public Backend {
 public:
  FaultBackend(std::unique_ptr<Backend> inner, FaultPlan plan, uint64_t seed);

  void NameSource(SourceId source, std::string_view name) override;
  void BeginStep(const v1::StepBegin& step) override { selector_.BeginStep(step); }
  void EndStep(uint64_t step) override { selector_.EndStep(step); }
  void AddSource(SourceId source, Time now, uint32_t players) override;
  void SetPlayers(SourceId source, Time now, uint32_t players) override;
  void CloseSource(SourceId source, Time now) override { inner_->CloseSource(source, now); }
  bool MixedTablesFail() const override { return inner_->MixedTablesFail(); }
  bool WouldLeave(const Request& request, Time now) override {
    return inner_->WouldLeave(request, now);
  }
  void Submit(CallId call, Time now, Request request) override;
  void TransformDone(CallId call, Time now, TransformOutput output) override;
  void Cancel(CallId call) override;
  std::optional<Time> NextEvent() const override;
  void AdvanceTo(Time now, BackendListener& listener) override;
  CallError OpenStore(SourceId source, Time now, const StoreName& store) override;
  int64_t Budget(SourceId source, Time now, v1::RequestType type) override;
  Time BudgetChange(SourceId source, Time now, v1::RequestType type) override;
  CallError SetRateLimit(SourceId source, Time now, v1::RequestType type, int64_t base_per_minute,
                         int64_t per_player_per_minute) override;
  std::array<v1::RequestType, 2> Spends(const Request& request) const override;

  // A line for each rule that asks for a step or a server and has struck nothing up to now.
  std::vector<std::string> NeverStruck() const { return selector_.NeverStruck(); }

 private:
  class Relay;

  // An open call that a rule is about.
  struct Struck {
    const FaultRule* rule = nullptr;
    SourceId source = 0;
    std::optional<Request> waiting;  // In a queue of the plan's; not passed on yet.
    BackendAnswer late;              // Comes when its latency is over.
  };

  enum class EventKind : uint8_t {
    kQueued,      // The client is to hear that its call waits.
    kLeaveQueue,  // The call goes on.
    kAnswer,      // A late answer is due.
    kLost,        // A call of a crashed server is to be marked as such.
    kCrash,
  };
  struct Event {
    Time at{0};
    uint64_t sequence = 0;  // Events of one instant happen in the order they were planned.
    EventKind kind = EventKind::kCrash;
    CallId call = 0;
    const FaultRule* rule = nullptr;  // Of a crash.
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  void Plan(Time at, EventKind kind, CallId call, const FaultRule* rule = nullptr);
  void RunEvent(const Event& event, BackendListener& listener);
  void Crash(const FaultRule& rule, Time at, BackendListener& listener);
  // Tells of a fault, and of the call that it changed if `call` is not 0. Gives the fault's id.
  uint64_t Tell(const FaultRule& rule, SourceId source, CallId call, Time at,
                BackendListener& listener);
  void Forget(CallId call);

  std::unique_ptr<Backend> inner_;
  FaultSelector selector_;
  bool has_crashes_;
  uint64_t last_fault_ = 0;
  uint64_t sequence_ = 0;
  Time inner_now_{0};
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::map<CallId, Struck> struck_;
  std::map<CallId, SourceId> open_;       // Only with has_crashes_.
  std::map<SourceId, uint64_t> sources_;  // The fault that crashed each; 0: none has.
};

}  // namespace dstap::proxy
