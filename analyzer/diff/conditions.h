// Whether two recordings were made alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/views/overview.h"

namespace dstap::analyzer {

// Something that differs between the two sides, or that keeps one from being the whole truth, and
// what it can change by itself.
struct Condition {
  // kTimes: and counts that vary from sample to sample.
  enum class MayChange : uint8_t { kTimes, kCounts };

  std::string what;  // "rules", "seed", "option players".
  std::string before;
  std::string after;
  MayChange may_change = MayChange::kCounts;

  friend bool operator==(const Condition&, const Condition&) = default;
};

// Empty: nothing that a capture tells of how it was made is different. A side with several captures
// has the values of all of them. Library names and versions are not conditions: they are what is
// compared.
// "unfinished 1": what keeps a side from being the whole of its recording. Empty: nothing. Calls in
// flight and steps that failed or did not end are not among it: they are compared step by step.
std::string MissingOf(const Overview& overview);

std::vector<Condition> DifferingConditions(const Overview& before, const Overview& after);

}  // namespace dstap::analyzer
