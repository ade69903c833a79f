// Filters in commands that read calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/commands/cat_command.h"
#include "analyzer/commands/report_command.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/capture_command.h"

namespace dstap::analyzer {
namespace {

using nlohmann::json;
using test::CaptureScript;
using test::CommandResult;
using test::Get;
using test::InFlight;
using test::Update;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

capture::CallRecord Failed(capture::CallRecord call) {
  call.outcome = v1::OUTCOME_FAILED;
  return call;
}

// Two samples of "load" with a read each, of which the second fails once; a "save"; a call of no
// step, answered late; and one that is never answered. Seven calls.
std::string Calls() {
  CaptureScript script;
  auto slow = Update("slow", 20s, 24s);
  slow.id = 50;
  script.Header().Source(1, "server one", "lib", "1.0").Source(2, "server two");
  script.Begin(1s, {.id = 1, .name = "load", .sample = 1}).Call(Get("a", 1s, 2s)).End(3s, 1);
  script.Begin(4s, {.id = 2, .name = "load", .sample = 2});
  script.Call(Failed(Get("b", 4s, 5s))).Call(Get("b", 6s, 7s)).End(8s, 2);
  script.Begin(9s, {.id = 3, .name = "save"}).Call(Update("a", 9s, 10s)).End(11s, 3);
  script.Call(InFlight(slow));
  auto other = Get("z", 21s, 22s);
  other.source = 2;
  script.Call(other).Call(slow).Call(InFlight(Update("lost", 25s, 26s))).Closed(30s);
  return test::BytesOf(script);
}

class FilterTest : public testing::Test {
 protected:
  CommandResult Cat(const std::string& filter) {
    return test::RunCommand<CatCommand>({file_, "--filter", filter, "--format", "jsonl"});
  }
  std::vector<uint64_t> Ids(const std::string& filter) {
    const CommandResult result = Cat(filter);
    EXPECT_EQ(result.status, 0) << result.notes;
    std::vector<uint64_t> ids;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) ids.push_back(json::parse(line)["id"]);
    return ids;
  }
  CommandResult Report(const std::string& filter, const std::string& format = "text") {
    return test::RunCommand<ReportCommand>({file_, "--filter", filter, "--format", format});
  }

