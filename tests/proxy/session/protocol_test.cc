// What a client may not do, and what the hub does about it; and the wall clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/session/playbook.h"

namespace dstap::proxy {
namespace {

using std::chrono::milliseconds;
using test::Get;
using test::Hello;
using test::Playbook;
using test::SourceInfo;
using test::Update;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time operator""_ms(unsigned long long n) { return milliseconds(n); }

v1::ClientFrame WallHello() { return Hello(v1::CLOCK_KIND_WALL); }

struct BadFrames {
  const char* name;
  std::vector<v1::ClientFrame> frames;  // After hello and source 1, unless first.
  const char* refusal;
};

v1::ClientFrame With(v1::ClientFrame frame, const std::function<void(v1::ClientFrame&)>& change) {
  change(frame);
  return frame;
}

std::vector<BadFrames> AllBadFrames() {
  v1::ClientFrame nothing;
  v1::ClientFrame step;
  step.set_source(1);
  step.mutable_step_begin()->set_id(3);
  v1::ClientFrame end;
  end.set_source(1);
  end.mutable_step_end()->set_id(4);
  return {
      {"SecondHello", {WallHello()}, "a second hello"},
      {"SourceZero", {SourceInfo(0, "x")}, "a source's id is 0"},
      {"UnknownSource", {Get(1, "a", 7)}, "source 7 was not introduced by source_info"},
      {"CallZero", {Get(0, "a")}, "a call's id is 0"},
      {"CallTwice", {Get(1, "a"), Get(1, "b")}, "call 1 is open already"},
      {"NoMethod",
       {test::MakeCall(1, v1::METHOD_UNKNOWN, "a")},
       "a call without a method that this proxy knows"},
      {"UnknownMethod",
       {test::MakeCall(1, static_cast<v1::Method>(9999), "a")},
       "a call without a method that this proxy knows"},
      {"UnknownRequestType",
       {test::BudgetOf(1, static_cast<v1::RequestType>(9999))},
       "a query for a request type that this proxy does not know"},
      {"UnknownStoreKind",
       {With(Get(1, "a"),
             [](auto& f) {
               f.mutable_call()->mutable_store()->set_kind(static_cast<v1::StoreKind>(99));
             })},
       "call 1 has a store kind or a UseCache that this proxy does not know"},
      {"LongKey",
       {Get(1, std::string(kNameBytesMax + 1, 'k'))},
       "a key of 65537 bytes is longer than 65536"},
      {"ResultOfNoCall",
       {test::TransformValue(5, "1")},
       "a transform result for call 5, which is not open"},
      {"ResultNobodyAskedFor",
       {Update(5, "a"), test::TransformValue(5, "1")},
       "a transform result for run 1 of call 5; none was asked for"},
      {"RefusedRead",
       {With(Get(1, "a"), [](auto& f) { f.mutable_call()->set_refused("104: no"); })},
       "call 1 is refused for what it stores, and stores nothing of its own"},
      {"StepZero",
       {With(step, [](auto& f) { f.mutable_step_begin()->set_id(0); })},
       "a step's id is 0"},
      {"StepTwice", {step, step}, "step 3 is open already"},
      {"EndOfNoStep", {end}, "step 4 ends and is not open"},
      {"IdleOnTheWallClock", {test::Idle()}, "idle is not for the wall clock"},
      {"FrameWithoutAKind", {nothing}, "a frame of a kind that this proxy does not know"},
  };
}

class BadFramesTest : public testing::TestWithParam<BadFrames> {};

TEST_P(BadFramesTest, EndTheConnectionWithAReasonAreRecordedAndTheOthersGoOn) {
  Playbook play(v1::CLOCK_KIND_WALL);
  const ConnectionId other = play.hub->Connect();
  play.In({WallHello(), SourceInfo(1, "good")}, 0_ms, other);
  ASSERT_THAT(play.In({WallHello(), SourceInfo(1, "bad")}), ElementsAre("welcome"));
  std::string bytes;
  for (const auto& frame : GetParam().frames) bytes += test::Delimited(frame);
  EXPECT_THAT(play.InBytes(bytes, 1_ms),
              ElementsAre(std::string("refusal ") + GetParam().refusal, "hang up"));
  EXPECT_THAT(play.In({Get(9, "ignored")}, 2_ms), ElementsAre("hang up"));  // Said until it hangs.
  play.hub->OnGone(3_ms, play.connection);

  const CallId next = play.recorder->calls() + 1;
  play.backend.OkAt(5_ms, next);
  play.In({Get(1, "a")}, 4_ms, other);
  play.hub->Advance(5_ms);
  EXPECT_THAT(play.Out(5_ms, other), ElementsAre("reply 1 OK"));
  ASSERT_TRUE(play.hub->Close(6_ms, v1::END_REASON_CLOSED).ok());
  const auto notices = play.Written().RowsOf(v1::Row::kNotice);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].notice().text(), std::string("a client was refused: ") + GetParam().refusal);
}

