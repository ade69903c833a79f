#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kCooldown = 6s;

// Limits: the last write of each key.
class WriteCooldown final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.stored || !host().HasProfile("2020")) return;
    Last& last = last_[seen.key];
    const Time now = seen.issued();
    if (last.call != 0 && now - last.time < kCooldown) {
      if (last.count++ == 0) last.first = last.time;
      last.evidence.Add(seen.call.id);
      Report(
          {.source = seen.call.source,
           .step = StepName(seen.step),
           .family = seen.family,
           .confidence = Confidence::kObserved,
           .severity = std::nullopt,
           .text = fmt::format("{} of a key came less than {} after the one before, the first {} "
                               "after it; {} make them wait, later rules do not",
                               Count(last.count, "write"), Seconds(kCooldown),
                               Seconds(now - last.time), host().ProfileWords()),
           .evidence = last.evidence,
           .time = last.first,
           .weight = static_cast<double>(last.count)});
    }
    last.call = seen.call.id;
    last.time = now;
  }
  void ForgetKey(size_t key) override { last_.Forget(key); }

 private:
  struct Last {
    uint64_t call = 0;
    Time time{};
    uint64_t count = 0;
    Time first{};
    Evidence evidence;
  };
  Slots<Last> last_;
};

}  // namespace

constinit const RuleEntry kWriteCooldown = {
    .id = "write-cooldown",
    .severity = Severity::kWarning,
    .title = "A key is written sooner than the old cooldown allows",
    .meaning =
        "Until mid-2023 writes of one key had to be 6 s apart, and others waited in the queue. "
        "The rule is gone, and much advice still goes by it.",
    .evidence = "Only under rules of 2020: a write less than 6 s after the write before.",
    .fix = "Under today's rules nothing.",
    .source = "The platform's announcement that the cooldown was removed",
    .make = &MakeRule<WriteCooldown>};

}  // namespace dstap::analyzer
