#include "proxy/backend/simulator/rule_profile.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "proxy/backend/backend_table.h"
#include "proxy/backend/simulator/errors.h"

namespace dstap::proxy {
namespace {

using testing::HasSubstr;

RuleProfile Rules() { return *FindRuleProfile("2026"); }

TEST(RuleProfileTest, ThereAreThreeAndAnUnknownOneListsThem) {
  ASSERT_EQ(RuleProfiles().size(), 3U);
  EXPECT_EQ(RuleProfiles().back().name, kDefaultRuleProfile);
  const auto unknown = FindRuleProfile("2019");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().message(), "no rule profile \"2019\"; there are 2020, 2023, 2026");
}

TEST(RuleProfileTest, ARuleIsSetByName) {
  RuleProfile rules = Rules();
  ASSERT_TRUE(SetRule(rules, "queue_length", "10").ok());
  EXPECT_EQ(rules.queue_length, 10);
  ASSERT_TRUE(SetRule(rules, "ordered_write_per_player", "7").ok());
  EXPECT_EQ(rules.buckets[v1::REQUEST_TYPE_ORDERED_WRITE].limit.per_player, 7);
  ASSERT_TRUE(SetRule(rules, "experience_standard_list_base", "9").ok());
  EXPECT_EQ(rules.experience.standard_list.base, 9);
}

TEST(RuleProfileTest, StartLevelSetsReadsWritesAndRemovals) {
  RuleProfile rules = Rules();
  ASSERT_TRUE(SetRule(rules, "start_level", "60").ok());
  EXPECT_EQ(rules.buckets[v1::REQUEST_TYPE_STANDARD_READ].start_level, 60);
  EXPECT_EQ(rules.buckets[v1::REQUEST_TYPE_STANDARD_WRITE].start_level, 60);
  EXPECT_EQ(rules.buckets[v1::REQUEST_TYPE_STANDARD_REMOVE].start_level, 60);
  EXPECT_EQ(rules.buckets[v1::REQUEST_TYPE_ORDERED_READ].start_level, 120);
  RuleProfile old = *FindRuleProfile("2020");
  ASSERT_TRUE(SetRule(old, "start_level", "60").ok());
  EXPECT_EQ(old.buckets[v1::REQUEST_TYPE_GET_ASYNC].start_level, 60);
}

TEST(RuleProfileTest, AnUnknownRuleNamesNearOnes) {
  RuleProfile rules = Rules();
  EXPECT_EQ(SetRule(rules, "queue_lenght", "1").message(),
            "no rule \"queue_lenght\" in profile 2026; did you mean queue_length?");
  EXPECT_THAT(SetRule(rules, "cache", "1").message(), HasSubstr("cache_ms"));
  EXPECT_EQ(SetRule(rules, "wombat", "1").message(),
            "no rule \"wombat\" in profile 2026; docs/simulator.md lists them");
  // A bucket of another profile is not one here.
  EXPECT_FALSE(SetRule(rules, "get_async_base", "1").ok());
}

TEST(RuleProfileTest, ValuesAreWholeNumbersInTheRulesRange) {
  RuleProfile rules = Rules();
  EXPECT_EQ(SetRule(rules, "legacy_codes", "2").message(),
            "rule legacy_codes: \"2\" is not a whole number from 0 to 1");
  for (const char* bad : {"", "x", "1.5", "1 ", "0x10", "-1", "99999999999999999999"}) {
    EXPECT_FALSE(SetRule(rules, "queue_length", bad).ok()) << bad;
  }
  EXPECT_EQ(rules.queue_length, 30);
}

TEST(RuleProfileTest, RulesThatExcludeEachOtherAreRefused) {
  const auto refusal = [](std::vector<std::pair<std::string, std::string>> given) {
    BackendOptions options;
    options.rules = std::move(given);
    const auto backend = MakeBackend("simulator", options);
    return backend.ok() ? "" : backend.status().message();
  };
  EXPECT_EQ(refusal({{"write_low_us", "300000"}, {"write_high_us", "300000"}}), "");
  EXPECT_EQ(
      refusal({{"write_low_us", "300001"}, {"write_high_us", "300000"}}),
      "rules write_low_us=300001 and write_high_us=300000: never faster than 300001 and never "
      "slower than 300000 exclude each other");
  EXPECT_THAT(refusal({{"list_high_us", "100"}}), HasSubstr("list_low_us=50000"));
  EXPECT_EQ(refusal({{"queue_length", "5"}, {"queue_length", "5"}}), "");
  EXPECT_EQ(refusal({{"queue_length", "5"}, {"queue_length", "6"}}),
            "rule queue_length is given twice: 5 and 6");
}

TEST(RuleProfileTest, EveryRuleCanBeSetToItsOwnValue) {
  for (const RuleProfile& profile : RuleProfiles()) {
    std::set<std::string> names;
    for (const NamedRule& rule : ListRules(profile)) {
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name << " twice";
      EXPECT_FALSE(rule.summary.empty()) << rule.name;
      RuleProfile copy = profile;
      const Status status = SetRule(copy, rule.name, std::to_string(rule.value));
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
}

// ---------------------------------------------------------------- the manual

std::string Manual() {
  std::ifstream file(DSTAP_SOURCE_DIR "/docs/simulator.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Rules that stand in one row of the manual under the part of the name they share.
const std::vector<std::vector<std::string>> kRowsOfSeveral = {
    {"_base", "_per_player", "_start", "_queue"},
    {"_base", "_per_player"},
    {"_median_us", "_low_us", "_high_us", "_sigma_permille"}};

// "| `standard_read` | 60 | 40 | 120 |", or nothing when the rule has a row of its own or is part
// of the row of an earlier one.
std::string SharedRow(const std::map<std::string, int64_t>& rules, const std::string& name) {
  for (const auto& suffixes : kRowsOfSeveral) {
    if (!name.ends_with(suffixes[0])) continue;
    const std::string stem = name.substr(0, name.size() - suffixes[0].size());
    std::string row = "| `" + stem + "` |";
    bool all = true;
    for (const std::string& suffix : suffixes) {
      const auto rule = rules.find(stem + suffix);
      all = all && rule != rules.end();
      if (all) row += " " + std::to_string(rule->second) + " |";
    }
    if (all) return row;
  }
  return "";
}

bool IsPartOfARow(const std::string& name) {
  for (const auto& suffixes : kRowsOfSeveral) {
    for (size_t i = 1; i < suffixes.size(); ++i) {
      if (name.ends_with(suffixes[i])) return true;
    }
  }
  return false;
}

std::map<std::string, int64_t> ValuesOf(const RuleProfile& profile) {
  std::map<std::string, int64_t> values;
  for (const NamedRule& rule : ListRules(profile)) values[rule.name] = rule.value;
  return values;
}

TEST(RuleProfileTest, TheManualHasEachRuleWithItsValueInEveryProfile) {
  const std::string manual = Manual();
  const auto of2026 = ValuesOf(*FindRuleProfile("2026"));
  const auto of2023 = ValuesOf(*FindRuleProfile("2023"));
  const auto of2020 = ValuesOf(*FindRuleProfile("2020"));
  int rows = 0;
  for (const auto* rules : {&of2026, &of2023}) {
    for (const auto& [name, value] : *rules) {
      std::string row = SharedRow(*rules, name);
      if (row.empty()) {
        if (IsPartOfARow(name)) continue;
        row = "| `" + name + "` | " + std::to_string(of2026.at(name)) + " | " +
              std::to_string(of2023.at(name)) + " | " + std::to_string(of2020.at(name)) + " |";
      } else if (rules == &of2023 && name.starts_with("experience_")) {
        continue;  // The manual says in words that there were none.
      }
      EXPECT_THAT(manual, HasSubstr(row));
      ++rows;
    }
  }
  EXPECT_GT(rows, 50);
}

TEST(RuleProfileTest, TheManualHasEachErrorWithItsMark) {
  const std::string manual = Manual();
  for (const ErrorRow& error : ErrorTable()) {
    EXPECT_THAT(manual, HasSubstr(" | `" + std::string(error.text) + "` | " + error.mark + " |"));
  }
}

}  // namespace
}  // namespace dstap::proxy
