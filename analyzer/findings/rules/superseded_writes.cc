#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kWritesMin = 3;

// Limits: one run of writes a key and source.
class SupersededWrites final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.stored) return;
    Run& run = runs_[seen.lane];
    const uint64_t hash = seen.call.written ? seen.call.written->hash : 0;
    if (run.writes > 0 && hash != 0 && hash == run.hash) return;  // Said by another rule.
    if (run.writes > 0 && seen.issued() - run.last > kGapMax) End(run);
    if (run.writes == 0) run.first = seen.issued();
    ++run.writes;
    run.hash = hash;
    run.last = std::max(run.last, seen.issued());
    run.source = seen.call.source;
    run.step = seen.step_name;
    run.family = seen.family;
    run.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < runs_.size(); ++lane) End(runs_[lane]);
  }
  void ForgetLane(size_t lane) override { End(runs_[lane]); }

 private:
  static constexpr Time kGapMax = 2s;
  struct Run {
    uint64_t writes = 0;
    uint64_t hash = 0;
    Time first{};
    Time last{};
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Evidence evidence;
  };

  void End(Run& run) {
    if (run.writes >= kWritesMin) {
      Report({.source = run.source,
              .step = host().StepAt(run.step),
              .family = run.family,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = fmt::format("{} of one key within {}, each over the one before: {} of them "
                                  "({}) were not needed",
                                  Count(run.writes, "write"), Seconds(run.last - run.first),
                                  run.writes - 1, Percent(run.writes - 1, run.writes)),
              .evidence = std::move(run.evidence),
              .time = run.first,
              .weight = static_cast<double>(run.writes)});
    }
    run = Run();
  }

  Slots<Run> runs_;
};

}  // namespace

constinit const RuleEntry kSupersededWrites = {
    .id = "superseded-writes",
    .severity = Severity::kWarning,
    .title = "One key is written several times within moments",
    .meaning =
        "Only the last of the writes matters to anyone. Such series come from a save for each "
        "item of a loop.",
    .evidence =
        "At least 3 writes of one key by one server, each at most 2 s after the one before "
        "and with another value.",
    .fix = "Collect the changes and save once behind the loop.",
    .source = "Field reports of saves for each owned pass at join",
    .make = &MakeRule<SupersededWrites>};

}  // namespace dstap::analyzer
