#include "analyzer/views/overview.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::InFlight;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Overview OverviewOf(const CaptureScript& script, FileEnd end = {}) {
  OverviewView view;
  TimelineBuilder builder({&view});
  script.Feed(builder, "run.dstap", std::move(end));
  return view.Take();
}

// "id count text", a line each.
std::vector<std::string> NotSeen(const Overview& overview) {
  std::vector<std::string> lines;
  for (const DefectCount& defect : overview.not_seen) {
    lines.push_back(fmt::format("{} {} {}", InfoOf(defect.defect).id, defect.count, defect.text));
  }
  return lines;
}

v1::Row FaultRow(v1::FaultKind kind, std::string rule) {
  v1::Row row;
  row.mutable_injected_fault()->set_kind(kind);
  row.mutable_injected_fault()->set_rule(std::move(rule));
  return row;
}

TEST(OverviewTest, AWholeCaptureHasNothingUnseen) {
  CaptureScript script;
  script.Header().Source(1, "server", "lapis", "0.3.8");
  script.Begin(1s, {}).Call(Update("a", 1s, 2s)).End(2s, 1).Closed(2500ms);
  const Overview overview = OverviewOf(script);
  EXPECT_THAT(overview.not_seen, IsEmpty());
  ASSERT_EQ(overview.captures.size(), 1U);
  const CaptureInfo& capture = overview.captures[0];
  EXPECT_EQ(capture.state, FileState::kClosed);
  EXPECT_EQ(capture.recording.last, 2500ms);
  EXPECT_EQ(capture.recording.rule_profile, "2026");
  EXPECT_EQ(capture.recording.seed, 1U);
  EXPECT_EQ(capture.sources[0].runs, "lapis 0.3.8");
  ASSERT_EQ(overview.libraries.size(), 1U);
  EXPECT_EQ(overview.libraries[0].origin, "lapis@0.3.8");
}

TEST(OverviewTest, SaysWhatWasNotSeen) {
  CaptureScript script;
  auto open = Update("a", 1s, 1s);
  v1::Row loss;
  loss.mutable_loss()->set_reason(v1::LOSS_REASON_WRITE);
  loss.mutable_loss()->set_calls(2);
  loss.mutable_loss()->set_rows(1);
  loss.mutable_loss()->set_text("No space left on device");
  script.Header().Call(InFlight(open)).Begin(2s, {.id = 1, .subject = "lib", .name = "save"});
  script.Row(2s, loss).Begin(2s, {.id = 2, .name = "load"}).Fail(3s, 2, "no lock");
  script.Row(3s, FaultRow(v1::FAULT_KIND_DROP, "drop GetAsync"));
  script.Row(3s, FaultRow(v1::FAULT_KIND_DROP, "drop GetAsync"));
  EXPECT_THAT(
      NotSeen(OverviewOf(script)),
      ElementsAre("unfinished 1 ", "calls-lost 2 write: No space left on device",
                  "rows-lost 1 write: No space left on device", "calls-in-flight 1 ",
                  "step-unfinished 1 lib save, sample 1", "step-failed 1 lib load: no lock",
                  "calls-outside-steps 1 ", "fault-injected 2 drop (rule \"drop GetAsync\")"));
}

TEST(OverviewTest, ARecoveredCaptureStillSaysWhatItMisses) {
  const auto loss = [](uint64_t calls, std::string text) {
    v1::Row row;
    row.mutable_loss()->set_reason(v1::LOSS_REASON_DAMAGE);
    row.mutable_loss()->set_calls(calls);
    row.mutable_loss()->set_text(std::move(text));
    return row;
  };
  v1::Row end;
  end.mutable_end()->set_reason(v1::END_REASON_RECOVERED);
  end.mutable_end()->set_text("by dstap recover");
  CaptureScript script;
  script.Header().Row(1s, loss(0, "bytes 7 to 9"));
  script.Row(2s, loss(3, "counted by the End row")).Row(2s, end);
  EXPECT_THAT(NotSeen(OverviewOf(script)),
              ElementsAre("records-missing 1 bytes 7 to 9", "unfinished 1 by dstap recover",
                          "calls-lost 3 damage: bytes 7 to 9"));
}

