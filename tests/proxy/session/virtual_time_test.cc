// The hub over virtual time, as docs/session-protocol.md tells it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/session/playbook.h"

namespace dstap::proxy {
namespace {

using std::chrono::milliseconds;
using test::At;
using test::Get;
using test::Hello;
using test::Idle;
using test::IdleUntil;
using test::Playbook;
using test::SourceInfo;
using test::Update;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time operator""_ms(unsigned long long n) { return milliseconds(n); }

class VirtualTimeTest : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_THAT(play_.In({Hello(), SourceInfo(1, "server")}), ElementsAre("welcome"));
  }
  Playbook play_;
};

TEST_F(VirtualTimeTest, AnIdleClientWithoutWakesIsMovedToTheAnswer) {
  play_.backend.OkAt(80_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), Idle()}), ElementsAre("reply 1 OK", "grant 80000000"));
  EXPECT_EQ(play_.hub->now(), 80_ms);
  EXPECT_THAT(play_.In({At(80_ms, Idle())}), ElementsAre("grant for ever"));
}

TEST_F(VirtualTimeTest, AClientThatWakesFirstIsGrantedUpToTheNextEvent) {
  play_.backend.OkAt(80_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), IdleUntil(17_ms)}), ElementsAre("grant 80000000"));
  EXPECT_EQ(play_.hub->now(), 0_ms);
  // It runs alone up to there, and says so before its own work of that instant.
  EXPECT_THAT(play_.In({At(80_ms, IdleUntil(80_ms))}), ElementsAre("reply 1 OK", "grant 80000000"));
}

TEST_F(VirtualTimeTest, AtEqualTimesTheProxysEventComesBeforeTheClientsWake) {
  play_.backend.OkAt(80_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), IdleUntil(80_ms)}),
              ElementsAre("reply 1 OK", "grant 80000000"));
}

TEST_F(VirtualTimeTest, TheFirstInstantWithSomethingToSendEndsAGrant) {
  play_.backend.OkAt(80_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), IdleUntil(17_ms)}), ElementsAre("grant 80000000"));
  play_.backend.OkAt(50_ms, 2);
  EXPECT_THAT(play_.In({At(34_ms, Get(2, "b")), At(34_ms, Idle())}),
              ElementsAre("reply 2 OK", "grant 50000000"));
}

TEST_F(VirtualTimeTest, WhatIsDueAtOnceIsAnsweredInItsInstant) {
  play_.backend.OkAt(0_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), IdleUntil(17_ms)}), ElementsAre("reply 1 OK", "grant 0"));
}

TEST_F(VirtualTimeTest, ALocalHitDoesCallTransformAndNilReplyInOneInstant) {
  play_.backend.TransformAt(0_ms, 1, {.run = 1, .value = "5", .key_info = {}});
  EXPECT_THAT(play_.In({Update(1, "a"), IdleUntil(17_ms)}),
              ElementsAre("transform 1/1", "grant 0"));
  EXPECT_EQ(play_.last_frames[1].grant().until_ns(), 0);
  BackendAnswer nil;
  nil.outcome = v1::OUTCOME_CANCELLED;
  nil.served_by = v1::SERVED_BY_LOCAL_COPY;
  play_.backend.AnswerAt(0_ms, 1, nil);
  v1::ClientFrame result = test::TransformValue(1, "");
  result.mutable_transform_result()->set_outcome(v1::TRANSFORM_OUTCOME_NIL);
  EXPECT_THAT(play_.In({result, IdleUntil(17_ms)}), ElementsAre("reply 1 CANCELLED", "grant 0"));
  const auto written = play_.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].record.completed, 0_ms);
  EXPECT_EQ(written.calls[0].record.served_by, v1::SERVED_BY_LOCAL_COPY);
  ASSERT_EQ(written.calls[0].runs.size(), 1U);
  EXPECT_EQ(written.calls[0].runs[0].outcome, v1::TRANSFORM_OUTCOME_NIL);
}

TEST_F(VirtualTimeTest, AConflictAsksForTheTransformAgainAndTheLastRunCounts) {
  play_.backend.TransformAt(30_ms, 1, {.run = 1, .value = "5", .key_info = {}});
  EXPECT_THAT(play_.In({Update(1, "a"), Idle()}), ElementsAre("transform 1/1", "grant 30000000"));
  play_.backend.TransformAt(230_ms, 1, {.run = 2, .value = "66", .key_info = {}});
  EXPECT_THAT(play_.In({At(30_ms, test::TransformValue(1, "6")), At(30_ms, Idle())}),
              ElementsAre("transform 1/2", "grant 230000000"));
  play_.backend.OkAt(430_ms, 1, "777");
  EXPECT_THAT(play_.In({At(230_ms, test::TransformValue(1, "777", 2)), At(230_ms, Idle())}),
              ElementsAre("reply 1 OK", "grant 430000000"));
  const auto written = play_.Written();
  // Long open: once as in flight, once with its outcome.
  ASSERT_EQ(written.calls.size(), 2U);
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_IN_FLIGHT);
  EXPECT_EQ(written.calls[1].record.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(written.calls[1].runs.size(), 2U);
  EXPECT_EQ(written.calls[1].record.read->bytes, 2U);
  EXPECT_EQ(written.calls[1].record.written->bytes, 3U);
}

