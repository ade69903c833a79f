#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last write of each live step.
class FailureAlthoughStored final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override { last_[step.slot] = Last(); }

  void OnCall(const SeenCall& seen) override {
    if (seen.step == nullptr) return;
    Last& last = last_[seen.step->slot];
    if (seen.completed() < last.completed) return;
    last = {seen.completed(), seen.stored, seen.call.id, seen.family,
            seen.call.transform_runs.size()};
  }

  void OnStepEnd(const Step& step) override {
    const Last& last = last_[step.slot];
    if (!step.end || step.ok || step.partial || !last.stored) return;
    Evidence evidence;
    evidence.Add(last.call);
    std::string text = "the step reported a failure, and its last request was stored";
    if (last.runs > 1) {
      text += fmt::format("; that one request ran its transform {} times", last.runs);
    }
    Report({.source = step.source,
            .step = step.name,
            .family = last.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = std::move(evidence),
            .time = step.begin,
            .weight = static_cast<double>(last.runs)});
  }

 private:
  struct Last {
    Time completed{};
    bool stored = false;
    uint64_t call = 0;
    size_t family = 0;
    size_t runs = 0;
  };
  Slots<Last> last_;
};

}  // namespace

constinit const RuleEntry kFailureAlthoughStored = {
    .id = "failure-although-stored",
    .severity = Severity::kWarning,
    .title = "A step reports a failure, and its write is stored",
    .meaning =
        "The caller undoes or repeats something that has happened, or a lock was taken that "
        "nobody will release.",
    .evidence = "A step that failed and whose last request was a write that succeeded.",
    .fix =
        "Let the outcome of the call decide, and clear what a transform sets at its top: it may "
        "run again.",
    .source = "A field report of an error flag that was not cleared between runs",
    .make = &MakeRule<FailureAlthoughStored>};

}  // namespace dstap::analyzer