  test::TemporaryFolder folder_{"chosen"};
  std::string file_ = folder_.File("a.dstap", Calls());
};

TEST_F(FilterTest, CatPrintsWhatMatches) {
  EXPECT_EQ(Ids("id == 2"), (std::vector<uint64_t>{2}));
  EXPECT_EQ(Ids("outcome == failed || key == z"), (std::vector<uint64_t>{2, 51}));
  EXPECT_EQ(Ids("source == 'server two'"), (std::vector<uint64_t>{51}));
  EXPECT_EQ(Ids("library == lib && method == UpdateAsync"), (std::vector<uint64_t>{4, 50, 52}));
  EXPECT_EQ(Ids("players == 0").size(), 7U);
}

TEST_F(FilterTest, StepsCanBeAskedFor) {
  EXPECT_EQ(Ids("step == load && sample == 2"), (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(Ids("step == none"), (std::vector<uint64_t>{51, 50, 52}));
}

TEST_F(FilterTest, TheLastRecordOfACallDecides) {
  EXPECT_EQ(Ids("latency == 4s"), (std::vector<uint64_t>{50}));
  EXPECT_EQ(Ids("outcome == in_flight"), (std::vector<uint64_t>{52}));
}

TEST_F(FilterTest, PlayersAreThoseOfTheTimeOfTheCall) {
  CaptureScript script;
  v1::Row players;
  players.mutable_player_count()->set_source(1);
  players.mutable_player_count()->set_players(3);
  script.Header().Source(1, "server").Call(Get("a", 1s, 2s)).Row(3s, players);
  script.Call(Get("a", 4s, 5s)).Closed(6s);
  file_ = folder_.File("players.dstap", test::BytesOf(script));
  EXPECT_EQ(Ids("players == 3"), (std::vector<uint64_t>{2}));
}

TEST_F(FilterTest, NothingOfOneRecordingIsKnownInTheNext) {
  CaptureScript second;
  second.Header().Call(Get("a", 1s, 2s)).Closed(3s);
  file_ = folder_.File("two.dstap", Calls() + test::BytesOf(second));
  EXPECT_EQ(Ids("source == none").size(), 1U);
  EXPECT_EQ(Ids("step == none").size(), 4U);
}

TEST_F(FilterTest, AFilterThatMatchesNothingSaysSo) {
  const CommandResult result = Cat("id == 99");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.notes, "dstap cat: --filter: none of 7 calls matches\n");
  EXPECT_EQ(Cat("id == 1").notes, "");
  EXPECT_THAT(Report("id == 99").out, HasSubstr("Filter: id == 99. None of 7 calls matches."));
}

TEST_F(FilterTest, AWrongFilterIsWrongUsage) {
  const CommandResult cat = Cat("id == 1 && metod == GetAsync");
  EXPECT_EQ(cat.status, 2);
  EXPECT_EQ(cat.out, "");
  EXPECT_EQ(cat.notes,
            "dstap cat: --filter: column 12: \"metod\" is no field; did you mean method?\n");
  EXPECT_EQ(Cat("").status, 2);
  EXPECT_EQ(Report("id ==").status, 2);
}

TEST_F(FilterTest, AReportSaysWhatItCounts) {
  EXPECT_THAT(Report("outcome == failed").out,
              HasSubstr("\nFilter: outcome == failed. 1 of 7 calls match, and only these are "
                        "counted. 1 row without a match\nleft out.\n"));
  EXPECT_THAT(Report("outcome == failed", "markdown").out, HasSubstr("1 of 7 calls match"));
  const json report = json::parse(Report("outcome == failed", "json").out);
  EXPECT_EQ(report["filter"],
            json::parse(R"({"expression": "outcome == failed", "calls": 7, "calls_matching": 1,
                            "steps_left_out": 1})"));
  EXPECT_EQ(report["captures"][0]["calls"], 7);
  EXPECT_EQ(report["captures"][0]["calls_matching"], 1);
  const auto filtered = std::ranges::find_if(
      report["not_seen"], [](const json& defect) { return defect["id"] == "calls-filtered"; });
  ASSERT_NE(filtered, report["not_seen"].end());
  EXPECT_EQ((*filtered)["count"], 6);
}

TEST_F(FilterTest, AReportWithoutOneDoesNotSpeakOfIt) {
  const CommandResult text = test::RunCommand<ReportCommand>({file_});
  EXPECT_THAT(text.out, Not(HasSubstr("ilter")));
  const CommandResult as_json = test::RunCommand<ReportCommand>({file_, "--format", "json"});
  EXPECT_THAT(as_json.out, Not(HasSubstr("calls_matching")));
  EXPECT_THAT(as_json.out, Not(HasSubstr("filter")));
}

TEST_F(FilterTest, CountsOfStepsAreOfMatchingCallsAndSamplesOfAll) {
  const json report = json::parse(Report("outcome == failed", "json").out);
  ASSERT_EQ(report["subjects"].size(), 1U);
  ASSERT_EQ(report["subjects"][0]["steps"].size(), 1U);
  const json& step = report["subjects"][0]["steps"][0];
  EXPECT_EQ(step["name"], "load");
  EXPECT_EQ(step["samples"], 2);
  EXPECT_EQ(step["requests"]["GetAsync"], json::parse(R"({"min": 0, "max": 1})"));
  EXPECT_EQ(step["same_in_every_sample"], false);
  EXPECT_EQ(step["seconds"]["n"], 2);
  EXPECT_EQ(report["traffic"][0]["calls"], 1);
}

TEST_F(FilterTest, ChainsOfTriesAreWhole) {
  const json report = json::parse(Report("outcome == failed", "json").out);
  ASSERT_EQ(report["retries"].size(), 1U);
  const json& schedule = report["retries"][0]["schedules"][0];
  EXPECT_EQ(schedule["tries"], 2);
  EXPECT_EQ(schedule["end"], "succeeded");
  EXPECT_TRUE(json::parse(Report("key == a", "json").out)["retries"].empty());
}

TEST_F(FilterTest, AReportOfCallsOfNoStepSaysThat) {
  EXPECT_THAT(Report("step == none").out,
              HasSubstr("No call that matches the filter belongs to a step."));
}

}  // namespace
}  // namespace dstap::analyzer
