#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: keeps nothing.
class RetryWithoutDelay final : public Rule {
 public:
  using Rule::Rule;

  void OnChain(const FailureChain& chain) override {
    if (chain.immediate < kRetriesMin) return;
    const bool succeeded = chain.end == FailureChain::End::kSucceeded;
    const uint64_t tries = chain.tries + (succeeded ? 1 : 0);
    Report({.source = chain.source,
            .step = host().StepAt(chain.step),
            .family = chain.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} within {}, {} of them failed ({}); {} followed a failure within "
                "{}",
                Count(tries, "try"), Seconds(chain.answered - chain.first), chain.tries,
                Percent(chain.tries, tries), chain.immediate, Seconds(FailureChain::kImmediate)),
            .evidence = chain.evidence,
            .time = chain.first,
            .weight = static_cast<double>(chain.immediate)});
  }

 private:
  static constexpr uint64_t kRetriesMin = 3;
};

}  // namespace

constinit const RuleEntry kRetryWithoutDelay = {
    .id = "retry-without-delay",
    .severity = Severity::kError,
    .title = "Failed requests are repeated at once",
    .meaning =
        "While a budget is empty each of these tries fails like the one before. One request "
        "that waits in the queue is as fast, and the others could use what it does not.",
    .evidence =
        "At least 3 tries of one key, each at most 0.05 s after the answer to one that "
        "failed.",
    .fix = "Wait before each retry, longer each time and with some randomness: 1, 2, 4, 8 s.",
    .source = "Measurements of loads behind a used-up budget",
    .make = &MakeRule<RetryWithoutDelay>};

}  // namespace dstap::analyzer
