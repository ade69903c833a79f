#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: two counts each live step and source.
class StepWaitsToSend final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override {
    Waiting& waiting = steps_[step.slot];
    const Sent& sent = sources_[step.source->index];
    waiting = {.has_sent = false, .sent = sent.calls, .throttled = sent.throttled};
  }

  void OnCall(const SeenCall& seen) override {
    Sent& sent = sources_[seen.call.source->index];
    const bool is_throttled = seen.call.times_queued > 0 || seen.error != ErrorClass::kNone;
    ++sent.calls;
    if (is_throttled) ++sent.throttled;
    sent.evidence.Clear();
    sent.evidence.Add(seen.call.id);
    if (seen.step == nullptr) return;
    Waiting& waiting = steps_[seen.step->slot];
    if (waiting.has_sent) return;
    waiting.has_sent = true;
    const Time wait = seen.issued() - seen.step->begin;
    const uint64_t others = sent.calls - 1 - waiting.sent;
    if (wait < kWaitMin || others == 0 || sent.throttled > waiting.throttled) return;
    Evidence evidence;
    evidence.Add(seen.call.id);
    Report({.source = seen.call.source,
            .step = seen.step->name,
            .family = seen.family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text = fmt::format("the step's first request was sent after {}; until then its server "
                                "sent {} for others and none of them had to wait",
                                Seconds(wait), Count(others, "request")),
            .evidence = std::move(evidence),
            .time = seen.step->begin,
            .weight = static_cast<double>(wait.count())});
  }

 private:
  static constexpr Time kWaitMin = 5s;
  struct Waiting {
    bool has_sent = false;
    uint64_t sent = 0;
    uint64_t throttled = 0;
  };
  struct Sent {
    uint64_t calls = 0;
    uint64_t throttled = 0;
    Evidence evidence;
  };
  Slots<Waiting> steps_;
  Slots<Sent> sources_;  // By Source::index.
};

}  // namespace

constinit const RuleEntry kStepWaitsToSend = {
    .id = "step-waits-to-send",
    .severity = Severity::kWarning,
    .title = "A step waits behind others although the budget is free",
    .meaning =
        "A queue inside the library lets one request through at a time, and one that is "
        "retried stops all behind it.",
    .evidence =
        "A step whose first request came at least 5 s after its begin, while its server sent "
        "others, none of which was queued, dropped or failed.",
    .fix = "Let keys wait for themselves only.",
    .source = "A field report of one locked key that stopped a server's saves",
    .make = &MakeRule<StepWaitsToSend>};

}  // namespace dstap::analyzer
