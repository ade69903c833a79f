// Every rule over every case of tests/cases: what is expected is found, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzer/findings/catalogue.h"
#include "analyzer/findings/rule.h"
#include "tests/analyzer/findings_support.h"
#include "tests/support/case_text.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(DSTAP_SOURCE_DIR) / "tests/cases")) {
    if (entry.path().extension() == ".case") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

bool IsExpected(const Finding& finding, const test::ExpectedFinding& expected) {
  return finding.rule->id == expected.rule &&
         std::ranges::all_of(expected.words, [&finding](const std::string& word) {
           return finding.text.find(word) != std::string::npos || finding.step == word ||
                  finding.store == word;
         });
}

class CaseTest : public testing::TestWithParam<std::string> {};

TEST_P(CaseTest, HasTheFindingsThatItExpectsAndNoOther) {
  const std::string file = GetParam() + ".case";
  const auto parsed =
      test::ParseCase(ReadFile(fs::path(DSTAP_SOURCE_DIR) / "tests/cases" / file), file);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_TRUE(parsed->title.starts_with(GetParam() + " ")) << parsed->title;
  std::vector<Finding> findings = test::AuditOfBytes(parsed->bytes, file);
  const std::string all = test::LinesOf(findings);
  for (const test::ExpectedFinding& expected : parsed->expected) {
    EXPECT_NE(FindRule(expected.rule), nullptr) << file << ":" << expected.line;
    const auto found = std::ranges::find_if(
        findings, [&expected](const Finding& each) { return IsExpected(each, expected); });
    if (found == findings.end()) {
      ADD_FAILURE() << file << ":" << expected.line << ": not found; these are:\n" << all;
      continue;
    }
    findings.erase(found);
  }
  EXPECT_EQ(test::LinesOf(findings), "") << file << ": not expected";
}

INSTANTIATE_TEST_SUITE_P(All, CaseTest, testing::ValuesIn(CaseNames()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace dstap::analyzer
