#include "analyzer/timeline/timeline_builder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/render/renderer.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/report.h"
#include "proto/capture/chunk_builder.h"
#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::About;
using test::CaptureScript;
using test::InFlight;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// Writes down what it is told, a line each.
class Log final : public TimelineVisitor {
 public:
  void OnRecordingBegin(const Recording& recording) override {
    lines.push_back(fmt::format("recording {} of {}", recording.number, recording.file));
  }
  void OnSource(const Source& source) override {
    lines.push_back(fmt::format("source {} {}", source.id, source.name));
  }
  void OnCall(const Call& call, const Step* step) override {
    lines.push_back(fmt::format("call {} {} {} in {}", call.id, call.key, NameOf(call.outcome),
                                step == nullptr ? "no step" : fmt::format("step {}", step->id)));
  }
  void OnStepEnd(const Step& step) override {
    lines.push_back(fmt::format("step {} {}", step.id, step.end ? "ended" : "open"));
  }
  void OnDefect(Defect defect, std::string_view text) override {
    lines.push_back(fmt::format("{} {}", InfoOf(defect).id, text));
  }
  void OnRecordingEnd(const Recording& recording) override {
    lines.push_back(fmt::format("{} calls, {} in flight, {}", recording.calls,
                                recording.calls_in_flight,
                                recording.end ? "closed" : "unfinished"));
  }

  std::vector<std::string> Calls() const {
    std::vector<std::string> calls;
    std::ranges::copy_if(lines, std::back_inserter(calls),
                         [](const std::string& line) { return line.starts_with("call"); });
    return calls;
  }

  std::vector<std::string> lines;
};

Log LogOf(const CaptureScript& script) {
  Log log;
  TimelineBuilder builder({&log});
  script.Feed(builder);
  return log;
}

TEST(TimelineBuilderTest, TellsACaptureInOrder) {
  CaptureScript script;
  script.Header().Source(1, "server");
  script.Begin(1s, {.id = 7}).Call(Update("a", 1s, 2s)).End(2s, 7).Closed(3s);
  EXPECT_THAT(LogOf(script).lines,
              ElementsAre("recording 1 of run.dstap", "source 1 server", "call 1 a ok in step 7",
                          "step 7 ended", "1 calls, 0 in flight, closed"));
}

TEST(TimelineBuilderTest, ACallInFlightIsReplacedByItsLaterRecord) {
  CaptureScript script;
  auto call = Update("a", 1s, 9s);
  call.id = 5;
  script.Header().Call(InFlight(call)).Call(call);
  EXPECT_THAT(LogOf(script).Calls(), ElementsAre("call 5 a ok in no step"));
}

TEST(TimelineBuilderTest, ACallThatIsNeverAnsweredIsInFlightAtTheEnd) {
  CaptureScript script;
  auto open = Update("open", 1s, 1s);
  open.id = 9;
  auto earlier = Update("earlier", 1s, 1s);
  earlier.id = 3;
  script.Header().Call(InFlight(open)).Call(InFlight(earlier));
  auto answered = Update("answered", 2s, 3s);
  answered.id = 4;
  script.Call(answered).Closed(4s);
  const Log log = LogOf(script);
  EXPECT_THAT(log.Calls(),
              ElementsAre("call 4 answered ok in no step", "call 3 earlier in_flight in no step",
                          "call 9 open in_flight in no step"));
  EXPECT_EQ(log.lines.back(), "3 calls, 2 in flight, closed");
}

TEST(TimelineBuilderTest, AHeldCallKeepsItsTextAfterItsRecordIsGone) {
  Log log;
  TimelineBuilder builder({&log});
  builder.BeginFile("run.dstap");
  {
    std::string key = "a key that is too long to be stored inside the string itself";
    auto call = InFlight(Update(key, 1s, 1s));
    call.id = 1;
    builder.Add({.call = &call, .row = nullptr, .time = {}});
    key.assign(key.size(), 'X');
  }
  builder.EndFile({});
  EXPECT_THAT(log.Calls(), ElementsAre("call 1 a key that is too long to be stored inside the "
                                       "string itself in_flight in no step"));
}

TEST(TimelineBuilderTest, AHeldCallBelongsToTheStepItWasIssuedIn) {
  CaptureScript script;
  auto call = Update("a", 1s, 30s);
  call.id = 1;
  script.Header().Begin(1s, {.id = 1}).Call(InFlight(call)).End(2s, 1);
  script.Begin(2s, {.id = 2}).Call(call).End(31s, 2);
  EXPECT_THAT(LogOf(script).lines,
              ElementsAre("recording 1 of run.dstap", "call 1 a ok in step 1", "step 1 ended",
                          "step 2 ended", "1 calls, 0 in flight, unfinished"));
}

