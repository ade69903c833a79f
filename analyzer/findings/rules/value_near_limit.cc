#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kValueBytesMax = 4'194'304;
constexpr uint64_t kWorthAWord = (kValueBytesMax * 4 + 4) / 5;

// Limits: the first size of each key.
class ValueNearLimit final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes || !seen.call.written) return;
    const uint64_t bytes = seen.call.written->bytes;
    Size& size = sizes_[seen.key];
    if (size.first == 0) size = {bytes, seen.issued()};
    if (bytes < kWorthAWord) return;
    Evidence evidence;
    evidence.Add(seen.call.id);
    std::string text = fmt::format("a value of {} is {} of the limit of {}", Bytes(bytes),
                                   Percent(bytes, kValueBytesMax), Bytes(kValueBytesMax));
    if (bytes > size.first) {
      text += fmt::format("; it was {} {} before", Bytes(size.first),
                          Seconds(seen.issued() - size.time));
    }
    Report({.source = seen.call.source,
            .step = StepName(seen.step),
            .family = seen.family,
            .confidence = Confidence::kObserved,
            .severity = bytes > kValueBytesMax ? std::optional(Severity::kError) : std::nullopt,
            .text = std::move(text),
            .evidence = std::move(evidence),
            .time = seen.issued(),
            .weight = static_cast<double>(bytes)});
  }
  void ForgetKey(size_t key) override { sizes_.Forget(key); }

 private:
  struct Size {
    uint64_t first = 0;
    Time time{};
  };
  Slots<Size> sizes_;
};

}  // namespace

constinit const RuleEntry kValueNearLimit = {
    .id = "value-near-limit",
    .severity = Severity::kWarning,
    .title = "A value is almost as large as a value may be",
    .meaning = "Once it is past the limit no save of it works any more.",
    .evidence = "A write of at least 80 % of 4,194,304 bytes of JSON; an error above it.",
    .fix = "Split the value into several keys before it stops saving.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<ValueNearLimit>};

}  // namespace dstap::analyzer
