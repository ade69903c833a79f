#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: one run of writes a key.
class RedundantWrite final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes) return;
    Run& run = runs_[seen.key];
    if (!seen.stored) {
      if (seen.may_be_stored) End(run);  // Nobody knows what is there now.
      return;
    }
    const uint64_t hash = seen.call.written ? seen.call.written->hash : 0;
    const bool gave_back = hash != 0 && seen.call.method == Method::kUpdateAsync &&
                           seen.call.read && seen.call.read->hash == hash;
    if (hash == 0 || hash != run.hash) {
      End(run);
      run.hash = hash;
      run.first = seen.issued();
    }
    run.writes += 1;
    if (run.writes > 1 || gave_back) {
      run.redundant += 1;
      run.is_throttled = run.is_throttled || seen.call.times_queued > 0;
    }
    run.last = seen.issued();
    run.source = seen.call.source;
    run.step = seen.step_name;
    run.family = seen.family;
    run.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t key = 0; key < runs_.size(); ++key) End(runs_[key]);
  }
  void ForgetKey(size_t key) override { End(runs_[key]); }

 private:
  struct Run {
    uint64_t hash = 0;
    uint64_t writes = 0;
    uint64_t redundant = 0;
    bool is_throttled = false;
    Time first{};
    Time last{};
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Evidence evidence;
  };

  void End(Run& run) {
    if (run.redundant > 0) {
      Report({.source = run.source,
              .step = host().StepAt(run.step),
              .family = run.family,
              .confidence = Confidence::kObserved,
              .severity = run.is_throttled ? std::optional(Severity::kWarning) : std::nullopt,
              .text = fmt::format("{} of one key within {}, {} of them with the value that was "
                                  "already there (same hash){}",
                                  Count(run.writes, "write"), Seconds(run.last - run.first),
                                  run.redundant,
                                  run.is_throttled ? "; some had to wait in a queue" : ""),
              .evidence = std::move(run.evidence),
              .time = run.first,
              .weight = static_cast<double>(run.redundant)});
    }
    run = Run();
  }

  Slots<Run> runs_;
};

}  // namespace

constinit const RuleEntry kRedundantWrite = {
    .id = "redundant-write",
    .severity = Severity::kNote,
    .title = "A value is written again unchanged",
    .meaning =
        "The write spends budget and the key's throughput, and stores what is stored already: "
        "an autosave, a save on leaving and one at shutdown often do it one after the other.",
    .evidence =
        "Two writes of one key with the same hash and no other write in between, or an "
        "UpdateAsync whose transform gave back what it was given. A warning when such a write "
        "had to wait for its turn.",
    .fix =
        "Remember that nothing changed since the last save, and skip the write; return nil from "
        "the transform.",
    .source = "Field reports of saves on leaving and at shutdown",
    .make = &MakeRule<RedundantWrite>};

}  // namespace dstap::analyzer
