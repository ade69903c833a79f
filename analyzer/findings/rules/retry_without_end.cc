#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kTriesToTheEnd = 10;
constexpr uint64_t kTriesMax = 30;

// Limits: keeps nothing.
class RetryWithoutEnd final : public Rule {
 public:
  using Rule::Rule;

  void OnChain(const FailureChain& chain) override {
    const bool goes_on = chain.end == FailureChain::End::kOpen && chain.tries >= kTriesToTheEnd;
    const bool is_long = chain.end == FailureChain::End::kGaveUp && chain.tries >= kTriesMax;
    if (!goes_on && !is_long) return;
    Report(
        {.source = chain.source,
         .step = host().StepAt(chain.step),
         .family = chain.family,
         .confidence = goes_on ? Confidence::kInferred : Confidence::kObserved,
         .severity = std::nullopt,
         .text = fmt::format("{} in {}, all failed{}; no try gave up{}", Count(chain.tries, "try"),
                             Seconds(chain.answered - chain.first),
                             chain.grows ? "" : fmt::format(", {} apart", Seconds(chain.longest)),
                             goes_on ? " before the recording ended" : " before these"),
         .evidence = chain.evidence,
         .time = chain.first,
         .weight = static_cast<double>(chain.tries)});
  }
};

}  // namespace

constinit const RuleEntry kRetryWithoutEnd = {
    .id = "retry-without-end",
    .severity = Severity::kWarning,
    .title = "A failing request is repeated without a limit",
    .meaning = "What waits for it never goes on, and code for the case that it failed never runs.",
    .evidence =
        "At least 10 failed tries in a row and still at it when the recording ended, or at "
        "least 30 that did not succeed.",
    .fix = "Give up after a stated number of tries or time, and tell the caller.",
    .source = "Field reports of queues that repeat one request",
    .make = &MakeRule<RetryWithoutEnd>};

}  // namespace dstap::analyzer
