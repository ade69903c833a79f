#include <map>
#include <utility>

#include "analyzer/findings/rules/rules.h"
#include "analyzer/views/stage.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kCallsMin = 10;

// Limits: kFramesMax frames in which something was sent.
class BurstThrottled final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    constexpr int64_t kFramesASecond = 60;
    const int64_t frame = seen.issued().count() / (1'000'000'000 / kFramesASecond);
    Burst& burst = bursts_[{frame, seen.call.source->index}];
    if (burst.stages.sent == 0) {
      burst.source = seen.call.source;
      burst.step = seen.step_name;
      burst.family = seen.family;
      burst.caller = seen.caller;
      burst.time = seen.issued();
    }
    if (burst.family != seen.family) burst.family = kNone;
    if (burst.caller != seen.caller) burst.caller = 0;
    const Stage stage = StageOf(seen.call);
    burst.stages.Add(stage);
    if (stage == Stage::kQueued || stage == Stage::kDropped) burst.evidence.Add(seen.call.id);
    if (bursts_.size() <= kFramesMax) return;
    End(bursts_.begin()->second);
    bursts_.erase(bursts_.begin());
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (auto& [frame, burst] : bursts_) End(burst);
  }

 private:
  static constexpr size_t kFramesMax = 4096;
  struct Burst {
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    size_t caller = 0;
    Time time{};
    Throttling stages;
    Evidence evidence;
  };

  void End(Burst& burst) {
    const Throttling& stages = burst.stages;
    if (stages.sent < kCallsMin || stages.queued + stages.dropped == 0) return;
    std::string text =
        fmt::format("{} in one frame{}: {} = {} at once + {} queued + {} dropped",
                    Count(stages.sent, "request"),
                    burst.caller == 0 ? "" : fmt::format(" by {}", host().CallerAt(burst.caller)),
                    stages.sent, stages.admitted, stages.queued, stages.dropped);
    if (stages.local > 0) text += fmt::format(" + {} from the server's own copy", stages.local);
    if (stages.gap() > 0) text += fmt::format(" + {} that the capture does not tell", stages.gap());
    Report({.source = burst.source,
            .step = host().StepAt(burst.step),
            .family = burst.family,
            .confidence = Confidence::kObserved,
            .severity = stages.dropped > 0 ? std::optional(Severity::kError) : std::nullopt,
            .text = std::move(text),
            .evidence = std::move(burst.evidence),
            .time = burst.time,
            .weight = static_cast<double>(stages.queued + stages.dropped)});
  }

  std::map<std::pair<int64_t, size_t>, Burst> bursts_;
};

}  // namespace

constinit const RuleEntry kBurstThrottled = {
    .id = "burst-throttled",
    .severity = Severity::kWarning,
    .title = "A burst of requests does not fit the budget",
    .meaning =
        "So many requests of one frame used the budget up: some waited in the queue, and with "
        "the queue of 30 full the others failed. A burst that fits is not worth a word.",
    .evidence =
        "At least 10 requests of one server in one frame (1/60 s), of which at least one was "
        "queued or dropped. An error when one was dropped.",
    .fix = "Spread the requests over time, or hold them back until the budget allows them.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<BurstThrottled>};

}  // namespace dstap::analyzer
