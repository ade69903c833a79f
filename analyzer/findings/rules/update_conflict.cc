#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last write of each key.
class UpdateConflict final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const size_t runs = seen.call.transform_runs.size();
    if (runs >= 2) {
      const Write& write = writes_[seen.key];
      const bool is_known = write.source != nullptr && write.source != seen.call.source &&
                            write.time >= seen.issued();
      Evidence evidence;
      evidence.Add(seen.call.id);
      if (is_known) evidence.Add(write.call);
      std::string text = fmt::format(
          "one UpdateAsync ran its transform {} times: {}", runs,
          is_known
              ? fmt::format("{} wrote the key in between", write.source->name)
              : "a writer that is not in the capture, or the server's own copy, was in between");
      if (seen.is_local_observed) text += "; the first run saw the server's own copy";
      Report({.source = seen.call.source,
              .step = StepName(seen.step),
              .family = seen.family,
              .confidence = is_known ? Confidence::kObserved : Confidence::kInferred,
              .severity = std::nullopt,
              .text = std::move(text),
              .evidence = std::move(evidence),
              .time = seen.issued(),
              .weight = static_cast<double>(runs)});
    }
    if (seen.stored) writes_[seen.key] = {seen.call.source, seen.completed(), seen.call.id};
  }

  void ForgetKey(size_t key) override { writes_.Forget(key); }

 private:
  struct Write {
    const Source* source = nullptr;
    Time time{};
    uint64_t call = 0;
  };
  Slots<Write> writes_;
};

}  // namespace

constinit const RuleEntry kUpdateConflict = {
    .id = "update-conflict",
    .severity = Severity::kNote,
    .title = "An UpdateAsync met another writer and ran its transform again",
    .meaning =
        "The service did what it promises: the result of the first run is gone. What else the "
        "transform did (counted, told, set a flag) was done twice.",
    .evidence = "A call whose transform ran at least twice. It is one request.",
    .fix = "Keep side effects out of the transform, and reset what it sets at its top.",
    .source = "UpdateAsync in the platform's reference",
    .make = &MakeRule<UpdateConflict>};

}  // namespace dstap::analyzer
