// Each rule by itself: tests/cases/rules/ID.cases holds captures in which it speaks at its limit
// ("fires"), does not speak just past it ("boundary"), and has nothing to say ("quiet").
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "analyzer/findings/audit.h"
#include "analyzer/findings/catalogue.h"
#include "analyzer/findings/error_class.h"
#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/slot_table.h"
#include "analyzer/timeline/key_family.h"
#include "tests/analyzer/findings_support.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct Snippet {
  std::string kind;
  std::string words;
  std::string text;
};

std::vector<Snippet> SnippetsOf(const std::string& rule) {
  std::vector<Snippet> snippets;
  std::ifstream in(fs::path(DSTAP_SOURCE_DIR) / "tests/cases/rules" / (rule + ".cases"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) {
      const size_t colon = line.find(':');
      snippets.push_back({.kind = line.substr(4, colon - 4), .words = line.substr(colon + 2)});
    } else if (!snippets.empty()) {
      snippets.back().text += line + "\n";
    }
  }
  return snippets;
}

std::vector<std::string> RuleIds() {
  std::vector<std::string> ids;
  for (const RuleEntry* rule : AllRules()) ids.emplace_back(rule->id);
  return ids;
}

class RuleTest : public testing::TestWithParam<std::string> {};

TEST_P(RuleTest, SpeaksAtItsLimitAndNotPastIt) {
  std::map<std::string, size_t> kinds;
  for (const Snippet& snippet : SnippetsOf(GetParam())) {
    SCOPED_TRACE(snippet.kind + ": " + snippet.words);
    ++kinds[snippet.kind];
    const std::vector<Finding> findings = test::AuditOfText(snippet.text);
    const bool speaks = std::ranges::any_of(
        findings, [](const Finding& finding) { return finding.rule->id == GetParam(); });
    EXPECT_EQ(speaks, snippet.kind == "fires") << test::LinesOf(findings);
  }
  EXPECT_GE(kinds["fires"], 1U);
  EXPECT_GE(kinds["boundary"], 1U);
  EXPECT_GE(kinds["quiet"], 1U);
  EXPECT_EQ(kinds.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest, testing::ValuesIn(RuleIds()), [](const auto& tested) {
  std::string name = tested.param;
  std::erase(name, '-');
  return name;
});

TEST(CatalogueTest, EveryRuleSaysAllThatItMust) {
  std::set<std::string_view> ids;
  for (const RuleEntry* rule : AllRules()) {
    SCOPED_TRACE(rule->id);
    EXPECT_TRUE(ids.insert(rule->id).second);
    for (const std::string_view text : {rule->meaning, rule->evidence, rule->fix}) {
      EXPECT_TRUE(text.ends_with('.')) << text;
    }
    for (const std::string_view text : {rule->title, rule->source}) {
      EXPECT_FALSE(text.empty() || text.ends_with('.')) << text;
    }
    EXPECT_LE(rule->title.size(), 80U);
    EXPECT_EQ(FindRule(rule->id), rule);
  }
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
}

TEST(FamilyTest, IdsAreNumbersAndUuids) {
  EXPECT_EQ(FamilyOf("player_17_product_3"), "player_#_product_#");
  EXPECT_EQ(FamilyOf("Session_0b9e3c5a-1f2d-4e6f-8a7b-9c0d1e2f3a4b!"), "Session_#!");
  EXPECT_EQ(FamilyOf("0b9e3c5a-1f2d-4e6f-8a7b-9c0d1e2f3a4"), "#b#e#c#a-#f#d-#e#f-#a#b-#c#d#e#f#a#");
  EXPECT_EQ(FamilyOf(""), "");
  EXPECT_EQ(IdsIn("player_17_product_3"), 2U);
  EXPECT_EQ(FamilyOf(std::string(kFamilyBytesMax, 'x')), std::string(kFamilyBytesMax, 'x'));
  EXPECT_EQ(FamilyOf(std::string(kFamilyBytesMax + 1, 'x')),
            std::string(kFamilyBytesMax, 'x') + "...");
}

TEST(SlotTableTest, ForgetsWhatWasNotSeenForLongest) {
  SlotTable<TextName> table(2);
  EXPECT_EQ(table.Of("a").slot, 0U);
  EXPECT_EQ(table.Of("b").slot, 1U);
  EXPECT_FALSE(table.Of("a").is_new);
  const auto c = table.Of("c");
  EXPECT_EQ(c.slot, 1U);
  EXPECT_TRUE(c.is_new && c.is_reused);
  EXPECT_FALSE(table.Find("b").has_value());
  EXPECT_EQ(table.Find("a"), 0U);
  EXPECT_EQ(table.size(), 2U);
}

TEST(RateWindowTest, CountsSixtySecondsAndForgets) {
  RateWindow window;
  window.Add(0s, 1);
  window.Add(59s, 2);
  EXPECT_EQ(window.total(), 3U);
  EXPECT_TRUE(window.IsFull());
  window.Add(60s, 4);
  EXPECT_EQ(window.total(), 6U);
  EXPECT_EQ(window.busy(), 2U);
  window.Add(0s, 8);  // Too late to count.
  EXPECT_EQ(window.total(), 6U);
  window.Add(1000s, 1);
  EXPECT_EQ(window.total(), 1U);
}

ErrorClass ClassOfText(std::string_view text, Outcome outcome = Outcome::kFailed) {
  Call call;
  call.outcome = outcome;
  call.error_text = text;
  return ClassOf(call);
}

TEST(ErrorClassTest, TheTextDecidesAndNotTheNumber) {
  const std::string front = "502: API Services rejected request with error. ";
  EXPECT_EQ(ClassOfText(front + "HTTP 403 (Forbidden)"), ErrorClass::kAccess);
  EXPECT_EQ(ClassOfText(front + "HTTP 400 (Bad Request)"), ErrorClass::kValue);
  EXPECT_EQ(ClassOfText(front + "HTTP 500 (Internal Server Error)"), ErrorClass::kService);
  EXPECT_EQ(ClassOfText(front + "Error code: 8 Reason: something new"), ErrorClass::kKeyThrottled);
  EXPECT_EQ(ClassOfText(front + "Error code: 24 Reason: Key value is not numeric."),
            ErrorClass::kValue);
  EXPECT_EQ(ClassOfText("KeyThrottled: The request rate exceeds the allowed maximum for the key."),
            ErrorClass::kKeyThrottled);
  EXPECT_EQ(ClassOfText("Cannot convert mixed or non-array tables: keys must be strings"),
            ErrorClass::kValue);
  EXPECT_EQ(ClassOfText("StandardWriteExperienceThrottled: ..."), ErrorClass::kExperienceThrottled);
  EXPECT_EQ(ClassOfText("502"), ErrorClass::kOther);
  EXPECT_EQ(ClassOfText("", Outcome::kDropped), ErrorClass::kServerThrottled);
  EXPECT_EQ(ClassOfText("HTTP 403", Outcome::kOk), ErrorClass::kNone);
}

TEST(AuditTest, WhatIsInOneFamilyIsOneFindingWithTheWorstSentence) {
  const auto findings = test::AuditOfText(
      "server S1\n"
      "S1 0 x3 +1 Set P/u1 wrote=a -> ok\n"
      "S1 5 x5 +1 Set P/u2 wrote=b -> ok\n"
      "S1 20 x2 +1 Set P/u3 wrote=c -> ok\n"
      "30 end\n");
  ASSERT_EQ(test::RulesOf(findings), "redundant-write");
  EXPECT_EQ(findings[0].occurrences, 3U);
  EXPECT_EQ(findings[0].keys, "u#");
  EXPECT_EQ(findings[0].first, Time(0));
  EXPECT_TRUE(findings[0].text.starts_with("5 writes of one key within 4 s")) << findings[0].text;
  const auto calls = findings[0].evidence.calls();
  EXPECT_EQ(std::vector(calls.begin(), calls.end()), (std::vector<uint64_t>{4, 5, 6, 7, 8}));
}

TEST(AuditTest, RecordingsAreLookedAtApart) {
  const auto findings = test::AuditOfText(
      "server S1\nS1 0 Set P/u1 wrote=a -> ok\n1 end\n"
      "recording\nserver S1\nS1 0 Set P/u1 wrote=a -> ok\n1 end\n");
  EXPECT_EQ(test::LinesOf(findings), "");
}

TEST(AuditTest, TheSameTroubleHasTheSameFingerprint) {
  const auto trouble = [](std::string_view key, std::string_view store) {
    return test::AuditOfText("server S1\nS1 0 x2 +1 Set " + std::string(store) + "/" +
                             std::string(key) + " wrote=a -> ok\n9 end\n")
        .at(0)
        .Fingerprint();
  };
  EXPECT_EQ(trouble("u1", "P"), trouble("u77", "P"));
  EXPECT_NE(trouble("u1", "P"), trouble("u1", "Q"));
  EXPECT_EQ(trouble("u1", "P").size(), 16U);
}

// More keys than are followed at once: each is forgotten, and what was found of it is not.
TEST(AuditTest, KeysThatAreForgottenHaveHadTheirSay) {
  const auto findings = test::AuditOfText(
      "server S1\n"
      "S1 0 x2 +1 Set P/u0 wrote=a -> ok\n"
      "S1 10 x17000 +0.1 Set P/u{i} wrote=a{i} -> ok\n"
      "S1 1800 Set P/u0 wrote=a -> ok\n"
      "1801 end\n");
  const auto found = std::ranges::find(findings, std::string_view("redundant-write"),
                                       [](const Finding& each) { return each.rule->id; });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->occurrences, 1U);
  EXPECT_TRUE(found->text.starts_with("2 writes")) << found->text;
}

}  // namespace
}  // namespace dstap::analyzer
