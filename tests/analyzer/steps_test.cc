#include "analyzer/views/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::Get;
using test::GetPast;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

StepsTable TableOf(std::initializer_list<CaptureScript> scripts) {
  StepsView view;
  TimelineBuilder builder({&view});
  for (const CaptureScript& script : scripts) script.Feed(builder);
  return view.Table();
}

// A capture of one subject with a sample of "load" for each of `times`.
CaptureScript Loads(std::string_view subject, std::string_view version, std::vector<Time> times) {
  CaptureScript script;
  script.Header().Source(1, "server", subject, version);
  Time now{};
  for (size_t i = 0; i < times.size(); ++i) {
    now += 100s;
    script.Begin(now, {.id = i + 1, .subject = subject, .sample = static_cast<uint32_t>(i + 1)});
    script.Call(Update("a", now, now + times[i])).End(now + times[i], i + 1);
  }
  return script;
}

const StepRow& OnlyRow(const StepsTable& table) {
  EXPECT_EQ(table.subjects.size(), 1U);
  EXPECT_EQ(table.subjects.at(0).steps.size(), 1U);
  return table.subjects.at(0).steps.at(0);
}

TEST(StepsTest, CountsRequestsByMethodAndKeepsReadsPastTheCacheApart) {
  CaptureScript script;
  script.Header().Begin(1s, {});
  script.Call(Get("a", 1s, 2s)).Call(GetPast("a", 2s, 3s)).Call(GetPast("a", 3s, 4s));
  auto cached = Update("a", 4s, 5s);
  cached.use_cache = v1::USE_CACHE_FALSE;  // Means nothing for an UpdateAsync.
  script.Call(cached).End(5s, 1);
  EXPECT_THAT(OnlyRow(TableOf({script})).requests,
              ElementsAre(NamedRange{"UpdateAsync", {1, 1}}, NamedRange{"GetAsync", {1, 1}},
                          NamedRange{"past", {2, 2}}));
}

TEST(StepsTest, CountsThatVaryBetweenSamplesAreARange) {
  CaptureScript script;
  script.Header();
  script.Begin(1s, {.id = 1}).Call(Update("a", 1s, 2s)).Call(Get("a", 1s, 2s)).End(2s, 1);
  script.Begin(3s, {.id = 2}).Call(Update("a", 3s, 4s)).Call(Update("a", 4s, 5s)).End(5s, 2);
  EXPECT_THAT(OnlyRow(TableOf({script})).requests,
              ElementsAre(NamedRange{"UpdateAsync", {1, 2}}, NamedRange{"GetAsync", {0, 1}}));
}

TEST(StepsTest, AMethodThatComesOnlyInALaterSampleStartsAtZero) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 1}).End(2s, 1);
  script.Begin(3s, {.id = 2}).Call(Update("a", 3s, 4s)).End(5s, 2);
  EXPECT_THAT(OnlyRow(TableOf({script})).requests, ElementsAre(NamedRange{"UpdateAsync", {0, 1}}));
}

TEST(StepsTest, OtherServicesAreNotDataStoreRequests) {
  CaptureScript script;
  script.Header().Begin(1s, {});
  script.Call(test::GoodCall(v1::METHOD_SUBSCRIBE_ASYNC, "", "topic", 1s, 2s));
  script.Call(test::GoodCall(v1::METHOD_MEMORY_MAP_UPDATE, "map", "a", 1s, 2s)).End(2s, 1);
  const StepsTable table = TableOf({script});
  const StepRow& row = OnlyRow(table);
  EXPECT_THAT(row.requests, IsEmpty());
  EXPECT_THAT(row.services, ElementsAre(NamedRange{"MemoryMap.UpdateAsync", {1, 1}},
                                        NamedRange{"SubscribeAsync", {1, 1}}));
  EXPECT_EQ(row.throttling.sent, 0U);
}

TEST(StepsTest, TheMedianOfAnOddNumberIsTheMiddleOne) {
  EXPECT_EQ(OnlyRow(TableOf({Loads("lib", "1", {5s, 1s, 2s})})).seconds,
            (TimeRange{.median = 2s, .min = 1s, .max = 5s, .count = 3}));
}

TEST(StepsTest, TheMedianOfAnEvenNumberIsMidwayBetweenTheMiddleTwo) {
  EXPECT_EQ(OnlyRow(TableOf({Loads("lib", "1", {9s, 1s, 2s, 5s})})).seconds,
            (TimeRange{.median = 3500ms, .min = 1s, .max = 9s, .count = 4}));
}

