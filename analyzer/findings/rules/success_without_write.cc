#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: counts of each live step.
class SuccessWithoutWrite final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override { tried_[step.slot] = Tried(); }

  void OnCall(const SeenCall& seen) override {
    if (seen.step == nullptr || !seen.writes) return;
    Tried& tried = tried_[seen.step->slot];
    tried.family = seen.family;
    if (seen.failed) {
      tried.failed.Add(seen.call.id);
      tried.error = seen.error;
    } else {
      ++tried.others;
    }
  }

  void OnStepEnd(const Step& step) override {
    const Tried& tried = tried_[step.slot];
    if (!step.end || !step.ok || step.partial) return;
    if (tried.failed.count == 0 || tried.others > 0) return;
    Report({.source = step.source,
            .step = step.name,
            .family = tried.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format("the step reported success after {}, and none of its {} was stored "
                                "({})",
                                Seconds(*step.end - step.begin), Count(tried.failed.count, "write"),
                                NameOf(tried.error)),
            .evidence = tried.failed,
            .time = step.begin,
            .weight = static_cast<double>(tried.failed.count)});
  }

 private:
  struct Tried {
    Evidence failed;
    uint64_t others = 0;
    size_t family = 0;
    ErrorClass error = ErrorClass::kNone;
  };
  Slots<Tried> tried_;
};

}  // namespace

constinit const RuleEntry kSuccessWithoutWrite = {
    .id = "success-without-write",
    .severity = Severity::kError,
    .title = "A step reports success, and nothing was stored",
    .meaning = "Its caller goes on as if the data were safe. It is lost without a word.",
    .evidence = "A step that ended well, whose requests include writes, all of which failed.",
    .fix = "Hand the error of the last try to the caller.",
    .source = "A wrapper's source, found in two games",
    .make = &MakeRule<SuccessWithoutWrite>};

}  // namespace dstap::analyzer