INSTANTIATE_TEST_SUITE_P(All, BadFramesTest, testing::ValuesIn(AllBadFrames()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ProtocolTest, TheFirstFrameMustBeHello) {
  Playbook play(v1::CLOCK_KIND_WALL);
  EXPECT_THAT(play.In({SourceInfo(1, "x")}),
              ElementsAre("refusal the first frame is not hello", "hang up"));
}

TEST(ProtocolTest, AClientOfTheOtherClockIsToldWhatToDo) {
  Playbook virtual_play;
  EXPECT_THAT(virtual_play.In({WallHello()}),
              ElementsAre("refusal the client keeps wall time and this recording virtual time; "
                          "start \"dstap record --wall\"",
                          "hang up"));
  Playbook wall_play(v1::CLOCK_KIND_WALL);
  EXPECT_THAT(wall_play.In({Hello()}), ElementsAre(HasSubstr("without --wall"), "hang up"));
}

TEST(ProtocolTest, AnotherProtocolVersionIsRefused) {
  Playbook play;
  v1::ClientFrame hello = Hello();
  hello.mutable_hello()->set_protocol(2);
  EXPECT_THAT(play.In({hello}),
              ElementsAre("refusal the client speaks protocol 2, this proxy 1", "hang up"));
}

TEST(ProtocolTest, AFrameThatDoesNotParseIsRefusedAndRecorded) {
  Playbook play;
  play.In({Hello()});
  EXPECT_THAT(play.InBytes("\x02\xff\xff"),
              ElementsAre(HasSubstr("a frame of 2 bytes is no ClientFrame"), "hang up"));
}

TEST(ProtocolTest, AClientThatLeavesInTheMiddleOfAFrameIsNoted) {
  Playbook play;
  play.In({Hello()});
  play.InBytes("\x20half");
  play.hub->OnGone({}, play.connection);
  ASSERT_TRUE(play.hub->Close({}, v1::END_REASON_CLOSED).ok());
  const auto notices = play.Written().RowsOf(v1::Row::kNotice);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].notice().text(),
            "a client left in the middle of a frame: 5 bytes of it had come");
}

TEST(ProtocolTest, AsManyCallsAsTheLimitMayBeOpenAndOneMoreIsRefused) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x")});
  std::string bytes;
  for (uint64_t id = 1; id <= kCallsOpenMax; ++id) bytes += test::Delimited(Get(id, "k"));
  EXPECT_THAT(play.InBytes(bytes), IsEmpty());
  EXPECT_THAT(play.In({Get(kCallsOpenMax + 1, "k")}),
              ElementsAre("refusal more than 65536 calls are open on one connection", "hang up"));
}

TEST(ProtocolTest, AKeyOfTheLimitIsPassedOn) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x")});
  EXPECT_THAT(play.In({Get(1, std::string(kNameBytesMax, 'k'))}), IsEmpty());
  EXPECT_EQ(play.backend.submitted.size(), 1U);
}

TEST(ProtocolTest, AServerThatIsGoneCancelsItsCallsAndItsPlayersNoLongerCount) {
  Playbook play(v1::CLOCK_KIND_WALL);
  const auto crowd = [](auto& frame) { frame.mutable_source_info()->set_players(7); };
  v1::ClientFrame gone;
  gone.set_source(1);
  gone.mutable_server_gone();
  play.In({WallHello(), With(SourceInfo(1, "a"), crowd), With(SourceInfo(2, "b"), crowd),
           Get(1, "k"), Get(2, "k", 2)});
  EXPECT_EQ(play.backend.players_, (std::map<SourceId, uint32_t>{{1, 7}, {2, 7}}));
  EXPECT_THAT(play.In({gone}), IsEmpty());
  EXPECT_EQ(play.backend.players_, (std::map<SourceId, uint32_t>{{1, 0}, {2, 7}}));
  EXPECT_THAT(play.backend.cancelled, ElementsAre(1));
}

TEST(ProtocolTest, AServerThatBeginsToCloseIsToldToTheBackend) {
  Playbook play(v1::CLOCK_KIND_WALL);
  v1::ClientFrame closing;
  closing.set_source(2);
  closing.mutable_server_closing();
  play.In({WallHello(), SourceInfo(1, "a"), SourceInfo(2, "b"), closing});
  EXPECT_THAT(play.backend.closing, ElementsAre(2));
}

