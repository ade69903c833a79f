#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last raising call of each key and source.
class TransformRaised final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    Raised& before = raised_[seen.lane];
    if (before.source != nullptr && seen.call.method == Method::kUpdateAsync) End(before, true);
    const auto raised = std::ranges::count(seen.call.transform_runs, TransformOutcome::kRaised,
                                           &TransformRun::outcome);
    if (raised == 0) return;
    Raised& now = raised_[seen.lane];
    now.source = seen.call.source;
    now.step = seen.step_name;
    now.family = seen.family;
    now.time = seen.issued();
    now.failed = seen.failed;
    now.call = seen.call.id;
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < raised_.size(); ++lane) End(raised_[lane], false);
  }
  void ForgetLane(size_t lane) override { End(raised_[lane], false); }

 private:
  struct Raised {
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Time time{};
    bool failed = false;
    uint64_t call = 0;
  };

  void End(Raised& raised, bool tried_again) {
    if (raised.source != nullptr && !raised.failed) {
      Evidence evidence;
      evidence.Add(raised.call);
      Report({.source = raised.source,
              .step = host().StepAt(raised.step),
              .family = raised.family,
              .confidence = Confidence::kObserved,
              .severity = tried_again ? std::optional(Severity::kWarning) : std::nullopt,
              .text = fmt::format(
                  "a transform raised an error and its UpdateAsync did not fail: "
                  "nothing was written, {}",
                  tried_again ? "and the key was tried again" : "and no other try followed"),
              .evidence = std::move(evidence),
              .time = raised.time,
              .weight = tried_again ? 1.0 : 2.0});
    }
    raised = Raised();
  }

  Slots<Raised> raised_;
};

}  // namespace

constinit const RuleEntry kTransformRaised = {
    .id = "transform-raised",
    .severity = Severity::kError,
    .title = "A transform raised, and the call did not fail",
    .meaning =
        "The error goes to the output and not to the caller of UpdateAsync: pcall around it "
        "says that all went well, and a retry behind pcall never runs.",
    .evidence =
        "A transform run that raised, in a call that did not fail. A warning when the key was "
        "tried again all the same.",
    .fix = "Return nil to write nothing, and tell the caller through a variable.",
    .source = "A library's fix after a field report",
    .make = &MakeRule<TransformRaised>};

}  // namespace dstap::analyzer