TEST(StepsTest, CapturesOfOneSubjectPoolTheirSamples) {
  const StepsTable table = TableOf({Loads("lib", "1", {1s, 2s}), Loads("lib", "1", {6s})});
  const StepRow& row = OnlyRow(table);
  EXPECT_EQ(row.samples, 3U);
  EXPECT_EQ(row.seconds, (TimeRange{.median = 2s, .min = 1s, .max = 6s, .count = 3}));
}

TEST(StepsTest, TwoVersionsOfASubjectAreTwoSubjects) {
  const StepsTable table =
      TableOf({Loads("lib", "2", {1s}), Loads("lib", "1", {1s}), Loads("other", "1", {1s})});
  ASSERT_EQ(table.subjects.size(), 3U);
  EXPECT_EQ(table.subjects[0].label, "lib 1");
  EXPECT_EQ(table.subjects[1].label, "lib 2");
  EXPECT_EQ(table.subjects[2].label, "other");
}

TEST(StepsTest, StepsStandInOrderOfFirstAppearance) {
  CaptureScript first;
  first.Header().Begin(1s, {.id = 1, .name = "save"}).End(2s, 1);
  first.Begin(3s, {.id = 2, .name = "load"}).End(4s, 2);
  CaptureScript second;
  second.Header().Begin(1s, {.id = 1, .name = "load"}).End(2s, 1);
  second.Begin(1s, {.id = 2, .name = "hop"}).End(2s, 2);
  const StepsTable table = TableOf({first, second});
  EXPECT_THAT(table.step_names, ElementsAre("save", "load", "hop"));
  EXPECT_THAT(table.subjects[0].steps, ElementsAre(testing::Field(&StepRow::name, "save"),
                                                   testing::Field(&StepRow::name, "load"),
                                                   testing::Field(&StepRow::name, "hop")));
}

// The ties of "b" when "a" took 100 ms.
std::vector<size_t> TiesAt(Time b) {
  return TableOf({Loads("a", "1", {100ms}), Loads("b", "1", {b})}).subjects[1].steps[0].tie;
}

TEST(StepsTest, MediansOneTimingStepApartAreATie) {
  EXPECT_THAT(TiesAt(100ms), ElementsAre(0U));
  EXPECT_THAT(TiesAt(100ms + 16'666'667ns), ElementsAre(0U));
  EXPECT_THAT(TiesAt(100ms - 16'666'667ns), ElementsAre(0U));
  EXPECT_THAT(TiesAt(100ms + kTieWithin), ElementsAre(0U));
}

TEST(StepsTest, MediansJustPastOneTimingStepAreNoTie) {
  EXPECT_THAT(TiesAt(100ms + kTieWithin + 1ns), IsEmpty());
  EXPECT_THAT(TiesAt(100ms - kTieWithin - 1ns), IsEmpty());
  EXPECT_THAT(TiesAt(100ms + 33'333'333ns), IsEmpty());
}

TEST(StepsTest, ATieIsBetweenTwoAndNeedNotReachAThird) {
  const StepsTable table =
      TableOf({Loads("a", "1", {100ms}), Loads("b", "1", {115ms}), Loads("c", "1", {130ms})});
  EXPECT_THAT(table.subjects[0].steps[0].tie, ElementsAre(1U));
  EXPECT_THAT(table.subjects[1].steps[0].tie, ElementsAre(0U, 2U));
  EXPECT_THAT(table.subjects[2].steps[0].tie, ElementsAre(1U));
}

TEST(StepsTest, AFailedSampleIsCountedAndItsTimeKeptApart) {
  CaptureScript script;
  script.Header().Begin(1s, {.id = 1}).Call(Update("a", 1s, 2s)).End(2s, 1);
  script.Begin(3s, {.id = 2}).Call(Update("a", 3s, 4s)).Call(Update("a", 4s, 5s));
  script.Fail(27s, 2, "could not acquire lock");
  const StepsTable table = TableOf({script});
  const StepRow& row = OnlyRow(table);
  EXPECT_EQ(row.samples, 2U);
  EXPECT_EQ(row.failed, 1U);
  EXPECT_THAT(row.requests, ElementsAre(NamedRange{"UpdateAsync", {1, 2}}));
  EXPECT_EQ(row.seconds, (TimeRange{.median = 1s, .min = 1s, .max = 1s, .count = 1}));
  EXPECT_EQ(row.failed_seconds, (TimeRange{.median = 24s, .min = 24s, .max = 24s, .count = 1}));
}

