// `dstap info` and `dstap verify`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyzer/commands/info_command.h"
#include "analyzer/commands/verify_command.h"
#include "proto/capture/capture_text.h"
#include "proto/capture/defects.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"
#include "tests/support/temp_file.h"

namespace dstap::test {
namespace {

using analyzer::InfoCommand;
using analyzer::VerifyCommand;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string FromText(const std::string& text) {
  const auto bytes = capture::FromText(text);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? *bytes : std::string();
}

TEST(VerifyCommandTest, AClosedCaptureIsOneLine) {
  const TempFile file(AClosedCapture(3));
  const CommandResult ran = RunCommand<VerifyCommand>({file.path()});
  EXPECT_EQ(ran.out, file.path() + ": closed, 3 calls\n");
  EXPECT_EQ(ran.status, 0);
}

TEST(VerifyCommandTest, ATornTailIsUnfinishedAndFine) {
  const std::string whole = AClosedCapture(2);
  const TempFile file(whole.substr(0, whole.size() - 5));
  const CommandResult ran = RunCommand<VerifyCommand>({file.path()});
  EXPECT_THAT(ran.out, MatchesRegex(".*: unfinished, 2 calls, [0-9]+ bytes of torn tail\n"));
  EXPECT_EQ(ran.status, 0);
}

TEST(VerifyCommandTest, ABrokenRuleIsToldWithItsPlaceAndTheStatusIsOne) {
  const TempFile file(
      FromText("record { header {} } record { step_end { id: 4 } } "
               "record { end { reason: END_REASON_CLOSED } }"));
  const CommandResult ran = RunCommand<VerifyCommand>({file.path()});
  EXPECT_THAT(ran.out, MatchesRegex(".*: byte [0-9]+, chunk 1, record 2: step-end: step 4 never "
                                    "began\n.*: closed, 0 calls, 1 broken rule\n"));
  EXPECT_EQ(ran.status, 1);
}

TEST(VerifyCommandTest, DamageIsToldWithItsPlaceAndTheStatusIsThree) {
  std::string bytes = AClosedCapture(4);
  bytes[bytes.size() - 1] ^= 1;
  const TempFile file(bytes);
  const CommandResult ran = RunCommand<VerifyCommand>({file.path()});
  EXPECT_THAT(ran.out, HasSubstr(": checksum: bytes "));
  EXPECT_THAT(ran.out, HasSubstr(": damaged in 1 place, 4 calls could be read\n"));
  EXPECT_EQ(ran.status, 3);
}

TEST(VerifyCommandTest, AFileThatIsNoCaptureDoesNotKeepTheOthersFromBeingVerified) {
  const TempFile text("hello", "text");
  const TempFile good(AClosedCapture(1), "good");
  const CommandResult ran = RunCommand<VerifyCommand>({text.path(), "no/such/file", good.path()});
  EXPECT_THAT(ran.notes, HasSubstr("dstap verify: " + text.path() +
                                   ": is not a dstap capture: it begins with \"hello\"\n"));
  EXPECT_THAT(ran.notes, HasSubstr("dstap verify: no/such/file: cannot be opened: No such file"));
  EXPECT_THAT(ran.out, HasSubstr("closed, 1 call\n"));
  EXPECT_EQ(ran.status, 3);
}

TEST(VerifyCommandTest, ADirectoryIsRefused) {
  const CommandResult ran = RunCommand<VerifyCommand>({"/"});
  EXPECT_THAT(ran.notes, HasSubstr("is a directory"));
  EXPECT_EQ(ran.status, 3);
}

TEST(VerifyCommandTest, SoManyDefectsOfAKindAreShownAndTheRestIsCounted) {
  for (const int count : {20, 21}) {
    std::string text = "record { header {} }";
    for (int i = 0; i < count; ++i) text += "record { step_end { id: 4 } }";
    const TempFile file(FromText(text));
    const CommandResult ran = RunCommand<VerifyCommand>({file.path()});
    const auto lines = std::count(ran.out.begin(), ran.out.end(), '\n');
    EXPECT_EQ(lines, count == 20 ? 21 : 22);
    EXPECT_EQ(ran.out.find(": step-end: 1 more\n") != std::string::npos, count == 21);
    EXPECT_THAT(ran.out, HasSubstr(std::to_string(count) + " broken rules\n"));
  }
}

TEST(VerifyCommandTest, ListPrintsEachDefectWithItsMeaning) {
  const CommandResult ran = RunCommand<VerifyCommand>({"--list"});
  for (const capture::DefectInfo& info : capture::kDefects) {
    EXPECT_THAT(ran.out, HasSubstr(std::string(info.name)));
    EXPECT_THAT(ran.out, HasSubstr(std::string(info.meaning)));
  }
}

TEST(VerifyCommandTest, WithoutAFileTheUsageIsWrong) {
  EXPECT_EQ(RunCommand<VerifyCommand>({}).status, 2);
}

const char kInfoText[] = R"(
record { header { tool_version: "0.1.0" clock: CLOCK_KIND_VIRTUAL start_unix_ns: 1767225600000000000
                  title: "a hop" rule_profile: "2026" seed: 7 backend: "simulator" } }
record { source { id: 1 name: "server one" role: "server"
                  library { name: "profile-store" version: "1.0.3" licence: "Apache-2.0" } } }
record { source { id: 2 name: "bad \033[2J\377" players: 3 } }
record { player_count { source: 1 players: 8 } }
record { step_begin { id: 1 source: 1 name: "load-new" } }
record { call { id: 1 source: 1 method: METHOD_UPDATE_ASYNC outcome: OUTCOME_IN_FLIGHT } }
record { call { id: 1 source: 1 method: METHOD_UPDATE_ASYNC outcome: OUTCOME_OK
                completed_ns: 12200000000 } }
record { call { id: 2 source: 2 method: METHOD_GET_ASYNC outcome: OUTCOME_IN_FLIGHT } }
record { step_end { id: 1 } }
record { notice { source: 1 kind: NOTICE_KIND_QUEUE_WARNING } }
record { injected_fault { id: 1 kind: FAULT_KIND_DROP } }
record { loss { reason: LOSS_REASON_CLIENT calls: 2 rows: 1 } }
record { time_ns: 13000000000 end { reason: END_REASON_SIGNAL text: "SIGTERM" } }
)";

TEST(InfoCommandTest, ShowsWhatIsInACapture) {
  const std::string bytes = FromText(kInfoText);
  const TempFile file(bytes);
  const CommandResult ran = RunCommand<InfoCommand>({file.path()});
  const std::string size = std::to_string(bytes.size());
  const std::string each = nlohmann::json(static_cast<double>(bytes.size()) / 2).dump();
  EXPECT_EQ(ran.out, file.path() + R"(
  state       closed
  size        )" + size + " bytes, " +
                         each + R"( a call
  title       a hop
  format      1, written by dstap 0.1.0
  clock       virtual, from 2026-01-01T00:00:00Z
  backend     simulator
  rules       2026
  seed        7
  ended       signal: SIGTERM
  duration    13.000 s
  sources     1: server one, server, profile-store 1.0.3 (Apache-2.0), 8 players
              2: bad \x1b[2J\xff, 3 players
  calls       2, 1 of them in flight, in 3 records
  methods     GetAsync 1, UpdateAsync 1
  steps       1, 1 failed: load-new 1
  notices     1: queue warning 1
  faults      1: drop 1
  lost        2 records of calls and 1 rows; counts are lower bounds
)");
  EXPECT_EQ(ran.status, 0);
}

TEST(InfoCommandTest, JsonSaysTheSame) {
  const TempFile file(FromText(kInfoText));
  const CommandResult ran = RunCommand<InfoCommand>({"--format", "json", file.path()});
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["schema"], "dstap.info/1");
  const auto& one = json["files"][0];
  EXPECT_EQ(one["state"], "closed");
  const auto& recording = one["recordings"][0];
  EXPECT_EQ(recording["seed"], 7);
  EXPECT_EQ(recording["calls_in_flight"], 1);
  EXPECT_EQ(recording["calls_by_method"]["UpdateAsync"], 1);
  EXPECT_EQ(recording["sources"][1]["name"], "bad \\x1b[2J\\xff");
  EXPECT_EQ(recording["sources"][0]["players"], 8);
  EXPECT_EQ(recording["end_reason"], "signal");
  EXPECT_EQ(recording["calls_lost"], 2);
}

