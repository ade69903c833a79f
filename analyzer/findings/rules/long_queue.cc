#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: keeps nothing.
class LongQueue final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.call.queued < kWaitMin) return;
    Evidence evidence;
    evidence.Add(seen.call.id);
    std::string text =
        fmt::format("a request waited {} in the server's queue", Seconds(seen.call.queued));
    if (seen.failures_before > 0) {
      text += fmt::format("; {} of it failed before it got that far",
                          Count(seen.failures_before, "try"));
    }
    Report({.source = seen.call.source,
            .step = StepName(seen.step),
            .family = seen.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = std::move(evidence),
            .time = seen.issued(),
            .weight = static_cast<double>(seen.call.queued.count())});
  }

 private:
  static constexpr Time kWaitMin = 10s;
};

}  // namespace

constinit const RuleEntry kLongQueue = {
    .id = "long-queue",
    .severity = Severity::kWarning,
    .title = "A request waits long in the server's queue",
    .meaning =
        "The budget was used up, and the request stood behind others. Whoever waits for it "
        "sees a long load; a retry of the library's own would not be faster.",
    .evidence = "A call that spent at least 10 s in queues.",
    .fix =
        "Find what used the budget up; a library can wait for the budget itself and tell its "
        "caller so.",
    .source = "Measurements of loads behind a used-up budget",
    .make = &MakeRule<LongQueue>};

}  // namespace dstap::analyzer
