// Calls that the client answers itself: the proxy records them, and the backend never hears of
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/session/playbook.h"

namespace dstap::proxy {
namespace {

using std::chrono::milliseconds;
using test::At;
using test::Hello;
using test::Idle;
using test::IdleUntil;
using test::Playbook;
using test::SourceInfo;
using testing::ElementsAre;

constexpr Time operator""_ms(unsigned long long n) { return milliseconds(n); }

v1::ClientFrame MapUpdate(uint64_t id, uint32_t source = 1) {
  v1::ClientFrame frame = test::MakeCall(id, v1::METHOD_MEMORY_SORTED_MAP_UPDATE, "Id", source);
  frame.mutable_call()->mutable_store()->set_kind(v1::STORE_KIND_MEMORY_SORTED_MAP);
  return frame;
}

v1::ClientFrame Ran(uint64_t call, uint32_t run, const char* given, const char* value) {
  v1::ClientFrame frame = test::TransformValue(call, value, run);
  if (given != nullptr) frame.mutable_transform_result()->set_given(given);
  return frame;
}

v1::ClientFrame OwnReply(uint64_t call, v1::Outcome outcome = v1::OUTCOME_OK, uint32_t source = 1) {
  v1::ClientFrame frame;
  frame.set_source(source);
  frame.mutable_own_reply()->set_call(call);
  frame.mutable_own_reply()->set_outcome(outcome);
  return frame;
}

TEST(OwnCallsTest, ACallOfMemoryStoreIsRecordedWithItsRunsAndNobodyAnswersIt) {
  Playbook play(v1::CLOCK_KIND_VIRTUAL, true);
  play.In({Hello(), SourceInfo(1, "server")});
  EXPECT_THAT(play.In({MapUpdate(7), IdleUntil(20_ms)}), ElementsAre("grant for ever"));
  EXPECT_THAT(play.In({At(20_ms, Ran(7, 1, nullptr, "1")), At(20_ms, IdleUntil(50_ms))}),
              ElementsAre("grant for ever"));
  EXPECT_THAT(
      play.In({At(50_ms, Ran(7, 2, "\"other\"", "22")), At(50_ms, OwnReply(7)), At(50_ms, Idle())}),
      ElementsAre("grant for ever"));
  const auto written = play.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  const test::KeptCall& call = written.calls[0];
  EXPECT_EQ(call.record.method, v1::METHOD_MEMORY_SORTED_MAP_UPDATE);
  EXPECT_EQ(call.record.store_kind, v1::STORE_KIND_MEMORY_SORTED_MAP);
  EXPECT_EQ(call.record.issued, 0_ms);
  EXPECT_EQ(call.record.completed, 50_ms);
  EXPECT_EQ(call.record.outcome, v1::OUTCOME_OK);
  ASSERT_EQ(call.runs.size(), 2U);
  EXPECT_EQ(call.runs[0].started, 20_ms);
  EXPECT_EQ(call.runs[1].started, 50_ms);
  EXPECT_EQ(call.record.read->bytes, 7U);     // "other" with its quotes, what the last run got.
  EXPECT_EQ(call.record.written->bytes, 2U);  // What it gave.
  EXPECT_EQ(call.record.budgets[0].type, v1::REQUEST_TYPE_UNKNOWN);
}

TEST(OwnCallsTest, AServerThatDiedLeavesItsOwnCallsInFlight) {
  Playbook play;
  play.In({Hello(), SourceInfo(1, "server")});
  v1::ClientFrame gone;
  gone.set_source(1);
  gone.mutable_server_gone();
  play.In({MapUpdate(7), gone, Idle()});
  const auto written = play.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_IN_FLIGHT);
}

TEST(OwnCallsTest, TheFirstAndTheLastMethodOfTheClientsAreItsOwn) {
  for (const v1::Method method : {v1::METHOD_MEMORY_MAP_GET, v1::METHOD_SUBSCRIBE_ASYNC}) {
    Playbook play;
    play.In({Hello(), SourceInfo(1, "server"), test::MakeCall(1, method, "k")});
    EXPECT_THAT(play.In({OwnReply(1), Idle()}), ElementsAre("grant for ever"));
    EXPECT_EQ(play.Written().calls.at(0).record.outcome, v1::OUTCOME_OK);
  }
}

struct BadReply {
  const char* name;
  std::vector<v1::ClientFrame> frames;
  const char* refusal;
};

class BadRepliesTest : public testing::TestWithParam<BadReply> {};

TEST_P(BadRepliesTest, EndTheConnectionWithAReason) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({Hello(v1::CLOCK_KIND_WALL), SourceInfo(1, "a"), SourceInfo(2, "b")});
  std::string bytes;
  for (const auto& frame : GetParam().frames) bytes += test::Delimited(frame);
  EXPECT_THAT(play.InBytes(bytes, 1_ms),
              ElementsAre(std::string("refusal ") + GetParam().refusal, "hang up"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadRepliesTest,
    testing::Values(BadReply{"NoCall", {OwnReply(3)}, "a reply for call 3, which is not open"},
                    BadReply{"Twice",
                             {MapUpdate(3), OwnReply(3), OwnReply(3)},
                             "a reply for call 3, which is not open"},
                    BadReply{"TheBackendsCall",
                             {test::Get(3, "a"), OwnReply(3)},
                             "a reply for call 3, which is not its source's to answer"},
                    BadReply{"AnotherSourcesCall",
                             {MapUpdate(3, 2), OwnReply(3)},
                             "a reply for call 3, which is not its source's to answer"},
                    BadReply{"NoOutcome",
                             {MapUpdate(3), OwnReply(3, v1::OUTCOME_UNKNOWN)},
                             "the reply for call 3 says no outcome"},
                    BadReply{"InFlight",
                             {MapUpdate(3), OwnReply(3, v1::OUTCOME_IN_FLIGHT)},
                             "the reply for call 3 says no outcome"},
                    BadReply{"SecondRunFirst",
                             {MapUpdate(3), Ran(3, 2, nullptr, "1")},
                             "a transform result for run 2 of call 3; run 1 comes next"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace dstap::proxy