TEST(TimelineBuilderTest, ACallLeftInFlightTwiceKeepsItsEndedStep) {
  CaptureScript script;
  auto call = Update("a", 1s, 30s);
  call.id = 1;
  script.Header().Begin(1s, {.id = 1}).Call(InFlight(call)).End(2s, 1).Call(InFlight(call));
  EXPECT_THAT(LogOf(script).lines,
              ElementsAre("recording 1 of run.dstap", "call 1 a in_flight in step 1",
                          "step 1 ended", "1 calls, 1 in flight, unfinished"));
}

TEST(TimelineBuilderTest, ACallRecordedAfterItsStepEndedStillBelongsToIt) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 1}).End(2s, 1).Call(Update("a", 1500ms, 9s));
  EXPECT_THAT(LogOf(script).Calls(), ElementsAre("call 1 a ok in step 1"));
}

TEST(TimelineBuilderTest, TheInstantOfAStepsEndIsTheStepsOnlyForCallsRecordedBeforeIt) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 1});
  script.Call(Update("local", 2s, 2s)).End(2s, 1);
  script.Begin(2s, {.id = 2}).Call(Update("next", 2s, 3s)).End(3s, 2);
  script.Call(Update("none", 3s, 4s));
  EXPECT_THAT(LogOf(script).Calls(),
              ElementsAre("call 1 local ok in step 1", "call 2 next ok in step 2",
                          "call 3 none ok in no step"));
}

TEST(TimelineBuilderTest, ACallIssuedBeforeAStepBeganIsNotPartOfIt) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 1});
  script.Call(Update("before", 999'999'999ns, 2s)).Call(Update("at", 1s, 2s)).End(2s, 1);
  EXPECT_THAT(LogOf(script).Calls(),
              ElementsAre("call 1 before ok in no step", "call 2 at ok in step 1"));
}

TEST(TimelineBuilderTest, AConcatenatedRecordingStartsAnew) {
  CaptureScript script;
  auto open = Update("open", 1s, 1s);
  open.id = 1;
  script.Header().Source(1, "first").Begin(0s, {.id = 1}).Call(InFlight(open));
  auto same_id = Update("second", 1s, 2s);
  same_id.id = 1;
  script.Header().Begin(0s, {.id = 1}).Call(same_id).End(3s, 1).Closed(3s);
  EXPECT_THAT(
      LogOf(script).lines,
      ElementsAre("recording 1 of run.dstap", "source 1 first", "call 1 open in_flight in step 1",
                  "step 1 open", "1 calls, 1 in flight, unfinished", "recording 2 of run.dstap",
                  "call 1 second ok in step 1", "step 1 ended", "1 calls, 0 in flight, closed"));
}

TEST(TimelineBuilderTest, ReadsSeveralFiles) {
  Log log;
  TimelineBuilder builder({&log});
  CaptureScript().Header().Closed(1s).Feed(builder, "a.dstap");
  CaptureScript().Header().Closed(1s).Feed(builder, "b.dstap");
  EXPECT_THAT(log.lines, ElementsAre("recording 1 of a.dstap", "0 calls, 0 in flight, closed",
                                     "recording 1 of b.dstap", "0 calls, 0 in flight, closed"));
}

TEST(TimelineBuilderTest, AnEndWithoutABeginIsADefect) {
  CaptureScript script;
  script.Header().End(1s, 4);
  EXPECT_THAT(LogOf(script).lines,
              ElementsAre("recording 1 of run.dstap", "step-end-without-begin step 4",
                          "0 calls, 0 in flight, unfinished"));
}

TEST(TimelineBuilderTest, AStepWithoutAnEndIsToldAsOpen) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 4}).Begin(2s, {.id = 2}).Closed(3s);
  EXPECT_THAT(LogOf(script).lines, ElementsAre("recording 1 of run.dstap", "step 4 open",
                                               "step 2 open", "0 calls, 0 in flight, closed"));
}

TEST(TimelineBuilderTest, TheIdOfAnOpenStepUsedAgainEndsTheFirst) {
  CaptureScript script;
  auto call = Update("a", 1s, 3s);
  call.id = 8;
  script.Header().Begin(1s, {.id = 1}).Call(InFlight(call));
  script.Begin(2s, {.id = 1}).Call(call).End(3s, 1);
  EXPECT_THAT(LogOf(script).lines, ElementsAre("recording 1 of run.dstap", "step-id-again step 1",
                                               "step 1 open", "call 8 a ok in no step",
                                               "step 1 ended", "1 calls, 0 in flight, unfinished"));
}

