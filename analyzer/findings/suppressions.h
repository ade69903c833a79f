// Findings that somebody has looked at and accepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"
#include "proto/base/status.h"
#include "proto/filter/glob.h"

namespace dstap::analyzer {

inline constexpr size_t kSuppressionsMax = 10'000;
inline constexpr size_t kSuppressionBytesMax = size_t{1} << 20;

// One [[suppress]] table: a rule, a reason, and patterns for what the finding is about. A pattern
// that is not there fits everything.
struct Suppression {
  std::string rule;
  std::string reason;
  std::optional<filter::Glob> file;
  std::optional<filter::Glob> source;  // Its name.
  std::optional<filter::Glob> step;
  std::optional<filter::Glob> store;
  std::optional<filter::Glob> keys;
  size_t line = 0;
  uint64_t used = 0;

  bool Accepts(const Finding& finding) const;
};

// Errors: kUsage, "NAME:LINE: what is wrong", for TOML that is none, for words that mean nothing
//         here, for a rule that there is not, and for a table without a reason.
Result<std::vector<Suppression>> ParseSuppressions(std::string_view toml, std::string_view name);

// Marks the findings that are accepted, and counts what was used.
void Apply(std::vector<Suppression>& suppressions, std::vector<Finding>& findings);

}  // namespace dstap::analyzer