TEST_F(VirtualTimeTest, OneBatchIsOneCommit) {
  for (CallId call = 1; call <= 2; ++call) play_.backend.OkAt(10_ms, call);
  const size_t before = play_.written_bytes();
  play_.In({SourceInfo(2, "other"), Get(1, "a"), Get(2, "b")});
  EXPECT_EQ(play_.written_bytes(), before);  // Nothing was answered, nothing is written.
  play_.In({Idle()});
  EXPECT_GT(play_.written_bytes(), before);
}

TEST_F(VirtualTimeTest, AReplyIsInTheFileBeforeItIsSent) {
  play_.backend.OkAt(80_ms, 1);
  play_.hub->OnBytes({}, play_.connection, test::Delimited(Get(1, "a")) + test::Delimited(Idle()));
  const auto written = play_.Written();  // Before Flush().
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].key, "a");
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_OK);
}

TEST_F(VirtualTimeTest, ACallOpenForMoreThanFiftyMillisecondsIsThereAsInFlight) {
  play_.backend.OkAt(500_ms, 1);
  play_.In({Get(1, "a"), IdleUntil(50_ms)});
  EXPECT_THAT(play_.Written().calls, IsEmpty());
  play_.In({At(49_ms, IdleUntil(50_ms))});
  EXPECT_THAT(play_.Written().calls, IsEmpty());
  play_.In({At(50_ms, IdleUntil(60_ms))});
  const auto written = play_.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_IN_FLIGHT);
  EXPECT_FALSE(written.calls[0].record.completed.has_value());
  play_.In({At(60_ms, IdleUntil(70_ms))});
  EXPECT_EQ(play_.Written().calls.size(), 1U);  // Once is enough.
}

TEST_F(VirtualTimeTest, AQueryIsAnsweredInsideTheInstantWithoutACommit) {
  play_.backend.budgets[v1::REQUEST_TYPE_STANDARD_READ] = 119;
  const size_t before = play_.written_bytes();
  EXPECT_THAT(play_.In({Get(1, "a"), test::BudgetOf(9, v1::REQUEST_TYPE_STANDARD_READ)}),
              ElementsAre("answer 9 = 119"));
  EXPECT_EQ(play_.hub->now(), 0_ms);
  EXPECT_EQ(play_.written_bytes(), before);
  ASSERT_EQ(play_.backend.submitted.size(), 1U);  // What was sent before it came before it.
}

TEST_F(VirtualTimeTest, AnAnswerSaysHowLongTheBudgetStaysIfThatIsKnown) {
  const v1::ClientFrame query = test::BudgetOf(9, v1::REQUEST_TYPE_STANDARD_READ);
  play_.backend.budget_change = 0_ms;
  EXPECT_THAT(play_.In({query}), ElementsAre("answer 9 = 0"));
  play_.backend.budget_change = 70_ms;
  EXPECT_THAT(play_.In({query}), ElementsAre("answer 9 = 0 until 70000000"));
}

TEST_F(VirtualTimeTest, ASecondClientIsRefusedAndTheFirstGoesOn) {
  const ConnectionId second = play_.hub->Connect();
  EXPECT_THAT(
      play_.In({Hello()}, {}, second),
      ElementsAre(HasSubstr("refusal another connection owns the virtual clock"), "hang up"));
  play_.backend.OkAt(80_ms, 1);
  EXPECT_THAT(play_.In({Get(1, "a"), Idle()}), ElementsAre("reply 1 OK", "grant 80000000"));
  EXPECT_EQ(play_.hub->refused(), 1U);
}

TEST_F(VirtualTimeTest, AClientThatLeftLeavesTheClockToTheNext) {
  play_.backend.OkAt(80_ms, 1);
  play_.In({Get(1, "a"), Idle()});
  play_.hub->OnGone({}, play_.connection);
  const ConnectionId second = play_.hub->Connect();
  EXPECT_THAT(play_.In({Hello()}, {}, second), ElementsAre("welcome"));
  EXPECT_EQ(play_.last_frames[second].now_ns(), 80'000'000);
  EXPECT_THAT(play_.In({At(80_ms, Idle())}, {}, second), ElementsAre("grant for ever"));
}

TEST_F(VirtualTimeTest, AFrameBeforeTheClockIsRefused) {
  play_.backend.OkAt(80_ms, 1);
  play_.In({Get(1, "a"), Idle()});
  EXPECT_THAT(play_.In({At(79_ms, Idle())}),
              ElementsAre("refusal a frame of 79000000 ns after the clock stood at 80000000 ns",
                          "hang up"));
}