TEST(TimelineBuilderTest, AStepThatEndsBeforeItBeganIsADefect) {
  CaptureScript script;
  script.Header().Begin(2s, {.id = 1, .name = "load"}).End(1s, 1);
  EXPECT_THAT(LogOf(script).lines, testing::Contains("time-went-back step 1 \"load\""));
}

TEST(TimelineBuilderTest, RecordsBeforeAnyHeaderAreADefect) {
  CaptureScript script;
  script.Call(Update("a", 1s, 2s));
  EXPECT_THAT(LogOf(script).lines, testing::Contains("no-header "));
}

TEST(TimelineBuilderTest, AFileWithoutRecordsHasNoRecording) {
  EXPECT_THAT(LogOf(CaptureScript()).lines, IsEmpty());
}

TEST(TimelineBuilderTest, TheLossesOfTheEndRecordIncludeThoseToldBefore) {
  class Losses final : public TimelineVisitor {
   public:
    void OnRecordingEnd(const Recording& recording) override { lost = recording.calls_lost; }
    uint64_t lost = 0;
  } losses;
  TimelineBuilder builder({&losses});
  v1::Row row;
  row.mutable_loss()->set_calls(3);
  CaptureScript().Header().Row(1s, row).Closed(2s, 5).Feed(builder);
  EXPECT_EQ(losses.lost, 5U);
  CaptureScript().Header().Row(1s, row).Row(2s, row).Feed(builder);
  EXPECT_EQ(losses.lost, 6U);
}

TEST(TimelineBuilderTest, NumbersOfANewerCaptureBecomeUnknown) {
  CaptureScript script;
  auto call = Update("a", 1s, 2s);
  call.method = static_cast<v1::Method>(200);
  call.outcome = static_cast<v1::Outcome>(99);
  script.Header().Call(call);
  EXPECT_THAT(LogOf(script).Calls(), ElementsAre("call 1 a unknown in no step"));
}

struct Held {
  size_t calls = 0;
  size_t steps = 0;

  friend bool operator==(const Held&, const Held&) = default;
};

// The most that the builder holds while it reads `calls` calls, ten in each step, one of which is
// recorded in flight and again with its answer.
Held MostHeld(uint64_t calls) {
  TimelineBuilder builder({});
  Held most;
  v1::Row begin;
  v1::Row end;
  builder.BeginFile("run.dstap");
  for (uint64_t id = 1; id <= calls; ++id) {
    const Time now = id * 10ms;
    const auto add_row = [&](const v1::Row& row) {
      builder.Add({.call = nullptr, .row = &row, .time = now});
    };
    if (id % 10 == 1) {
      begin.mutable_step_begin()->set_id(id);
      begin.mutable_step_begin()->set_source(1);
      add_row(begin);
    }
    auto call = Update("a", now, now + 5ms);
    call.id = id;
    if (id % 10 == 5) {
      const auto open = InFlight(call);
      builder.Add({.call = &open, .row = nullptr, .time = {}});
    }
    most.calls = std::max(most.calls, builder.calls_held());
    builder.Add({.call = &call, .row = nullptr, .time = {}});
    if (id % 10 == 0) {
      end.mutable_step_end()->set_id(id - 9);
      add_row(end);
    }
    most.steps = std::max(most.steps, builder.steps_held());
  }
  builder.EndFile({});
  return most;
}

