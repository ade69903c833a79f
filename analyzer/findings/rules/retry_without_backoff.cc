#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kWaitMax = 30s;

// Limits: keeps nothing.
class RetryWithoutBackoff final : public Rule {
 public:
  using Rule::Rule;

  void OnChain(const FailureChain& chain) override {
    if (chain.tries < kTriesMin || chain.grows) return;
    const bool is_short = chain.longest <= kWaitMax && chain.shortest > FailureChain::kImmediate;
    // At most a quarter longer than the shortest: a cooldown and not a back-off.
    const bool is_constant = chain.longest * 4 <= chain.shortest * 5;
    if (!is_short || !is_constant) return;
    const bool succeeded = chain.end == FailureChain::End::kSucceeded;
    const uint64_t tries = chain.tries + (succeeded ? 1 : 0);
    Report({.source = chain.source,
            .step = host().StepAt(chain.step),
            .family = chain.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} within {}, {} of them failed ({}), with waits of {} to {} that do "
                "not grow",
                Count(tries, "try"), Seconds(chain.answered - chain.first), chain.tries,
                Percent(chain.tries, tries), Seconds(chain.shortest), Seconds(chain.longest)),
            .evidence = chain.evidence,
            .time = chain.first,
            .weight = static_cast<double>(chain.tries)});
  }

 private:
  static constexpr uint64_t kTriesMin = 5;
};

}  // namespace

constinit const RuleEntry kRetryWithoutBackoff = {
    .id = "retry-without-backoff",
    .severity = Severity::kWarning,
    .title = "Retries keep one pace, however often they fail",
    .meaning =
        "When the service is in trouble or the budget is gone, a constant pace keeps the load "
        "where it was.",
    .evidence =
        "At least 5 failed tries of one key in a row, with waits between 0.05 and 30 s of "
        "which the longest is at most a quarter longer than the shortest.",
    .fix = "Double the wait up to a cap, with some randomness.",
    .source = "Field reports of queues that repeat one request",
    .make = &MakeRule<RetryWithoutBackoff>};

}  // namespace dstap::analyzer