TEST(StepsTest, ASampleThatNeverEndedIsNoSample) {
  CaptureScript script;
  script.Header().Begin(1s, {}).Call(Update("a", 1s, 2s)).Call(Update("a", 2s, 3s));
  const StepsTable table = TableOf({script});
  const StepRow& row = OnlyRow(table);
  EXPECT_EQ(row.samples, 0U);
  EXPECT_EQ(row.unfinished, 1U);
  EXPECT_THAT(row.requests, IsEmpty());
  EXPECT_THAT(row.unfinished_requests, ElementsAre(NamedCount{"UpdateAsync", 2}));
  EXPECT_EQ(row.throttling.sent, 0U);
  EXPECT_FALSE(row.seconds.has_value());
}

TEST(StepsTest, ATimeThatWentBackIsLeftOut) {
  CaptureScript script;
  script.Header().Begin(3s, {}).End(1s, 1);
  const StepsTable table = TableOf({script});
  EXPECT_EQ(OnlyRow(table).samples, 1U);
  EXPECT_FALSE(OnlyRow(table).seconds.has_value());
}

TEST(StepsTest, AStepWithoutCallsIsASampleOfNone) {
  CaptureScript script;
  script.Header().Begin(1s, {}).End(1s, 1);
  const StepsTable table = TableOf({script});
  EXPECT_THAT(OnlyRow(table).requests, IsEmpty());
  EXPECT_EQ(OnlyRow(table).samples, 1U);
  EXPECT_EQ(OnlyRow(table).seconds->median, 0s);
}

TEST(StepsTest, CallsOfNoStepAreInNoRow) {
  CaptureScript script;
  script.Header().Call(Update("a", 0s, 1s)).Begin(1s, {}).End(2s, 1).Call(Update("a", 3s, 4s));
  EXPECT_THAT(OnlyRow(TableOf({script})).requests, IsEmpty());
}

TEST(StepsTest, ValuesSeenAreCounted) {
  CaptureScript script;
  script.Header();
  for (uint64_t id = 1; id <= 4; ++id) {
    script.Begin(1s, {.id = id}).End(2s, id, id == 2 ? "777" : id == 3 ? "" : "888");
  }
  EXPECT_THAT(OnlyRow(TableOf({script})).values_seen, ElementsAre(Pair("777", 1), Pair("888", 2)));
}

TEST(StepsTest, DifferentValuesSeenHaveALimit) {
  CaptureScript script;
  script.Header();
  uint64_t id = 0;
  for (const size_t values : {kValuesSeenMax, kValuesSeenMax + 2}) {
    for (size_t i = 0; i < values; ++i) {
      script.Begin(1s, {.id = ++id}).End(2s, id, std::to_string(i));
    }
    const StepsTable table = TableOf({script});
    EXPECT_EQ(OnlyRow(table).values_seen.size(), kValuesSeenMax);
    EXPECT_EQ(OnlyRow(table).values_other, values - kValuesSeenMax);
  }
}

TEST(StepsTest, TheLastSaveIsSeenWhereWhatWasSeenIsWhatWasExpected) {
  CaptureScript script;
  script.Header();
  for (uint64_t id = 1; id <= 4; ++id) script.Begin(1s, {.id = id, .expected = "888"});
  script.Begin(1s, {.id = 5});
  script.End(2s, 1, "888").End(2s, 2, "777").End(2s, 3).End(2s, 5, "888");
  script.Fail(2s, 4, "gave up");
  EXPECT_EQ(OnlyRow(TableOf({script})).last_save, (LastSave{.seen = 1, .samples = 3}));
}

TEST(StepsTest, RequestsThatNeverLeftTheServerAreCountedByMethodToo) {
  CaptureScript script;
  script.Header();
  script.Begin(1s, {.id = 1}).Call(Update("a", 1s, 2s));
  script.Call(test::CancelledByLocalCopy(Update("a", 2s, 2s)));
  script.Call(test::CancelledByLocalCopy(Update("a", 3s, 3s))).End(4s, 1);
  script.Begin(5s, {.id = 2}).Call(Update("a", 5s, 6s)).Call(Get("a", 6s, 7s)).End(7s, 2);
  const StepsTable table = TableOf({script});
  EXPECT_THAT(OnlyRow(table).requests,
              ElementsAre(NamedRange{"UpdateAsync", {1, 3}}, NamedRange{"GetAsync", {0, 1}}));
  EXPECT_THAT(OnlyRow(table).local_requests, ElementsAre(NamedRange{"UpdateAsync", {0, 2}}));
}

