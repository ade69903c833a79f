#include <array>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kOpenMin = 5s;
constexpr size_t kOpenStepsMax = 1000;

// Limits: a count each live step, the last four writes of each key, kOpenStepsMax open steps.
class SilentStep final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override { calls_[step.slot].count = 0; }
  void OnServiceCall(const Call& /*call*/, const Step* step) override {
    if (step != nullptr) ++calls_[step->slot].count;
  }

  void OnCall(const SeenCall& seen) override {
    if (seen.step != nullptr) ++calls_[seen.step->slot].count;
    if (!seen.writes) return;
    Writes& writes = writes_[seen.key];
    writes.last[writes.next++ % writes.last.size()] = {seen.call.source, seen.issued(),
                                                       seen.completed(), seen.call.id, seen.family};
  }

  void OnStepEnd(const Step& step) override {
    if (calls_[step.slot].count > 0 || step.partial) return;
    if (!step.end) {
      if (open_.size() < kOpenStepsMax) open_.push_back({step.source, step.name, step.begin});
      return;
    }
    for (const StoreKey& about : step.about) {
      const size_t key = host().FindKey(about);
      if (key == kNone) continue;
      for (const Write& write : writes_[key].last) {
        if (write.source != step.source || write.issued > step.begin ||
            write.completed <= step.begin) {
          continue;
        }
        Evidence evidence;
        evidence.Add(write.call);
        return Report(
            {.source = step.source,
             .step = step.name,
             .family = write.family,
             .confidence = Confidence::kInferred,
             .severity = Severity::kError,
             .text = fmt::format("the step sent nothing of its own; a write of its key was "
                                 "already running when it began, {} before, and cannot "
                                 "hold what it wanted to store",
                                 Seconds(step.begin - write.issued)),
             .evidence = std::move(evidence),
             .time = step.begin,
             .weight = 2});
      }
    }
    if (step.ok) return;
    Report({.source = step.source,
            .step = step.name,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format("the step failed after {} without having sent a request",
                                Seconds(*step.end - step.begin)),
            .evidence = {},
            .time = step.begin,
            .weight = 1});
  }

  void OnRecordingEnd(const Recording& recording) override {
    for (const Open& open : open_) {
      const Time waited = recording.last - open.begin;
      if (waited < kOpenMin) continue;
      Report({.source = open.source,
              .step = open.step,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = fmt::format("0 requests in {}: the step waits for something before its first "
                                  "request, not for a DataStore",
                                  Seconds(waited)),
              .evidence = {},
              .time = open.begin,
              .weight = static_cast<double>(waited.count())});
    }
  }
  void ForgetKey(size_t key) override { writes_.Forget(key); }

 private:
  struct Calls {
    uint64_t count = 0;
  };
  struct Write {
    const Source* source = nullptr;
    Time issued{};
    Time completed{};
    uint64_t call = 0;
    size_t family = 0;
  };
  struct Writes {
    std::array<Write, 4> last;
    size_t next = 0;
  };
  struct Open {
    const Source* source;
    std::string step;
    Time begin;
  };

  Slots<Calls> calls_;
  Slots<Writes> writes_;
  std::vector<Open> open_;
};

}  // namespace

constinit const RuleEntry kSilentStep = {
    .id = "silent-step",
    .severity = Severity::kWarning,
    .title = "A step sent nothing",
    .meaning =
        "Either it hangs before its first request (a message subscription that does not "
        "return, an event that never fires), or its request was merged into one that was "
        "already on its way and does not have its changes.",
    .evidence =
        "A step without any call that was open for at least 5 s when the recording ended, or "
        "that failed. An error, and an inference, when a write of its key was running as it "
        "began.",
    .fix =
        "Look at what the library waits for before it sends; merge a save only into one that has "
        "not begun.",
    .source = "Field reports of loads that sent nothing, and of a closing save that was lost",
    .make = &MakeRule<SilentStep>};

}  // namespace dstap::analyzer