TEST(OverviewTest, WithoutStepsNoCallIsOutsideOfOne) {
  EXPECT_THAT(OverviewOf(CaptureScript().Header().Call(Update("a", 1s, 2s)).Closed(2s)).not_seen,
              IsEmpty());
}

TEST(OverviewTest, ASecondRecordingOfTheSameRunIsTold) {
  const auto run = [](Time last) {
    CaptureScript script;
    script.Header().Source(1, "server", "lib", "1").Call(Update("a", 1s, last)).Closed(last);
    return script;
  };
  const auto not_seen = [](const CaptureScript& first, const CaptureScript& second) {
    OverviewView view;
    TimelineBuilder builder({&view});
    first.Feed(builder, "a.dstap");
    second.Feed(builder, "b.dstap");
    return NotSeen(view.Take());
  };
  EXPECT_THAT(not_seen(run(2s), run(2s)), ElementsAre("same-recording 1 as a.dstap"));
  EXPECT_THAT(not_seen(run(2s), run(3s)), IsEmpty());
  // Over real time two runs are never the same.
  CaptureScript wall;
  wall.Header(v1::CLOCK_KIND_WALL).Call(Update("a", 1s, 2s)).Closed(2s);
  EXPECT_THAT(not_seen(wall, wall), IsEmpty());
}

TEST(OverviewTest, NamesTheDamage) {
  FileEnd end;
  end.state = FileState::kDamaged;
  end.skipped = {{100, 250, "checksum mismatch"}};
  end.torn_bytes = 7;
  end.unknown_fields = 3;
  const Overview overview = OverviewOf(CaptureScript().Header().Closed(1s), end);
  EXPECT_EQ(overview.captures[0].state, FileState::kDamaged);
  EXPECT_THAT(NotSeen(overview),
              ElementsAre("bytes-skipped 150 bytes 100 to 250: checksum mismatch", "torn-tail 7 ",
                          "unknown-fields 3 "));
}

TEST(OverviewTest, DamageWithoutAPlaceIsOfTheTotals) {
  FileEnd end;
  end.state = FileState::kDamaged;
  EXPECT_THAT(NotSeen(OverviewOf(CaptureScript().Header().Closed(1s), end)),
              ElementsAre("records-missing 1 "));
}

TEST(OverviewTest, DamageWithoutBytesIsOfRecordsThatAreNotThere) {
  FileEnd end;
  end.state = FileState::kDamaged;
  end.skipped = {{100, 100, "the End row counts 9 calls, here are 8"}};
  EXPECT_THAT(NotSeen(OverviewOf(CaptureScript().Header().Closed(1s), end)),
              ElementsAre("records-missing 1 the End row counts 9 calls, here are 8"));
}

TEST(OverviewTest, ManyDamagedPlacesAreCountedTogether) {
  FileEnd end;
  end.state = FileState::kDamaged;
  for (uint64_t i = 0; i < kDefectTextsMax; ++i) end.skipped.push_back({i * 10, i * 10 + 5, "x"});
  EXPECT_EQ(OverviewOf(CaptureScript().Header().Closed(1s), end).not_seen.size(), kDefectTextsMax);
  end.skipped.push_back({1000, 1003, "x"});
  end.skipped.push_back({1010, 1014, "x"});
  const auto lines = NotSeen(OverviewOf(CaptureScript().Header().Closed(1s), end));
  EXPECT_EQ(lines.size(), kDefectTextsMax + 1);
  EXPECT_EQ(lines.back(), "bytes-skipped 7 in further places");
}

