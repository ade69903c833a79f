#include "proto/capture/standing_rows.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "proto/capture/records.h"
#include "tests/support/captures.h"

namespace dstap::capture {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;
using testing::IsEmpty;

v1::Row ARow(const std::string& text) {
  v1::Row row;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &row)) << text;
  return row;
}

// Each row as one line, its time in front.
std::vector<std::string> Lines(const StandingRows& rows) {
  std::vector<std::string> out;
  for (const StandingRow& standing : rows.Rows()) {
    std::string line = standing.row.ShortDebugString();
    out.push_back(std::to_string(standing.time / 1s) + " " + line);
  }
  return out;
}

StandingRows After(const std::vector<std::pair<Time, std::string>>& rows) {
  StandingRows standing;
  for (const auto& [time, text] : rows) standing.Apply(time, ARow(text));
  return standing;
}

TEST(StandingRowsTest, TheLatestSourceOfEachIdStandsInTheOrderOfTheFirst) {
  EXPECT_THAT(Lines(After({{1s, "source { id: 7 name: 'a' }"},
                           {2s, "source { id: 3 name: 'b' }"},
                           {3s, "source { id: 7 name: 'c' }"}})),
              ElementsAre("3 source { id: 7 name: \"c\" }", "2 source { id: 3 name: \"b\" }"));
}

TEST(StandingRowsTest, AStepStandsUntilItEnds) {
  StandingRows rows = After({{1s, "step_begin { id: 1 }"}, {2s, "step_begin { id: 2 }"}});
  EXPECT_THAT(Lines(rows), ElementsAre("1 step_begin { id: 1 partial: true }",
                                       "2 step_begin { id: 2 partial: true }"));
  rows.Apply(3s, ARow("step_end { id: 1 }"));
  EXPECT_THAT(Lines(rows), ElementsAre("2 step_begin { id: 2 partial: true }"));
  rows.Apply(4s, ARow("step_end { id: 9 }"));
  EXPECT_EQ(rows.size(), 1U);
}

TEST(StandingRowsTest, TheLatestLimitsPlayersAndClockOfEachSourceStand) {
  EXPECT_THAT(Lines(After({{1s, "limits { source: 1 queue_length: 30 }"},
                           {1s, "player_count { source: 1 players: 4 }"},
                           {2s, "clock_snapshot { source: 1 source_ns: 5 unix_ns: 6 }"},
                           {3s, "limits { source: 2 queue_length: 31 }"},
                           {4s, "clock_snapshot { source: 1 source_ns: 7 unix_ns: 8 }"},
                           {5s, "limits { source: 1 queue_length: 32 }"}})),
              ElementsAre("1 player_count { source: 1 players: 4 }",
                          "3 limits { source: 2 queue_length: 31 }",
                          "4 clock_snapshot { source: 1 source_ns: 7 unix_ns: 8 }",
                          "5 limits { source: 1 queue_length: 32 }"));
}

TEST(StandingRowsTest, SourcesComeBeforeWhatNamesThem) {
  EXPECT_THAT(Lines(After({{1s, "source { id: 1 }"},
                           {2s, "limits { source: 1 }"},
                           {3s, "source { id: 1 name: 'renamed' }"}})),
              ElementsAre("3 source { id: 1 name: \"renamed\" }", "2 limits { source: 1 }"));
}

TEST(StandingRowsTest, ASourceCountsItsPlayersItself) {
  EXPECT_THAT(
      Lines(After({{1s, "player_count { source: 1 players: 4 }"},
                   {1s, "player_count { source: 2 players: 5 }"},
                   {2s, "source { id: 1 players: 0 }"}})),
      ElementsAre("2 source { id: 1 players: 0 }", "1 player_count { source: 2 players: 5 }"));
}

TEST(StandingRowsTest, AFaultStandsUntilItsCallHasAnOutcome) {
  StandingRows rows = After({{1s, "injected_fault { id: 1 call: 8 source: 1 }"},
                             {2s, "injected_fault { id: 2 call: 9 source: 1 }"},
                             {2s, "injected_fault { id: 3 call: 8 source: 1 }"}});
  rows.Apply(test::AnOpenCall(8));
  EXPECT_EQ(rows.size(), 3U);
  rows.Apply(test::ACall(7));
  EXPECT_EQ(rows.size(), 3U);
  rows.Apply(test::ACall(8));
  EXPECT_THAT(Lines(rows), ElementsAre("2 injected_fault { id: 2 call: 9 source: 1 }"));
  rows.Apply(test::ACall(9));
  EXPECT_EQ(rows.size(), 0U);
}

TEST(StandingRowsTest, ACrashStandsForItsServer) {
  StandingRows rows = After({{1s, "injected_fault { id: 1 source: 1 }"},
                             {2s, "injected_fault { id: 2 source: 2 }"},
                             {3s, "injected_fault { id: 3 source: 1 }"}});
  rows.Apply(test::ACall(1));
  EXPECT_THAT(Lines(rows), ElementsAre("2 injected_fault { id: 2 source: 2 }",
                                       "3 injected_fault { id: 3 source: 1 }"));
}

// Of every kind of row: it stands, or it changes nothing.
TEST(StandingRowsTest, RowsOfOneInstantOrOfTheFileLeaveNothing) {
  const google::protobuf::OneofDescriptor& kinds = *v1::Row::descriptor()->FindOneofByName("kind");
  std::vector<std::string_view> standing;
  for (int i = 0; i < kinds.field_count(); ++i) {
    v1::Row row;
    row.GetReflection()->MutableMessage(&row, kinds.field(i));
    StandingRows rows = After({{1s, "step_begin {}"}});
    rows.Apply(1s, row);
    if (StandingRows::Stands(row)) {
      standing.push_back(kinds.field(i)->name());
    } else {
      EXPECT_THAT(Lines(rows), ElementsAre("1 step_begin { partial: true }"))
          << kinds.field(i)->name();
    }
  }
  EXPECT_THAT(standing, ElementsAre("source", "step_begin", "step_end", "limits", "player_count",
                                    "injected_fault", "clock_snapshot"));
  EXPECT_FALSE(StandingRows::Stands(v1::Row()));
}

TEST(StandingRowsTest, MemoryIsThatOfWhatIsOpen) {
  StandingRows rows;
  for (uint64_t i = 1; i <= 1000; ++i) {
    const std::string id = std::to_string(i);
    rows.Apply(Time(i), ARow("source { id: 1 }"));
    rows.Apply(Time(i), ARow("step_begin { id: " + id + " source: 1 }"));
    rows.Apply(Time(i), ARow("injected_fault { id: " + id + " call: " + id + " }"));
    rows.Apply(Time(i), ARow("limits { source: 1 }"));
    rows.Apply(test::ACall(i));
    rows.Apply(Time(i), ARow("step_end { id: " + id + " }"));
    EXPECT_EQ(rows.size(), 2U);
  }
}

TEST(StandingRowsTest, NothingStandsAtTheBeginning) {
  EXPECT_THAT(StandingRows().Rows(), IsEmpty());
}

}  // namespace
}  // namespace dstap::capture