TEST(ProtocolTest, SourcesStepsAndCallsOfTwoClientsGetNumbersOfTheirOwn) {
  Playbook play(v1::CLOCK_KIND_WALL);
  const ConnectionId other = play.hub->Connect();
  v1::ClientFrame step;
  step.set_source(1);
  step.mutable_step_begin()->set_id(1);
  step.mutable_step_begin()->set_name("load");
  play.backend.OkAt(5_ms, 1);
  play.backend.OkAt(5_ms, 2);
  play.In({WallHello(), SourceInfo(1, "a"), step, Get(1, "k")}, 0_ms);
  play.In({WallHello(), SourceInfo(1, "b"), step, Get(1, "k")}, 0_ms, other);
  play.hub->Advance(5_ms);
  EXPECT_THAT(play.Out(5_ms), ElementsAre("reply 1 OK"));
  EXPECT_THAT(play.Out(5_ms, other), ElementsAre("reply 1 OK"));
  ASSERT_TRUE(play.hub->Close(6_ms, v1::END_REASON_CLOSED).ok());
  const auto written = play.Written();
  ASSERT_EQ(written.calls.size(), 2U);
  EXPECT_EQ(written.calls[0].record.source, 1U);
  EXPECT_EQ(written.calls[1].record.source, 2U);
  const auto steps = written.RowsOf(v1::Row::kStepBegin);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].step_begin().id(), 1U);
  EXPECT_EQ(steps[1].step_begin().id(), 2U);
  EXPECT_EQ(steps[1].step_begin().source(), 2U);
}

TEST(WallClockTest, AReplyWaitsForTheCommitThatCoversItsRecord) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x"), Get(1, "a")});
  play.backend.OkAt(5_ms, 1);
  EXPECT_EQ(play.hub->NextEvent(), 5_ms);
  play.hub->Advance(5_ms);
  EXPECT_THAT(play.Written().calls, IsEmpty());
  EXPECT_THAT(play.Out(5_ms), ElementsAre("reply 1 OK"));
  EXPECT_EQ(play.Written().calls.size(), 1U);
}

TEST(WallClockTest, ALongOpenCallMakesTheHubWakeAndRecordIt) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x"), Get(1, "a")}, 7_ms);
  ASSERT_EQ(play.hub->NextEvent(), 57_ms);
  play.hub->Advance(57_ms);
  EXPECT_THAT(play.Out(57_ms), IsEmpty());
  EXPECT_EQ(play.Written().calls.size(), 1U);
  EXPECT_EQ(play.hub->NextEvent(), std::nullopt);
}

TEST(WallClockTest, RowsAreCommittedThoughNothingIsAnswered) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x")}, 7_ms);
  EXPECT_THAT(play.Written().RowsOf(v1::Row::kSource), IsEmpty());
  ASSERT_EQ(play.hub->NextEvent(), 57_ms);
  play.hub->Advance(57_ms);
  play.Out(57_ms);
  EXPECT_EQ(play.Written().RowsOf(v1::Row::kSource).size(), 1U);
}

TEST(WallClockTest, AClockThatGoesBackDoesNotMoveTheRecording) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x")}, 9_ms);
  play.In({Get(1, "a")}, 4_ms);
  EXPECT_EQ(play.hub->now(), 9_ms);
}

TEST(FullDiskTest, CallsKeepTheirAnswersAndTheLossIsInTheFileOnceItCanBeWritten) {
  Playbook play(v1::CLOCK_KIND_WALL);
  play.In({WallHello(), SourceInfo(1, "x")}, 0_ms);
  play.sink().fail = true;
  play.backend.OkAt(5_ms, 1);
  play.In({Get(1, "lost")}, 4_ms);
  play.hub->Advance(5_ms);
  EXPECT_THAT(play.Out(5_ms), ElementsAre("reply 1 OK"));
  EXPECT_THAT(play.hub->error().message(), HasSubstr("No space left on device"));
  play.sink().fail = false;
  play.backend.OkAt(7_ms, 2);
  play.In({Get(2, "kept")}, 6_ms);
  play.hub->Advance(7_ms);
  EXPECT_THAT(play.Out(7_ms), ElementsAre("reply 2 OK"));
  ASSERT_TRUE(play.hub->Close(8_ms, v1::END_REASON_CLOSED).ok());
  const auto written = play.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].key, "kept");
  const auto losses = written.RowsOf(v1::Row::kLoss);
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].loss().calls(), 1U);
}

