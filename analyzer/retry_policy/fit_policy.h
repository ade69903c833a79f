// Infers the policy behind the waits of some chains. docs/retries.md says how.
#pragma once

#include <span>

#include "analyzer/retry_policy/policy.h"

namespace dstap::analyzer {

// Gaps that one fit takes; more say no more. Those of a chain's further places are left out.
inline constexpr size_t kGapsFittedMax = 512;
inline constexpr uint32_t kPlaceFittedMax = 64;

// Of all descriptions of the gaps the shortest one is taken: its parameters count by their digits,
// and each gap by what the description leaves open, in frames of 1/60 s.
//
// Errors: none; too few gaps give a policy of low confidence.
// Limits: the first kGapsFittedMax gaps; time and memory are bounded by that.
Policy FitPolicy(std::span<const Gap> gaps);

}  // namespace dstap::analyzer
