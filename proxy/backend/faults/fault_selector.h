// Which rule strikes which call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/backend/faults/fault_rule.h"
#include "proxy/backend/faults/open_steps.h"

namespace dstap::proxy {

// Units:   times are nanoseconds since the recording began.
// Threads: not thread-safe.
// Promise: what strikes depends on the calls, their order and times, and the seed, and on nothing
//          else. A rule's draw depends on the seed, its place in the plan and the call's number.
class FaultSelector {
 public:
  FaultSelector(FaultPlan plan, uint64_t seed);

  const FaultPlan& plan() const { return plan_; }

  void NameSource(SourceId source, std::string_view name);
  void BeginStep(const v1::StepBegin& step);
  void EndStep(uint64_t step) { steps_.End(step); }

  // Counts a call that was issued now, and gives the first rule that wants it; null: none does.
  const FaultRule* Select(CallId call, Time now, const Request& request);

  // Whether a rule that is about servers is about this one.
  bool IsAbout(const FaultRule& rule, SourceId source) const;

  // A rule of the plan has crashed a server.
  void Crashed(const FaultRule& rule) { ++progress_[&rule - plan_.data()].struck; }

  // A line for each rule that asks for a step or a server and has struck nothing, with the reason.
  std::vector<std::string> NeverStruck() const;

 private:
  struct Progress {
    uint64_t seen = 0;  // Calls that all but the rule's numbers selects.
    uint64_t struck = 0;
    // There was something of the name that it asks for.
    bool step_began = false;
    bool server_came = false;
  };

  bool Selects(const FaultRule& rule, Time now, const Request& request,
               std::string_view step) const;
  bool Draw(size_t rule, CallId call) const;

  FaultPlan plan_;
  uint64_t seed_;
  bool asks_for_steps_;
  std::vector<Progress> progress_;  // By the rule's place in the plan.
  std::map<SourceId, std::string> names_;
  OpenSteps steps_;
};

}  // namespace dstap::proxy