TEST(TimelineBuilderTest, WhatItHoldsDoesNotGrowWithTheCapture) {
  // One step more than those that wait: the one that is open.
  const Held most = {.calls = 1, .steps = kWaitingStepsMax + 1};
  EXPECT_EQ(MostHeld(20'000), most);
  EXPECT_EQ(MostHeld(1'000'000), most);
}

TEST(TimelineBuilderTest, AStepLeavesWhenMoreThanTheLimitWaitAfterIt) {
  for (const uint64_t steps : {kWaitingStepsMax, kWaitingStepsMax + 1}) {
    CaptureScript script;
    script.Header();
    for (uint64_t id = 1; id <= steps; ++id) script.Begin(1s, {.id = id}).End(2s, id);
    script.Begin(3s, {.id = steps + 1});
    Log log;
    TimelineBuilder builder({&log});
    builder.BeginFile("run.dstap");
    script.ForEach([&builder](const capture::Record& record) { builder.Add(record); });
    EXPECT_EQ(std::ranges::count(log.lines, "step 1 ended"), steps > kWaitingStepsMax ? 1 : 0);
    EXPECT_EQ(std::ranges::count(log.lines, "step 2 ended"), 0);
    builder.EndFile({});
  }
}

// Feeds a script as one chunk.
void FeedChunk(const CaptureScript& script, TimelineBuilder& builder) {
  capture::ChunkBuilder chunk(1000);
  script.ForEach([&chunk](const capture::Record& record) {
    ASSERT_TRUE(record.call != nullptr ? chunk.Add(*record.call)
                                       : chunk.AddRow(record.time, v1::Row(*record.row)));
  });
  std::string bytes(chunk.ByteSize(), '\0');
  chunk.WriteTo(bytes.data());
  capture::ChunkDecoder decoder;
  ASSERT_TRUE(decoder.Load(bytes).ok());
  builder.BeginFile("run.dstap");
  builder.AddChunk(decoder);
  builder.EndFile({});
}

std::string TextOf(ReportViews& views) {
  const auto json = std::ranges::find(AllRenderers(), "json", &RendererEntry::name);
  return json->render(views.Take(), {});
}

// Every combination of what is counted of a call, of a source with a step and of one without;
// methods, outcomes and servers that this version does not know among them.
CaptureScript AllKindsOfCalls() {
  CaptureScript script;
  script.Header().Source(1, "with steps").Source(2, "without");
  Time now = 1s;
  uint64_t step = 0;
  for (int kind = 0; kind < 2 * 9 * 4 * 4 * 8; ++kind) {
    auto call = Update("a", now, now + 20ms);
    call.source = 1 + kind % 2;
    call.outcome = static_cast<v1::Outcome>(kind / 2 % 9);
    call.served_by = static_cast<v1::ServedBy>(kind / 18 % 4);
    call.use_cache = static_cast<v1::UseCache>(kind / 72 % 4);
    call.method = static_cast<v1::Method>(kind % 7 == 0 ? 500 : kind % 64);
    if ((kind / 288 & 1) != 0) call.admitted.reset();
    if ((kind / 288 & 2) != 0) call.times_queued = 1;
    if ((kind / 288 & 4) != 0)
      call.budgets[1] = {.type = v1::REQUEST_TYPE_STANDARD_WRITE, .taken = 1};
    if (kind % 5 == 0) call.completed.reset();
    if (kind % 11 == 0) call.error_code = 301;
    if (kind % 3 == 0) call.written = capture::ValueInfo{.bytes = 5};
    if (kind % 16 == 1) script.Begin(now, {.id = ++step, .about = {About("Players", "a")}});
    script.Call(call);
    if (kind % 16 == 9) script.End(now, step);
    if (kind % 13 == 0) now += 30ms;
  }
  return script;
}

TEST(TimelineBuilderTest, AChunkIsReportedAsItsRecordsOneByOneAre) {
  const CaptureScript script = AllKindsOfCalls();
  ReportViews by_record;
  TimelineBuilder one_by_one(by_record.visitors());
  script.Feed(one_by_one);
  ReportViews by_chunk;
  TimelineBuilder at_once(by_chunk.visitors());
  FeedChunk(script, at_once);
  EXPECT_EQ(TextOf(by_chunk), TextOf(by_record));
}

TEST(TimelineBuilderTest, AVisitorThatNeedsWholeCallsIsToldThemWhoeverElseListens) {
  class Summaries final : public TimelineVisitor {
   public:
    OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kSummary; }
    void OnCall(const Call&, const Step*) override { ++whole; }
    void OnCallOutsideSteps(const CallSummary&) override { ++summaries; }
    int whole = 0;
    int summaries = 0;
  };
  CaptureScript script;
  script.Header().Call(Update("a", 1s, 2s)).Begin(2s, {}).Call(Update("b", 2s, 3s)).End(3s, 1);
  script.Call(Update("c", 3s, 4s));
  Summaries alone;
  TimelineBuilder builder({&alone});
  FeedChunk(script, builder);
  EXPECT_EQ(alone.whole, 1);
  EXPECT_EQ(alone.summaries, 2);
  Summaries with_log;
  Log log;
  TimelineBuilder both({&with_log, &log});
  FeedChunk(script, both);
  EXPECT_EQ(with_log.whole, 3);
  EXPECT_EQ(with_log.summaries, 0);
  EXPECT_THAT(log.Calls(), ElementsAre("call 1 a ok in no step", "call 2 b ok in step 1",
                                       "call 3 c ok in no step"));
}

TEST(TimelineBuilderTest, ACallInFlightOfAChunkIsReplacedByItsLaterRecord) {
  CaptureScript script;
  auto call = Update("a", 1s, 9s);
  call.id = 5;
  script.Header().Source(1, "server").Call(InFlight(call)).Call(call);
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  FeedChunk(script, builder);
  const Report report = views.Take();
  EXPECT_EQ(report.overview.calls, 1U);
  EXPECT_EQ(report.traffic.at(0).calls, 1U);
}

}  // namespace
}  // namespace dstap::analyzer
