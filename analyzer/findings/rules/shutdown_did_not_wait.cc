#include "analyzer/findings/rules/rules.h"
#include "analyzer/findings/shutdown.h"

namespace dstap::analyzer {
namespace {

// Limits: one count each live step.
class ShutdownDidNotWait final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override { open_[step.slot] = Open(); }

  void OnCall(const SeenCall& seen) override {
    if (seen.step == nullptr || !IsShutdown(seen.step->name) || !seen.writes) return;
    Open& open = open_[seen.step->slot];
    open.family = seen.family;
    const bool is_behind = seen.step->end && seen.completed() > *seen.step->end;
    if (is_behind && seen.issued() <= *seen.step->end) open.evidence.Add(seen.call.id);
  }

  void OnStepEnd(const Step& step) override {
    const Open& open = open_[step.slot];
    if (!IsShutdown(step.name) || !step.end || step.partial || open.evidence.count == 0) return;
    const Time took = *step.end - step.begin;
    if (took >= kShutdownMax) return;
    Report(
        {.source = step.source,
         .step = step.name,
         .family = open.family,
         .confidence = Confidence::kObserved,
         .severity = std::nullopt,
         .text = fmt::format("the shutdown ended after {} of its {}, with {} open", Seconds(took),
                             Seconds(kShutdownMax), Count(open.evidence.count, "write")),
         .evidence = open.evidence,
         .time = step.begin,
         .weight = static_cast<double>(open.evidence.count)});
  }

 private:
  struct Open {
    size_t family = 0;
    Evidence evidence;
  };
  Slots<Open> open_;
};

}  // namespace

constinit const RuleEntry kShutdownDidNotWait = {
    .id = "shutdown-did-not-wait",
    .severity = Severity::kError,
    .title = "A server shuts down without waiting for its writes",
    .meaning = "What became of these writes nobody knows; locks among them stay in the values.",
    .evidence =
        "A step named shutdown that ended within 30 s, while writes that had begun in it were "
        "not answered.",
    .fix = "Let the function bound to the close wait until no save and no load is left.",
    .source = "A library's fix of a wait that never waited",
    .make = &MakeRule<ShutdownDidNotWait>};

}  // namespace dstap::analyzer