TEST(OverviewTest, ManyTextsOfOneDefectAreCountedTogether) {
  CaptureScript script;
  script.Header();
  for (uint64_t i = 1; i <= kDefectTextsMax + 3; ++i) {
    script.Begin(1s, {.id = i}).Fail(2s, i, fmt::format("reason {:02}", i));
  }
  const auto lines = NotSeen(OverviewOf(script.Closed(3s)));
  EXPECT_EQ(lines.size(), kDefectTextsMax + 1);
  EXPECT_THAT(lines, testing::Contains("step-failed 3 others"));
}

TEST(OverviewTest, AFileThatCannotBeReadIsNamed) {
  FileEnd end;
  end.state = FileState::kUnreadable;
  end.error = "run.dstap: cannot be opened: No such file or directory";
  const Overview overview = OverviewOf(CaptureScript(), end);
  EXPECT_THAT(overview.captures, IsEmpty());
  EXPECT_THAT(NotSeen(overview),
              ElementsAre("file-unreadable 1 run.dstap: cannot be opened: No such file or "
                          "directory"));
}

TEST(OverviewTest, EachRecordingOfAFileHasItsOwnState) {
  CaptureScript script;
  script.Header().Header().Closed(2s);
  const Overview overview = OverviewOf(script);
  ASSERT_EQ(overview.captures.size(), 2U);
  EXPECT_EQ(overview.captures[0].state, FileState::kUnfinished);
  EXPECT_EQ(overview.captures[1].state, FileState::kClosed);
}

TEST(OverviewTest, ASourceSentAgainReplacesTheFirst) {
  CaptureScript script;
  script.Header().Source(1, "a").Source(2, "b").Source(1, "c").Closed(1s);
  const Overview overview = OverviewOf(script);
  EXPECT_THAT(overview.captures[0].sources, ElementsAre(testing::Field(&SourceInfo::name, "c"),
                                                        testing::Field(&SourceInfo::name, "b")));
}

TEST(OverviewTest, PlayersAreARangeAndLimitsThatChangedAreCountedByReason) {
  const auto players = [](uint32_t count) {
    v1::Row row;
    row.mutable_player_count()->set_source(1);
    row.mutable_player_count()->set_players(count);
    return row;
  };
  const auto limits = [](const char* reason) {
    v1::Row row;
    row.mutable_limits()->set_source(1);
    row.mutable_limits()->set_reason(reason);
    return row;
  };
  CaptureScript script;
  script.Header().Source(1, "server");
  script.Row(0s, limits("start")).Row(1s, players(10)).Row(1s, limits("players"));
  script.Row(2s, players(40)).Row(2s, limits("players")).Row(3s, players(5));
  script.Row(3s, limits("players")).Row(4s, limits("SetRateLimitForRequestType"));
  const SourceInfo source = OverviewOf(script).captures.at(0).sources.at(0);
  EXPECT_EQ(source.players, 5U);
  EXPECT_EQ(source.players_lowest, 0U);  // As the source began.
  EXPECT_EQ(source.players_highest, 40U);
  ASSERT_EQ(source.limit_changes.size(), 2U);
  EXPECT_EQ(source.limit_changes.at("players").count, 3U);
  EXPECT_EQ(source.limit_changes.at("players").first, Time(1s));
  EXPECT_EQ(source.limit_changes.at("players").last, Time(3s));
  EXPECT_EQ(source.limit_changes.at("SetRateLimitForRequestType").count, 1U);
}

TEST(OverviewTest, TheFirstLimitsAreNoChange) {
  v1::Row row;
  row.mutable_limits()->set_source(1);
  CaptureScript script;
  script.Header().Source(1, "server").Row(0s, row);
  const SourceInfo source = OverviewOf(script).captures.at(0).sources.at(0);
  EXPECT_TRUE(source.limit_changes.empty());
  EXPECT_EQ(source.players_lowest, source.players_highest);
}

}  // namespace
}  // namespace dstap::analyzer
