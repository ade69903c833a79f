#include "analyzer/findings/lock_waits.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kLateMin = 1s;

// Limits: those of LockWaits.
class LockSeenLate final : public Rule {
 public:
  LockSeenLate(const RuleEntry& entry, RuleHost& host)
      : Rule(entry, host), waits_([this](LockWait& wait) { Say(wait); }) {}

  void OnCall(const SeenCall& seen) override { waits_.Add(seen); }
  void OnRecordingEnd(const Recording& /*recording*/) override { waits_.EndRecording(); }
  void ForgetKey(size_t key) override { waits_.ForgetKey(key); }
  void ForgetLane(size_t lane) override { waits_.ForgetLane(lane); }

 private:
  void Say(LockWait& wait) {
    if (wait.write.source == nullptr) return;
    const Time late = wait.last - wait.write.time;
    if (late < kLateMin) return;
    wait.evidence.Add(wait.write.call);
    Report({.source = wait.source,
            .step = host().StepAt(wait.step),
            .family = wait.family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} ({}): {} wrote the key for the last time {} before the try that "
                "got it",
                Count(wait.tries, "try"), StartsOf(wait), wait.write.source->name, Seconds(late)),
            .evidence = std::move(wait.evidence),
            .time = wait.first,
            .weight = static_cast<double>(late.count())});
  }

  LockWaits waits_;
};

}  // namespace

constinit const RuleEntry kLockSeenLate = {
    .id = "lock-seen-late",
    .severity = Severity::kNote,
    .title = "A lock was free for a while before the waiting server saw it",
    .meaning =
        "The old server had let go, and the new one was between two of its tries, or was "
        "answered by its own copy. The player waits for that.",
    .evidence =
        "A server's updates of one key in one step, of which the last one wrote, and another "
        "server's last write of the key at least 1 s before it. That this write was the "
        "release is an inference.",
    .fix =
        "Let the old server tell the new one (MessagingService), and read once with UseCache = "
        "false then; or try again sooner at first.",
    .source = "Measurements of server hops",
    .make = &MakeRule<LockSeenLate>};

}  // namespace dstap::analyzer
