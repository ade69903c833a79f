#include <map>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kRoundsMin = 2;

// Limits: kFramesMax frames in which something was retried.
class RetryInPhase final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.failures_before == 0) return;
    constexpr int64_t kFrameNs = 1'000'000'000 / 60;
    Frame& frame = frames_[seen.issued().count() / kFrameNs];
    if (frame.retries++ == 0) frame.time = seen.issued();
    frame.source = seen.call.source;
    frame.family = seen.family;
    frame.step = seen.step_name;
    frame.evidence.Add(seen.call.id);
    if (frames_.size() <= kFramesMax) return;
    Take(frames_.begin()->second);
    frames_.erase(frames_.begin());
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (auto& [number, frame] : frames_) Take(frame);
    if (rounds_ < kRoundsMin) return;
    Report(
        {.source = most_.source,
         .step = host().StepAt(most_.step),
         .family = most_.family,
         .confidence = Confidence::kObserved,
         .severity = std::nullopt,
         .text = fmt::format("{} times at least {} retries began in one frame, at most {} of them",
                             rounds_, kRetriesMin, most_.retries),
         .evidence = most_.evidence,
         .time = most_.time,
         .weight = static_cast<double>(most_.retries)});
  }

 private:
  static constexpr uint64_t kRetriesMin = 5;
  static constexpr size_t kFramesMax = 4096;
  struct Frame {
    uint64_t retries = 0;
    Time time{};
    const Source* source = nullptr;
    size_t family = 0;
    size_t step = 0;
    Evidence evidence;
  };

  void Take(Frame& frame) {
    if (frame.retries < kRetriesMin) return;
    ++rounds_;
    if (frame.retries > most_.retries) most_ = std::move(frame);
  }

  std::map<int64_t, Frame> frames_;
  uint64_t rounds_ = 0;
  Frame most_;
};

}  // namespace

constinit const RuleEntry kRetryInPhase = {
    .id = "retry-in-phase",
    .severity = Severity::kWarning,
    .title = "Many retries begin at the same moment",
    .meaning = "What failed together is tried again together, and fails together again.",
    .evidence =
        "At least 5 retries of failed requests in one frame (1/60 s), in at least two frames.",
    .fix = "Add a random part to each wait.",
    .source = "General practice for retries",
    .make = &MakeRule<RetryInPhase>};

}  // namespace dstap::analyzer
