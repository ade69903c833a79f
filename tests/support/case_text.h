// Captures in a few lines of text, for tests of what reads captures: tests/cases/README.md
// describes the form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/status.h"

namespace dstap::test {

// A line "expect RULE "words"": a finding of this rule whose sentence has these words.
struct ExpectedFinding {
  std::string rule;
  std::vector<std::string> words;
  size_t line = 0;
};

struct CaseText {
  std::string title;                      // The first comment line.
  std::vector<ExpectedFinding> expected;  // In the order of the text.
  std::vector<std::string> unseen;        // What the case is about and no capture shows, and why.
  std::string bytes;                      // The capture.
};

// Errors: kUsage, "NAME:LINE: what is wrong".
Result<CaseText> ParseCase(std::string_view text, std::string_view name);

}  // namespace dstap::test