TEST(InfoCommandTest, NoLineIsOverAHundredColumnsWide) {
  std::string text = "record { header { title: \"" + std::string(300, 'x') + " end\" } }";
  for (int i = 0; i < 60; ++i) {
    text += "record { step_begin { id: " + std::to_string(i + 1) + " name: \"a step with blanks " +
            std::to_string(i) + "\" } }";
  }
  const TempFile file(FromText(text));
  std::istringstream lines(RunCommand<InfoCommand>({file.path()}).out);
  std::string line;
  std::getline(lines, line);  // The file's name.
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(InfoCommandTest, UsesTheSameWordsForHowAFileEndsAsVerify) {
  const std::string whole = AClosedCapture(2);
  const TempFile torn(whole.substr(0, whole.size() - 1));
  EXPECT_THAT(RunCommand<InfoCommand>({torn.path()}).out, HasSubstr("state       unfinished: "));
  EXPECT_EQ(RunCommand<InfoCommand>({torn.path()}).status, 0);
  std::string flipped = whole;
  flipped.back() ^= 1;
  const TempFile damaged(flipped, "damaged");
  const CommandResult ran = RunCommand<InfoCommand>({damaged.path()});
  EXPECT_THAT(ran.out, HasSubstr("state       damaged: "));
  EXPECT_EQ(ran.status, 3);
}

TEST(InfoCommandTest, RecordingsOfOneFileAreShownApart) {
  const TempFile file(AClosedCapture(1) + AClosedCapture(2));
  const std::string out = RunCommand<InfoCommand>({file.path()}).out;
  EXPECT_THAT(out, HasSubstr("  recording 1 of 2\n"));
  EXPECT_THAT(out, HasSubstr("  recording 2 of 2\n"));
}

TEST(InfoCommandTest, ARecordingWhoseHeaderIsDamagedIsShownApartToo) {
  const std::string one = AClosedCapture(1);
  std::string bytes = one + AClosedCapture(2);
  bytes[one.size() + 100] ^= 1;
  const TempFile file(bytes);
  EXPECT_THAT(RunCommand<InfoCommand>({file.path()}).out, HasSubstr("  recording 2 of 2\n"));
}

}  // namespace
}  // namespace dstap::test