TEST(StepsTest, BytesWrittenAreOfValuesThatWereStored) {
  CaptureScript script;
  script.Header();
  auto failed = test::Storing(Update("a", 1s, 2s), 9000);
  failed.outcome = v1::OUTCOME_FAILED;
  script.Begin(1s, {.id = 1}).Call(failed).Call(Get("a", 1s, 2s)).End(2s, 1);
  EXPECT_EQ(OnlyRow(TableOf({script})).written_bytes, std::nullopt);
  script.Begin(3s, {.id = 2}).Call(test::Storing(Update("a", 3s, 4s), 120));
  script.Call(test::Storing(Update("a", 4s, 5s), 7)).End(5s, 2);
  script.Begin(6s, {.id = 3}).Call(test::Storing(Update("a", 6s, 7s), 121)).End(7s, 3);
  EXPECT_EQ(OnlyRow(TableOf({script})).written_bytes, (Range{7, 121}));
}

TEST(StepsTest, ThrottlingIsOfAllSamplesTogether) {
  CaptureScript script;
  script.Header();
  for (uint64_t id = 1; id <= 2; ++id) {
    script.Begin(id * 10s, {.id = id});
    auto queued = Update("a", id * 10s, id * 10s + 1s);
    queued.times_queued = 1;
    auto dropped = Update("a", id * 10s, id * 10s + 1s);
    dropped.outcome = v1::OUTCOME_DROPPED;
    script.Call(queued).Call(dropped).Call(Update("a", id * 10s, id * 10s + 1s));
    script.End(id * 10s + 1s, id);
  }
  const StepsTable table = TableOf({script});
  const StepRow& row = OnlyRow(table);
  EXPECT_EQ(row.throttling.sent, 6U);
  EXPECT_EQ(row.throttling.queued, 2U);
  EXPECT_EQ(row.throttling.dropped, 2U);
  EXPECT_EQ(row.throttling.admitted, 2U);
  EXPECT_EQ(row.failed_calls, (Range{1, 1}));
}

TEST(StepsTest, TheVersionIsThatOfTheSourcesLibrary) {
  CaptureScript script;
  script.Header();
  script.Source(1, "old", "geode", "1.0", true).Source(2, "new", "geode", "2.0");
  script.Begin(1s, {.id = 1, .subject = "geode", .source = 1}).End(2s, 1);
  script.Begin(1s, {.id = 2, .subject = "geode", .source = 2}).End(2s, 2);
  const StepsTable table = TableOf({script});
  ASSERT_EQ(table.subjects.size(), 2U);
  EXPECT_EQ(table.subjects[0].version, "1.0");
  EXPECT_TRUE(table.subjects[0].is_model);
  EXPECT_EQ(table.subjects[1].version, "2.0");
  EXPECT_FALSE(table.subjects[1].is_model);
}

TEST(StepsTest, AStepWithoutASubjectIsItsLibrarysOrItsServers) {
  CaptureScript script;
  script.Header().Source(1, "a", "lapis", "0.3.8").Source(2, "b");
  script.Begin(1s, {.id = 1, .subject = "", .source = 1}).End(2s, 1);
  script.Begin(1s, {.id = 2, .subject = "", .source = 2}).End(2s, 2);
  const StepsTable table = TableOf({script});
  EXPECT_EQ(table.subjects[0].name, "b");
  EXPECT_EQ(table.subjects[1].name, "lapis");
}

TEST(StepsTest, FailedCallsAreCountedByMethodToo) {
  CaptureScript script;
  script.Header();
  auto dropped = Get("a", 1s, 2s);
  dropped.outcome = v1::OUTCOME_DROPPED;
  auto failed = Update("a", 1s, 2s);
  failed.outcome = v1::OUTCOME_FAILED;
  script.Begin(1s, {.id = 1}).Call(dropped).Call(dropped).Call(failed).Call(Get("a", 1s, 2s));
  script.End(2s, 1);
  dropped.issued = 3s;
  script.Begin(3s, {.id = 2}).Call(dropped).End(4s, 2);
  const StepsTable table = TableOf({script});
  EXPECT_THAT(OnlyRow(table).failed_requests,
              ElementsAre(NamedRange{"UpdateAsync", {0, 1}}, NamedRange{"GetAsync", {1, 2}}));
  EXPECT_EQ(OnlyRow(table).failed_calls, (Range{1, 3}));
}

