#include <set>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: one series of refusals a key and source.
class ValueRefused final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes) return;
    Refused& refused = refused_[seen.lane];
    if (seen.stored) {
      if (refused.evidence.count > 0) End(refused);
      refused.stored = seen.issued();
      refused.was_stored = true;
      return;
    }
    if (seen.error != ErrorClass::kValue) return;
    if (refused.evidence.count == 0) {
      refused.first = seen.issued();
      refused.source = seen.call.source;
      refused.step = seen.step_name;
      refused.family = seen.family;
    }
    refused.last = seen.issued();
    if (refused.shapes.size() < kShapesMax) refused.shapes.insert(ShapeOf(seen.call));
    refused.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < refused_.size(); ++lane) End(refused_[lane]);
  }
  void ForgetLane(size_t lane) override { End(refused_[lane]); }

 private:
  static constexpr size_t kShapesMax = 8;
  struct Refused {
    bool was_stored = false;
    Time stored{};
    Time first{};
    Time last{};
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    std::set<std::string> shapes;
    Evidence evidence;
  };

  void End(Refused& refused) {
    const uint64_t count = refused.evidence.count;
    if (count > 0) {
      std::string shapes;
      for (const std::string& shape : refused.shapes) {
        shapes += fmt::format("{}{}", shapes.empty() ? "" : ", ", shape);
      }
      std::string text = fmt::format("{} refused because the value cannot be stored ({})",
                                     Count(count, "write"), shapes);
      if (count > 1) {
        text += fmt::format(" over {}, with no success in between: trying again cannot help",
                            Seconds(refused.last - refused.first));
      }
      if (refused.was_stored) {
        text += fmt::format("; what is stored is from {} before the first of them",
                            Seconds(refused.first - refused.stored));
      }
      Report({.source = refused.source,
              .step = host().StepAt(refused.step),
              .family = refused.family,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = std::move(text),
              .evidence = std::move(refused.evidence),
              .time = refused.first,
              .weight = static_cast<double>(count)});
    }
    refused = Refused();
  }

  Slots<Refused> refused_;
};

}  // namespace

constinit const RuleEntry kValueRefused = {
    .id = "value-refused",
    .severity = Severity::kError,
    .title = "A value cannot be stored",
    .meaning =
        "Something in it is not allowed: a function or an Instance, text that is not UTF-8, a "
        "table with mixed keys, user ids on an ordered store, too many bytes. Every later save "
        "of that value fails too, and the next server loads the old one.",
    .evidence =
        "A write that failed with such an error, whatever its number; writes of a key in a "
        "row count together. The error names the box and not the field in it.",
    .fix = "Check values before saving, and alert on the first such error instead of retrying.",
    .source = "Error codes of the platform's documentation; field reports",
    .make = &MakeRule<ValueRefused>};

}  // namespace dstap::analyzer
