// Audits of captures written as text (tests/cases/README.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"

namespace dstap::test {

// The findings of all rules.
std::vector<analyzer::Finding> AuditOfBytes(std::string bytes, const std::string& name);

// The same of a capture written as text; fails the test when the text is wrong. Lines that begin
// with "expect" are not looked at.
std::vector<analyzer::Finding> AuditOfText(std::string_view text);

// Ids of the rules with a finding, each once a finding, in alphabetical order: "a b b".
std::string RulesOf(const std::vector<analyzer::Finding>& findings);

// One line a finding, for messages of tests.
std::string LinesOf(const std::vector<analyzer::Finding>& findings);

}  // namespace dstap::test