TEST(StepsTest, SameInEverySampleIsAboutEveryMethod) {
  CaptureScript script;
  script.Header();
  script.Begin(1s, {.id = 1}).Call(Update("a", 1s, 2s)).End(2s, 1);
  script.Begin(3s, {.id = 2}).Call(Update("a", 3s, 4s)).End(4s, 2);
  EXPECT_TRUE(OnlyRow(TableOf({script})).is_same_in_every_sample());
  script.Begin(5s, {.id = 3}).Call(Update("a", 5s, 6s));
  script.Call(test::GoodCall(v1::METHOD_PUBLISH_ASYNC, "", "topic", 5s, 6s)).End(6s, 3);
  EXPECT_FALSE(OnlyRow(TableOf({script})).is_same_in_every_sample());
}

TEST(StepsTest, TheLongestQueueIsThatOfOneCallInAnySample) {
  CaptureScript script;
  script.Header();
  const auto queued = [](Time issued, Time time) {
    auto call = Get("a", issued, issued + time);
    call.times_queued = 1;
    call.queued = time;
    return call;
  };
  script.Begin(1s, {.id = 1}).Call(queued(1s, 3s)).Call(queued(1s, 30s)).End(40s, 1);
  script.Begin(50s, {.id = 2}).Call(queued(50s, 2s)).End(60s, 2);
  EXPECT_EQ(OnlyRow(TableOf({script})).longest_queue, 30s);
  EXPECT_EQ(OnlyRow(TableOf({Loads("lib", "1", {1s})})).longest_queue, std::nullopt);
}

capture::CallRecord Spending(Time issued, Time completed, uint64_t before, uint64_t after) {
  auto call = Update("a", issued, completed);
  call.budgets[0] = {.type = v1::REQUEST_TYPE_STANDARD_READ, .before = before, .after = after};
  return call;
}

v1::Row Reading(uint32_t source, v1::RequestType type, uint64_t visible) {
  v1::Row row;
  row.mutable_budget_sample()->set_source(source);
  v1::Budget& budget = *row.mutable_budget_sample()->add_budgets();
  budget.set_type(type);
  budget.set_visible(visible);
  return row;
}

TEST(StepsTest, BudgetsAreThoseOfEachSamplesEndsAndTheLowestOfAll) {
  CaptureScript script;
  script.Header();
  script.Begin(1s, {.id = 1}).Call(Spending(1s, 2s, 120, 110)).Call(Spending(2s, 3s, 3, 7));
  script.End(3s, 1);
  script.Begin(4s, {.id = 2}).Call(Spending(4s, 5s, 100, 99)).End(5s, 2);
  EXPECT_THAT(
      OnlyRow(TableOf({script})).budgets,
      ElementsAre(BudgetRange{
          .type = RequestType::kStandardRead, .first = {100, 120}, .lowest = 3, .last = {7, 99}}));
}

TEST(StepsTest, ReadingsOfTheNextRecordingAreNotOfTheLastOnesSteps) {
  CaptureScript first;
  first.Header().Begin(1s, {.id = 1}).Begin(1s, {.id = 2, .name = "open"}).End(2s, 1);
  CaptureScript second;
  second.Header().Row(1s, Reading(1, v1::REQUEST_TYPE_UPDATE_ASYNC, 50));
  const StepsTable table = TableOf({first, second});
  for (const StepRow& row : table.subjects.at(0).steps) EXPECT_THAT(row.budgets, IsEmpty());
}

TEST(StepsTest, WhatAServerAskedForCountsInItsOpenSteps) {
  constexpr auto kType = v1::REQUEST_TYPE_UPDATE_ASYNC;
  CaptureScript script;
  script.Header().Row(0s, Reading(1, kType, 1));
  script.Begin(1s, {.id = 1, .name = "one"}).Begin(1s, {.id = 2, .name = "two"});
  script.Row(2s, Reading(1, kType, 50)).Row(2s, Reading(2, kType, 3));
  script.End(3s, 1).Row(4s, Reading(1, kType, 40)).End(5s, 2).Row(6s, Reading(1, kType, 2));
  script.Begin(7s, {.id = 3, .name = "three"}).End(8s, 3);
  const StepsTable table = TableOf({script});
  const std::vector<StepRow>& steps = table.subjects.at(0).steps;
  EXPECT_THAT(
      steps[0].budgets,
      ElementsAre(BudgetRange{
          .type = RequestType::kUpdateAsync, .first = {50, 50}, .lowest = 50, .last = {50, 50}}));
  EXPECT_THAT(
      steps[1].budgets,
      ElementsAre(BudgetRange{
          .type = RequestType::kUpdateAsync, .first = {50, 50}, .lowest = 40, .last = {40, 40}}));
  EXPECT_THAT(steps[2].budgets, IsEmpty());
}

}  // namespace
}  // namespace dstap::analyzer
