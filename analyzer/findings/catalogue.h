// All rules of the audit.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/findings/rule.h"

namespace dstap::analyzer {

// In the order in which they are printed. docs/findings.md is made of this.
std::span<const RuleEntry* const> AllRules();

// Null: there is none of this id.
const RuleEntry* FindRule(std::string_view id);

}  // namespace dstap::analyzer
