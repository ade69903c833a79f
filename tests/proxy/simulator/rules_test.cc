// The audit: rules.txt has every marked rule of the service's description with the test that holds
// it, unknowns.txt everything that nobody knows with the rule that sets it.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotSimulated = "not simulated: ";

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Rows of "a | b | c"; '#' begins a comment line.
std::vector<std::vector<std::string>> Rows(const std::string& name) {
  std::stringstream text(TextOf(DSTAP_SOURCE_DIR "/tests/proxy/simulator/" + name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> columns;
    for (size_t at = 0; at != std::string::npos;) {
      const size_t bar = line.find(" | ", at);
      columns.push_back(line.substr(at, bar == std::string::npos ? bar : bar - at));
      at = bar == std::string::npos ? bar : bar + 3;
    }
    rows.push_back(std::move(columns));
  }
  return rows;
}

// "Suite.Name" as its source has it, or "lab: title" of one of the lab's tests.
bool TestExists(const std::string& test) {
  static const std::string cpp = [] {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(DSTAP_SOURCE_DIR "/tests")) {
      if (entry.path().extension() == ".cc") all += TextOf(entry.path());
    }
    return all;
  }();
  static const std::string lab = [] {
    std::string all;
    for (const auto& entry : fs::directory_iterator(DSTAP_SOURCE_DIR "/proxy/lab/test")) {
      if (entry.path().extension() == ".mjs") all += TextOf(entry.path());
    }
    return all;
  }();
  constexpr std::string_view kLab = "lab: ";
  if (test.starts_with(kLab)) {
    return lab.find("test('" + test.substr(kLab.size()) + "'") != std::string::npos;
  }
  const size_t dot = test.find('.');
  if (dot == std::string::npos) return false;
  const std::string call = "(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")";
  for (const char* macro : {"TEST", "TEST_F", "TEST_P"}) {
    if (cpp.find(macro + call) != std::string::npos) return true;
  }
  return false;
}

TEST(RulesTest, EveryRuleHasATest) {
  std::set<std::string> ids, sections;
  for (const std::vector<std::string>& row : Rows("rules.txt")) {
    ASSERT_EQ(row.size(), 4U) << testing::PrintToString(row);
    const auto& [id, mark, summary, held] = std::tie(row[0], row[1], row[2], row[3]);
    EXPECT_TRUE(ids.insert(id).second) << id << " twice";
    sections.insert(id.substr(0, id.find('-')));
    EXPECT_EQ(mark.find_first_not_of("DOIU"), std::string::npos) << id;
    EXPECT_FALSE(mark.empty()) << id;
    EXPECT_GT(summary.size(), 8U) << id;
    if (held.starts_with(kNotSimulated)) {
      EXPECT_GT(held.size(), kNotSimulated.size() + 10) << id << ": say why";
    } else {
      EXPECT_TRUE(TestExists(held)) << id << ": no test \"" << held << "\"";
    }
  }
  for (const char* section :
       {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "2.1", "2.2", "2.3", "3.1", "3.2",
        "3.3", "3.4", "3.5", "3.6", "3.7", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8",
        "5",   "6.1", "6.2", "6.3", "6.4", "6.5", "7.1", "7.2", "7.3", "8",   "12.4"}) {
    EXPECT_TRUE(sections.contains(section)) << section;
  }
}

TEST(RulesTest, ATestThatIsNotThereIsFound) {
  EXPECT_TRUE(TestExists("RulesTest.EveryRuleHasATest"));
  EXPECT_FALSE(TestExists("RulesTest.NothingLikeIt"));
  EXPECT_FALSE(TestExists("lab: nothing like it"));
  EXPECT_FALSE(TestExists("EveryRuleHasATest"));
}

TEST(RulesTest, EveryUnknownIsARuleWithTheDefaultGivenForIt) {
  std::map<std::string, int64_t> rules;
  for (const NamedRule& rule : ListRules(*FindRuleProfile(kDefaultRuleProfile))) {
    rules[rule.name] = rule.value;
  }
  std::set<std::string> numbers;
  for (const std::vector<std::string>& row : Rows("unknowns.txt")) {
    ASSERT_EQ(row.size(), 3U) << testing::PrintToString(row);
    EXPECT_TRUE(numbers.insert(row[0]).second) << row[0] << " twice";
    if (row[2].starts_with(kNotSimulated)) continue;
    std::stringstream settings(row[2]);
    for (std::string setting; settings >> setting;) {
      const size_t equals = setting.find('=');
      ASSERT_NE(equals, std::string::npos) << row[0] << ": " << setting;
      const auto rule = rules.find(setting.substr(0, equals));
      ASSERT_NE(rule, rules.end()) << row[0] << ": no rule " << setting;
      EXPECT_EQ(std::to_string(rule->second), setting.substr(equals + 1)) << rule->first;
    }
  }
  for (int number = 1; number <= 27; ++number) {
    EXPECT_TRUE(numbers.contains(std::to_string(number))) << number;
  }
}

}  // namespace
}  // namespace dstap::proxy