TEST_F(VirtualTimeTest, TheLastInstantIsTakenAndOneLaterIsRefused) {
  EXPECT_THAT(play_.In({Idle()}), ElementsAre("grant for ever"));
  EXPECT_THAT(play_.In({At(kVirtualTimeMax, Idle())}), ElementsAre("grant for ever"));
  EXPECT_THAT(play_.In({At(kVirtualTimeMax + Time(1), Idle())}),
              ElementsAre("refusal a frame of 9007199254740993 ns; virtual time ends at "
                          "9007199254740992 ns",
                          "hang up"));
}

TEST_F(VirtualTimeTest, AFramePastTheGrantIsRefused) {
  play_.backend.OkAt(80_ms, 1);
  play_.In({Get(1, "a"), IdleUntil(17_ms)});
  EXPECT_THAT(
      play_.In({At(81_ms, Idle())}),
      ElementsAre("refusal a frame of 81000000 ns, and the clock was granted to 80000000 ns",
                  "hang up"));
}

TEST_F(VirtualTimeTest, ACallAtTheGrantsEndIsRefusedBecauseTheProxysEventsComeFirst) {
  play_.backend.OkAt(80_ms, 1);
  play_.In({Get(1, "a"), IdleUntil(17_ms)});
  EXPECT_THAT(play_.In({At(80_ms, Get(2, "b"))}),
              ElementsAre(HasSubstr("the clock was granted to 80000000 ns"), "hang up"));
}

TEST_F(VirtualTimeTest, AClientThatVanishesLeavesItsCallsInFlightAndTheCaptureClosed) {
  play_.backend.OkAt(80_ms, 1);
  play_.In({Get(1, "a"), Get(2, "b"), IdleUntil(10_ms)});
  play_.hub->OnGone({}, play_.connection);
  EXPECT_EQ(play_.backend.cancelled.size(), 2U);
  ASSERT_TRUE(play_.hub->Close({}, v1::END_REASON_CLOSED).ok());
  const auto written = play_.Written();
  EXPECT_EQ(written.ending, capture::Ending::kClosed);
  ASSERT_EQ(written.calls.size(), 2U);
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_IN_FLIGHT);
  EXPECT_EQ(written.rows.back().kind_case(), v1::Row::kIndex);
  const auto ends = written.RowsOf(v1::Row::kEnd);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end().calls_in_flight(), 2U);
}

TEST_F(VirtualTimeTest, AServerThatDiedIsNeverAnswered) {
  play_.In({SourceInfo(2, "survivor"), Get(1, "a", 1), Get(2, "a", 2)});
  play_.backend.OkAt(80_ms, 2);
  v1::ClientFrame gone;
  gone.set_source(1);
  gone.mutable_server_gone();
  EXPECT_THAT(play_.In({gone, Idle()}), ElementsAre("reply 2 OK", "grant 80000000"));
  EXPECT_THAT(play_.backend.cancelled, ElementsAre(1U));
}

TEST_F(VirtualTimeTest, PlayersAndLimitsThatChangeDuringARunAreRows) {
  v1::ClientFrame players;
  players.set_source(1);
  players.mutable_players()->set_players(7);
  play_.backend.At(80_ms, [](BackendListener& listener, Time now) {
    v1::Limits limits;
    limits.set_reason("players");
    listener.OnLimits(1, now, limits);
  });
  play_.In({players, Idle()});
  play_.In({Idle()});
  const auto written = play_.Written();
  const auto counts = written.RowsOf(v1::Row::kPlayerCount);
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].player_count().source(), 1U);
  EXPECT_EQ(counts[0].player_count().players(), 7U);
  const auto limits = written.RowsOf(v1::Row::kLimits);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].limits().reason(), "players");
}

TEST_F(VirtualTimeTest, BudgetsBeforeAreReadAtTheCallAndAfterAtTheAnswer) {
  play_.backend.budgets = {{v1::REQUEST_TYPE_STANDARD_READ, 120},
                           {v1::REQUEST_TYPE_STANDARD_WRITE, 60}};
  play_.In({Update(1, "a")});
  play_.backend.budgets = {{v1::REQUEST_TYPE_STANDARD_READ, 119},
                           {v1::REQUEST_TYPE_STANDARD_WRITE, 0}};
  play_.backend.OkAt(80_ms, 1);
  play_.In({Idle()});
  const auto written = play_.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  const auto& budgets = written.calls[0].record.budgets;
  EXPECT_EQ(budgets[0].type, v1::REQUEST_TYPE_STANDARD_READ);
  EXPECT_EQ(budgets[0].before, 120U);
  EXPECT_EQ(budgets[0].after, 119U);
  EXPECT_EQ(budgets[1].before, 60U);
  EXPECT_EQ(budgets[1].after, 0U);  // 0 is not absent.
}

}  // namespace
}  // namespace dstap::proxy
