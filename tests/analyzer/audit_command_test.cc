#include "analyzer/commands/audit_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyzer/findings/catalogue.h"
#include "tests/support/capture_command.h"
#include "tests/support/case_text.h"

namespace dstap::analyzer {
namespace {

using nlohmann::json;
using test::CommandResult;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kRedundant =
    "server S1\nS1 0 x2 +1 Set PlayerData/u1 wrote=a -> ok\n3 end\n";
// An error, a warning and a note.
constexpr std::string_view kThree =
    "server \"S\\x1b[1m1\"\n"
    "S\x1b[1m1 0 x2 +5 Set PlayerData/u1 wrote=a -> ok\n"
    "S\x1b[1m1 10 Set Boards/p1 wrote=b:4000000 -> ok\n"
    "S\x1b[1m1 20 Get P/u1 -> ok 1s\n"
    "S\x1b[1m1 20.5 Set P/u1 -> ok\n"
    "30 end\n";

class AuditCommandTest : public testing::Test {
 protected:
  AuditCommandTest()
      : folder_(std::string("audit-") +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  std::string File(const std::string& name, std::string_view text) {
    const auto parsed = test::ParseCase(text, name);
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    return folder_.File(name, parsed.ok() ? parsed->bytes : "");
  }
  CommandResult Audit(std::vector<std::string> arguments) {
    return test::RunCommand<AuditCommand>(std::move(arguments));
  }

  test::TemporaryFolder folder_;
};

TEST_F(AuditCommandTest, SaysWhatWasSeenWhereAndOnWhatItRests) {
  const CommandResult result = Audit({File("a.dstap", kRedundant)});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_EQ(
      result.out,
      fmt::format("dstap audit: 0 errors, 0 warnings, 1 note; 1 capture, 2 calls, {} rules\n",
                  AllRules().size()) +
          "\n"
          "note: A value is written again unchanged (redundant-write)\n"
          "  where              what was seen\n"
          "  S1, PlayerData/u#  2 writes of one key within 1 s, 1 of them with the value that was "
          "already there\n"
          "                     (same hash)\n"
          "                     observed; at 0 s; calls 1, 2\n"
          "  Fix: Remember that nothing changed since the last save, and skip the write; return "
          "nil "
          "from the\n"
          "  transform.\n");
}

TEST_F(AuditCommandTest, FailsFromTheLevelThatItIsAskedFor) {
  const std::string note = File("note.dstap", kRedundant);
  const std::string three = File("three.dstap", kThree);
  EXPECT_EQ(Audit({note, "--fail-on", "note"}).status, 1);
  EXPECT_EQ(Audit({note, "--fail-on", "warning"}).status, 0);
  EXPECT_EQ(Audit({three, "--fail-on", "error"}).status, 1);
  EXPECT_EQ(Audit({three, "--fail-on", "error", "--ignore", "save-before-load"}).status, 0);
  EXPECT_EQ(Audit({three, "--fail-on", "warning", "--ignore", "save-before-load"}).status, 1);
  EXPECT_EQ(Audit({three}).status, 0);
  EXPECT_EQ(Audit({three, "--fail-on", "never"}).status, 2);
}

TEST_F(AuditCommandTest, RulesAreChosenAndLeftOut) {
  const std::string three = File("three.dstap", kThree);
  const auto counts = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {three, "--format", "json"});
    return json::parse(Audit(more).out)["findings"].size();
  };
  EXPECT_EQ(counts({}), 3U);
  EXPECT_EQ(counts({"--rule", "value-near-limit"}), 1U);
  EXPECT_EQ(counts({"--rule", "value-near-limit", "--rule", "redundant-write"}), 2U);
  EXPECT_EQ(counts({"--ignore", "value-near-limit"}), 2U);
  const CommandResult none =
      Audit({three, "--rule", "value-near-limit", "--ignore", "value-near-limit"});
  EXPECT_EQ(none.status, 2);
  const CommandResult wrong = Audit({three, "--rule", "redundant-writes"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.notes,
              HasSubstr("\"redundant-writes\" is no rule; did you mean redundant-write?"));
}

TEST_F(AuditCommandTest, ListPrintsTheCatalogueAndNeedsNoCapture) {
  const CommandResult result = Audit({"--list"});
  EXPECT_EQ(result.status, 0);
  for (const RuleEntry* rule : AllRules()) {
    EXPECT_THAT(result.out, HasSubstr(std::string(rule->id) + " "));
    EXPECT_THAT(result.out, HasSubstr(std::string(rule->title) + "\n"));
  }
  EXPECT_EQ(Audit({}).status, 2);
}

TEST_F(AuditCommandTest, AcceptedFindingsAreShownWithTheirReasonAndDoNotCount) {
  const std::string file = File("a.dstap", kRedundant);
  const std::string accepted =
      folder_.File("accepted.toml",
                   "[[suppress]]\nrule = \"redundant-write\"\nstore = \"Player*\"\n"
                   "reason = \"saves twice on purpose\"\n");
  const CommandResult result = Audit({file, "--suppressions", accepted, "--fail-on", "note"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_THAT(result.out, HasSubstr("0 notes"));
  EXPECT_THAT(result.out, HasSubstr("Accepted\n"));
  EXPECT_THAT(result.out, HasSubstr("saves twice on purpose"));
  const json sarif =
      json::parse(Audit({file, "--suppressions", accepted, "--format", "sarif"}).out);
  EXPECT_EQ(sarif["runs"][0]["results"][0]["suppressions"][0]["justification"],
            "saves twice on purpose");
}

TEST_F(AuditCommandTest, ASuppressionThatFitsNothingIsMentioned) {
  const std::string file = File("a.dstap", kRedundant);
  const std::string unused =
      folder_.File("unused.toml",
                   "[[suppress]]\nrule = \"redundant-write\"\nreason = \"x\"\n\n"
                   "[[suppress]]\nrule = \"redundant-write\"\nkeys = \"p*\"\nreason = \"x\"\n\n"
                   "[[suppress]]\nrule = \"long-queue\"\nreason = \"x\"\n");
  EXPECT_EQ(Audit({file, "--suppressions", unused}).notes,
            "dstap audit: " + unused +
                ":5: accepts no finding; remove it\n"
                "dstap audit: " +
                unused + ":10: accepts no finding; remove it\n");
  // A rule that was not applied could not have found anything.
  EXPECT_EQ(Audit({file, "--suppressions", unused, "--ignore", "long-queue"}).notes,
            "dstap audit: " + unused + ":5: accepts no finding; remove it\n");
}

TEST_F(AuditCommandTest, ASuppressionsFileThatIsWrongIsRefusedWithItsLine) {
  const std::string file = File("a.dstap", kRedundant);
  const auto refused = [&](std::string_view toml) {
    const CommandResult result = Audit({file, "--suppressions", folder_.File("s.toml", toml)});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    return result.notes.substr(result.notes.find("s.toml:"));
  };
  EXPECT_EQ(refused("\n[[suppress]]\nrule = \"long-queue\"\n"),
            "s.toml:2: a reason is missing; write reason = \"why it is accepted\"\n");
  EXPECT_EQ(refused("[[suppress]]\nrule = \"long-queue\"\nreason = \" \"\n"),
            "s.toml:1: a reason is missing; write reason = \"why it is accepted\"\n");
  EXPECT_EQ(refused("[[suppress]]\nreason = \"x\"\n"),
            "s.toml:1: a rule is missing; write rule = \"redundant-write\"\n");
  EXPECT_EQ(refused("[[suppress]]\nrule = \"long-que\"\nreason = \"x\"\n"),
            "s.toml:1: \"long-que\" is no rule; did you mean long-queue?\n");
  EXPECT_EQ(refused("[[suppress]]\nrule = \"long-queue\"\nreasons = \"x\"\n"),
            "s.toml:3: \"reasons\" is no word of a [[suppress]] table; did you mean reason?\n");
  EXPECT_EQ(refused("[[suppress]]\nrule = 3\nreason = \"x\"\n"),
            "s.toml:2: rule must be a text in quotes\n");
  EXPECT_EQ(refused("ignore = \"x\"\n"),
            "s.toml:1: ignore: a suppressions file holds [[suppress]] tables and nothing else\n");
  EXPECT_THAT(refused("[[suppress\n"), testing::StartsWith("s.toml:1: "));
  EXPECT_EQ(Audit({file, "--suppressions", folder_.Path("none.toml")}).status, 3);
}

TEST_F(AuditCommandTest, JsonHasRulesFindingsAndCounts) {
  const json result = json::parse(Audit({File("t.dstap", kThree), "--format", "json"}).out);
  EXPECT_EQ(result["format"], "dstap.audit/1");
  EXPECT_EQ(result["rules"].size(), AllRules().size());
  EXPECT_EQ(result["counts"], (json{{"error", 1}, {"warning", 1}, {"note", 1}, {"accepted", 0}}));
  const json& worst = result["findings"][0];
  EXPECT_EQ(worst["rule"], "save-before-load");
  EXPECT_EQ(worst["confidence"], "observed");
  EXPECT_EQ(worst["calls"], (json{4, 5}));
  EXPECT_EQ(worst["first_seconds"], 20.0);
}

TEST_F(AuditCommandTest, SarifHasWhatReadersOfItNeed) {
  const std::string file = File("a b.dstap", kThree);
  const json sarif = json::parse(Audit({file, "--format", "sarif"}).out);
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"].size(), 1U);
  const json& run = sarif["runs"][0];
  const json& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(run["tool"]["driver"]["name"], "dstap");
  EXPECT_EQ(rules.size(), AllRules().size());
  EXPECT_EQ(run["results"].size(), 3U);
  for (const json& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
    EXPECT_THAT((std::vector<std::string>{"note", "warning", "error"}),
                testing::Contains(result["level"].get<std::string>()));
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_EQ(result["partialFingerprints"]["dstap/v1"].get<std::string>().size(), 16U);
    const json& location = result["locations"][0];
    EXPECT_THAT(location["physicalLocation"]["artifactLocation"]["uri"].get<std::string>(),
                HasSubstr("a%20b.dstap"));
    EXPECT_EQ(location["logicalLocations"][0]["kind"], "resource");
  }
  for (const json& rule : rules) {
    for (const char* part : {"shortDescription", "fullDescription", "help"}) {
      EXPECT_FALSE(rule[part]["text"].get<std::string>().empty()) << rule["id"];
    }
  }
}

TEST_F(AuditCommandTest, NothingOfACaptureMovesTheCursor) {
  const std::string file = File("t.dstap", kThree);
  for (const char* format : {"text", "markdown", "json", "sarif"}) {
    EXPECT_THAT(Audit({file, "--format", format}).out, Not(HasSubstr("\x1b"))) << format;
  }
}

TEST_F(AuditCommandTest, TheSameCaptureGivesTheSameBytes) {
  const std::string file = File("t.dstap", kThree);
  for (const char* format : {"text", "markdown", "json", "sarif"}) {
    EXPECT_EQ(Audit({file, "--format", format}).out, Audit({file, "--format", format}).out);
  }
}

TEST_F(AuditCommandTest, SeveralCapturesAreNamedAndOneThatCannotBeReadIsStatus3) {
  const std::string file = File("a.dstap", kRedundant);
  const std::string other = File("b.dstap", kRedundant);
  EXPECT_THAT(Audit({file, other}).out, HasSubstr("b.dstap: S1,"));
  const CommandResult missing = Audit({file, folder_.Path("c.dstap"), "--fail-on", "note"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.out, HasSubstr("Not all that was named could be read"));
  EXPECT_THAT(missing.notes, HasSubstr("c.dstap"));
}

TEST_F(AuditCommandTest, WritesIntoAFile) {
  const std::string file = File("a.dstap", kRedundant);
  EXPECT_EQ(Audit({file, "-o", folder_.Path("out.sarif"), "--format", "sarif"}).status, 0);
  EXPECT_THAT(folder_.Read("out.sarif"), HasSubstr("2.1.0"));
  EXPECT_EQ(Audit({file, "-o", file}).status, 2);
}

}  // namespace
}  // namespace dstap::analyzer
