// From what a user writes to rules: `--fault` and TOML plans say the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/backend/faults/fault_rule.h"

namespace dstap::proxy {

inline constexpr size_t kFaultPlanBytesMax = size_t{1} << 20;

// One word of a rule, wherever it was written.
struct FaultWord {
  std::string name;
  std::optional<std::string> value;  // Absent: the name alone ("drop"), or `drop = true`.
  std::string where;                 // "plan.toml:3".
};

// Errors:  kUsage, one line: where, the word, what is wrong with it.

// The one place that knows what words mean. `where` is the rule's own.
Result<FaultRule> MakeFaultRule(const std::vector<FaultWord>& words, std::string text,
                                std::string where);

// `error=InternalServerError method=UpdateAsync key=Player_* count=2`: words between spaces. A
// value with spaces stands in double quotes, in which \" and \\ are " and \.
Result<FaultRule> ParseFaultRule(std::string_view text);

// [[fault]] tables with the same words as keys. `name` is the file's, for messages.
Result<FaultPlan> ParseFaultPlan(std::string_view toml, std::string_view name);

}  // namespace dstap::proxy
