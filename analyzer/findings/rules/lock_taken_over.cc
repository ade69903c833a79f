#include "analyzer/findings/lock_waits.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: those of LockWaits.
class LockTakenOver final : public Rule {
 public:
  LockTakenOver(const RuleEntry& entry, RuleHost& host)
      : Rule(entry, host), waits_([this](LockWait& wait) { Say(wait); }) {}

  void OnCall(const SeenCall& seen) override { waits_.Add(seen); }
  void OnRecordingEnd(const Recording& /*recording*/) override { waits_.EndRecording(); }
  void ForgetKey(size_t key) override { waits_.ForgetKey(key); }
  void ForgetLane(size_t lane) override { waits_.ForgetLane(lane); }

 private:
  static constexpr uint64_t kTriesMin = 3;
  void Say(LockWait& wait) {
    if (wait.was_answered || wait.tries < kTriesMin) return;
    Report({.source = wait.source,
            .step = host().StepAt(wait.step),
            .family = wait.family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} ({}), and the key was taken after {}; no other server used it in "
                "that time",
                Count(wait.tries, "try"), StartsOf(wait), Seconds(wait.last - wait.first)),
            .evidence = std::move(wait.evidence),
            .time = wait.first,
            .weight = static_cast<double>((wait.last - wait.first).count())});
  }

  LockWaits waits_;
};

}  // namespace

constinit const RuleEntry kLockTakenOver = {
    .id = "lock-taken-over",
    .severity = Severity::kNote,
    .title = "A lock was taken from a server that no longer answered",
    .meaning =
        "The server that had the key is gone, and what it had not saved with it. The waiting "
        "player pays the whole schedule of tries.",
    .evidence =
        "At least 3 updates of one key by one server in one step, of which the last one "
        "wrote, and no other server's answer in between. That it waited for a lock is an "
        "inference.",
    .fix = "Nothing, when servers do crash; otherwise find out why the old one never released.",
    .source = "The schedules of two libraries",
    .make = &MakeRule<LockTakenOver>};

}  // namespace dstap::analyzer