TEST(ValuesTest, BoundsAndCursorsOfListsAreValuesToo) {
  for (const bool values : {false, true}) {
    SCOPED_TRACE(values);
    Playbook play(v1::CLOCK_KIND_WALL, values);
    v1::ClientFrame sorted = test::MakeCall(1, v1::METHOD_GET_SORTED_ASYNC, "");
    sorted.mutable_call()->mutable_list()->set_page_size(7);
    sorted.mutable_call()->mutable_list()->set_cursor("77777 key2");
    sorted.mutable_call()->mutable_list()->set_min_value(77777);
    play.backend.OkAt(5_ms, 1);
    play.In({WallHello(), SourceInfo(1, "x"), sorted}, 0_ms);
    play.hub->Advance(5_ms);
    play.Out(5_ms);
    ASSERT_EQ(play.Written().lists.size(), 1U);
    const v1::ListArguments list = play.Written().lists[0];
    EXPECT_EQ(list.page_size(), 7U);
    EXPECT_EQ(list.has_cursor(), values);
    EXPECT_EQ(list.has_min_value(), values);
  }
}

TEST(ProtocolTest, WhatTheClientsEngineRefusesReachesTheBackendAndNoValueIsRecorded) {
  Playbook play(v1::CLOCK_KIND_WALL);
  v1::ClientFrame set = test::MakeCall(1, v1::METHOD_SET_ASYNC, "a");
  set.mutable_call()->set_refused("104: no");
  play.backend.TransformAt(2_ms, 2, {});
  play.In({WallHello(), SourceInfo(1, "x"), set, Update(2, "b")}, 0_ms);
  ASSERT_EQ(play.backend.submitted.size(), 2U);
  EXPECT_EQ(play.backend.submitted.front().second.refused, "104: no");
  play.hub->Advance(2_ms);
  play.Out(2_ms);
  v1::ClientFrame result = test::TransformValue(2, "");
  result.mutable_transform_result()->set_error("103: no");
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_REJECTED;
  answer.error.text = "103: no";
  play.backend.AnswerAt(3_ms, 2, answer);
  play.In({result}, 2_ms);
  EXPECT_EQ(play.backend.transformed.front().second.error, "103: no");
  play.hub->Advance(3_ms);
  EXPECT_THAT(play.Out(3_ms), ElementsAre("reply 2 REJECTED"));
  const auto written = play.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].error_text, "103: no");
  EXPECT_FALSE(written.calls[0].record.written.has_value());
  ASSERT_EQ(written.calls[0].runs.size(), 1U);
  EXPECT_EQ(written.calls[0].runs[0].outcome, v1::TRANSFORM_OUTCOME_VALUE);
}

TEST(RecorderTest, ACallDoesNotInheritTheListArgumentsOfOneBeforeIt) {
  Playbook play(v1::CLOCK_KIND_WALL);
  v1::ClientFrame list = test::MakeCall(1, v1::METHOD_LIST_KEYS_ASYNC, "");
  list.mutable_call()->mutable_list()->set_prefix("my");
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.items.resize(1);
  play.backend.AnswerAt(5_ms, 1, answer);
  play.In({WallHello(), SourceInfo(1, "x"), list}, 0_ms);
  play.hub->Advance(5_ms);
  play.Out(5_ms);
  play.backend.AnswerAt(7_ms, 2, answer);
  play.In({test::MakeCall(2, v1::METHOD_LIST_DATA_STORES_ASYNC, "")}, 6_ms);
  play.hub->Advance(7_ms);
  play.Out(7_ms);
  const auto written = play.Written();
  ASSERT_EQ(written.lists.size(), 2U);
  EXPECT_EQ(written.lists[0].prefix(), "my");
  EXPECT_FALSE(written.lists[1].has_prefix());
  EXPECT_EQ(written.lists[1].items(), 1U);
}

TEST(ValuesTest, AreOnlyRecordedWhenAskedFor) {
  for (const bool values : {false, true}) {
    SCOPED_TRACE(values);
    Playbook play(v1::CLOCK_KIND_WALL, values);
    play.backend.OkAt(5_ms, 1, "\"secret\"");
    play.In({WallHello(), SourceInfo(1, "x"), Get(1, "a")}, 0_ms);
    play.hub->Advance(5_ms);
    play.Out(5_ms);
    const auto written = play.Written();
    ASSERT_EQ(written.calls.size(), 1U);
    ASSERT_TRUE(written.calls[0].record.read.has_value());
    EXPECT_EQ(written.calls[0].record.read->bytes, 8U);
    EXPECT_NE(written.calls[0].record.read->hash, 0U);
    EXPECT_EQ(written.calls[0].record.read->value.has_value(), values);
  }
}

}  // namespace
}  // namespace dstap::proxy
