#include "analyzer/views/retries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "analyzer/views/method_counts.h"
#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::Get;
using test::GetPast;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr Time kFrame{16'666'667};

Retries RetriesOf(std::initializer_list<CaptureScript> scripts) {
  RetriesView view;
  TimelineBuilder builder({&view});
  for (const CaptureScript& script : scripts) script.Feed(builder);
  EXPECT_EQ(view.attempts_held(), 0U);
  return view.Table();
}

CaptureScript Begun(uint32_t sample = 1) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib", "1").Begin(0s, {.sample = sample});
  return script;
}

struct Try {
  Time issued;
  Time took = 250ms;
  v1::Outcome outcome = v1::OUTCOME_OK;
};

// A capture of one step with these tries of one key.
CaptureScript Tries(const std::vector<Try>& tries) {
  CaptureScript script = Begun();
  Time end{};
  for (const Try& one : tries) {
    auto call = Update("a", one.issued, one.issued + one.took);
    call.outcome = one.outcome;
    script.Call(call);
    end = std::max(end, one.issued + one.took);
  }
  script.End(end, 1);
  return script;
}

std::vector<Time> TimesOf(const RetryChain& chain) {
  std::vector<Time> times;
  for (size_t i = 0; i < chain.attempts().size(); ++i) times.push_back(chain.At(i));
  return times;
}

TEST(RetriesTest, OneCallIsNoChain) {
  EXPECT_THAT(RetriesOf({Tries({{1s}})}), IsEmpty());
  EXPECT_THAT(RetriesOf({CaptureScript().Header()}), IsEmpty());
}

TEST(RetriesTest, TwoCallsOfAKeyInAStepAreAChainFromTheFirstTry) {
  const Retries retries = RetriesOf({Tries({{3s, 250ms, v1::OUTCOME_CANCELLED}, {8250ms}})});
  ASSERT_THAT(retries, SizeIs(1));
  const RetryRow& row = retries[0];
  EXPECT_EQ(row.subject, (SubjectId{"lib", "1"}));
  EXPECT_EQ(row.step, "load");
  EXPECT_EQ(row.samples, 1U);
  EXPECT_EQ(row.chains, 1U);
  EXPECT_EQ(row.tries, (Range{2, 2}));
  EXPECT_TRUE(row.is_same_in_every_sample());
  ASSERT_THAT(row.schedules, SizeIs(1));
  const RetrySchedule& schedule = row.schedules[0];
  EXPECT_EQ(schedule.end, ChainEnd::kSucceeded);
  EXPECT_THAT(TimesOf(schedule.example), ElementsAre(0s, 5250ms));
  EXPECT_EQ(schedule.example.attempts()[0].outcome, Outcome::kCancelled);
  EXPECT_EQ(schedule.example.WaitBefore(0), std::nullopt);
  EXPECT_EQ(schedule.example.WaitBefore(1), 5s);
}

TEST(RetriesTest, KeysStoresScopesAndSourcesAreApart) {
  CaptureScript script = Begun();
  script.Call(Update("a", 1s, 2s)).Call(Update("b", 2s, 3s));
  script.Call(test::GoodCall(v1::METHOD_UPDATE_ASYNC, "Other", "a", 3s, 4s));
  auto scoped = Update("a", 4s, 5s);
  scoped.scope = "scope";
  auto of_another = Update("a", 5s, 6s);
  of_another.source = 2;
  script.Call(scoped).Call(of_another).End(7s, 1);
  EXPECT_THAT(RetriesOf({script}), IsEmpty());
}

TEST(RetriesTest, PartsOfANameThatMeetElsewhereAreApart) {
  CaptureScript script = Begun();
  script.Call(test::GoodCall(v1::METHOD_UPDATE_ASYNC, "ab", "c", 1s, 2s));
  script.Call(test::GoodCall(v1::METHOD_UPDATE_ASYNC, "a", "bc", 2s, 3s)).End(3s, 1);
  EXPECT_THAT(RetriesOf({script}), IsEmpty());
}

TEST(RetriesTest, NoScopeIsTheScopeGlobal) {
  CaptureScript script = Begun();
  auto named = Update("a", 2s, 3s);
  named.scope = "global";
  script.Call(Update("a", 1s, 2s)).Call(named).End(3s, 1);
  EXPECT_THAT(RetriesOf({script}), SizeIs(1));
}

TEST(RetriesTest, ReadsOfBothMethodsAreOneChain) {
  CaptureScript script = Begun();
  auto cancelled = Update("a", 1s, 1s);
  cancelled.outcome = v1::OUTCOME_CANCELLED;
  cancelled.served_by = v1::SERVED_BY_LOCAL_COPY;
  script.Call(cancelled).Call(GetPast("a", 2s, 3s)).Call(Get("a", 3s, 4s));
  script.Call(Update("a", 4s, 5s)).End(5s, 1);
  const Retries retries = RetriesOf({script});
  ASSERT_THAT(retries, SizeIs(1));
  const RetryChain& chain = retries[0].schedules[0].example;
  EXPECT_EQ(chain.attempts()[0].served_by, ServedBy::kLocalCopy);
  EXPECT_EQ(chain.attempts()[1].column, kPastColumn);
  EXPECT_EQ(chain.attempts()[2].column, static_cast<size_t>(Method::kGetAsync));
  EXPECT_EQ(chain.answered_by()[static_cast<size_t>(ServedBy::kLocalCopy)], 1U);
  EXPECT_EQ(chain.answered_by()[static_cast<size_t>(ServedBy::kBackend)], 3U);
}

TEST(RetriesTest, OtherMethodsAreKindsOfTheirOwn) {
  CaptureScript script = Begun();
  script.Call(Update("a", 1s, 2s));
  script.Call(test::GoodCall(v1::METHOD_SET_ASYNC, "Players", "a", 2s, 3s));
  script.Call(test::GoodCall(v1::METHOD_REMOVE_ASYNC, "Players", "a", 3s, 4s)).End(4s, 1);
  EXPECT_THAT(RetriesOf({script}), IsEmpty());
  script.Begin(5s, {.id = 2});
  script.Call(test::GoodCall(v1::METHOD_SET_ASYNC, "Players", "a", 5s, 6s));
  script.Call(test::GoodCall(v1::METHOD_SET_ASYNC, "Players", "a", 6s, 7s)).End(7s, 2);
  EXPECT_THAT(RetriesOf({script}), SizeIs(1));
}

TEST(RetriesTest, MessagesAndQueuesAreNoChainsAndMapsAre) {
  CaptureScript script = Begun();
  for (const Time at : {1s, 2s}) {
    script.Call(test::GoodCall(v1::METHOD_PUBLISH_ASYNC, "", "topic", at, at + 100ms));
    script.Call(test::GoodCall(v1::METHOD_MEMORY_QUEUE_ADD, "queue", "", at, at + 100ms));
  }
  EXPECT_THAT(RetriesOf({script.End(3s, 1)}), IsEmpty());
  script.Begin(4s, {.id = 2});
  for (const Time at : {4s, 5s}) {
    script.Call(test::GoodCall(v1::METHOD_MEMORY_SORTED_MAP_UPDATE, "map", "a", at, at + 1s));
  }
  EXPECT_THAT(RetriesOf({script.End(6s, 2)}), SizeIs(1));
}

TEST(RetriesTest, TheNextPageIsNoTryOfTheFirst) {
  v1::ListArguments first;
  first.set_page(1);
  v1::ListArguments second;
  second.set_page(2);
  auto list = test::GoodCall(v1::METHOD_LIST_KEYS_ASYNC, "Players", "", 1s, 2s);
  list.list = &first;
  auto next = test::GoodCall(v1::METHOD_LIST_KEYS_ASYNC, "Players", "", 2s, 3s);
  next.list = &second;
  EXPECT_THAT(RetriesOf({Begun().Call(list).Call(next).End(4s, 1)}), IsEmpty());
  EXPECT_THAT(RetriesOf({Begun().Call(next).Call(next).End(4s, 1)}), SizeIs(1));
}

TEST(RetriesTest, CallsOfNoStepAreNoChain) {
  CaptureScript script;
  script.Header().Call(Update("a", 1s, 2s)).Call(Update("a", 2s, 3s));
  EXPECT_THAT(RetriesOf({script}), IsEmpty());
}

TEST(RetriesTest, AChainDoesNotGoOnInTheNextStep) {
  CaptureScript script = Tries({{1s}, {2s}});
  script.Begin(5s, {.id = 2}).Call(Update("a", 5s, 6s)).End(6s, 2);
  const Retries retries = RetriesOf({script});
  ASSERT_THAT(retries, SizeIs(1));
  EXPECT_EQ(retries[0].samples, 2U);
  EXPECT_EQ(retries[0].samples_with_chains, 1U);
  EXPECT_EQ(retries[0].tries, (Range{2, 2}));
  EXPECT_FALSE(retries[0].is_same_in_every_sample());
}

TEST(RetriesTest, TriesStandInTheOrderOfTheirStarts) {
  CaptureScript script = Begun();
  script.Call(Update("a", 2s, 3s)).Call(Update("a", 1s, 5s)).End(5s, 1);
  const Retries retries = RetriesOf({script});
  const RetryChain& chain = retries.at(0).schedules[0].example;
  EXPECT_EQ(chain.attempts()[0].call, 2U);
  EXPECT_EQ(chain.WaitBefore(1), -3s);  // It left while the first was open.
}

TEST(RetriesTest, WhatEndedAChainIsSaid) {
  const auto end_of = [](const CaptureScript& script) {
    return RetriesOf({script}).at(0).schedules.at(0).end;
  };
  const auto cancelled = [](Time at) {
    auto call = Update("a", at, at + 1s);
    call.outcome = v1::OUTCOME_CANCELLED;
    return call;
  };
  EXPECT_EQ(end_of(Tries({{1s}, {2s}})), ChainEnd::kSucceeded);
  EXPECT_EQ(end_of(Begun().Call(cancelled(1s)).Call(cancelled(2s)).End(3s, 1)),
            ChainEnd::kSucceeded);
  EXPECT_EQ(end_of(Begun().Call(cancelled(1s)).Call(cancelled(2s)).Fail(3s, 1, "no lock")),
            ChainEnd::kGaveUp);
  for (const auto outcome : {v1::OUTCOME_FAILED, v1::OUTCOME_DROPPED, v1::OUTCOME_REJECTED}) {
    EXPECT_EQ(end_of(Tries({{1s}, {2s, 1s, outcome}})), ChainEnd::kGaveUp);
  }
  EXPECT_EQ(end_of(Tries({{1s}, {2s, 1s, v1::OUTCOME_UNKNOWN}})), ChainEnd::kNoAnswer);
  EXPECT_EQ(
      end_of(
          Begun().Call(Update("a", 1s, 2s)).Call(test::InFlight(Update("a", 2s, 2s))).End(3s, 1)),
      ChainEnd::kNoAnswer);
  EXPECT_EQ(end_of(Begun().Call(Update("a", 1s, 2s)).Call(Update("a", 2s, 3s))),
            ChainEnd::kStepNotEnded);
}

TEST(RetriesTest, ABackOffIsTheSameWhateverTheLatency) {
  const Retries retries =
      RetriesOf({Tries({{0s, 250ms}, {5250ms}}), Tries({{0s, 400ms}, {5400ms}})});
  ASSERT_THAT(retries.at(0).schedules, SizeIs(1));
  EXPECT_EQ(retries[0].schedules[0].chains, 2U);
  EXPECT_EQ(retries[0].schedules[0].samples, 2U);
  EXPECT_TRUE(retries[0].is_same_in_every_sample());
}

TEST(RetriesTest, ACooldownIsTheSameWhateverTheLatency) {
  EXPECT_THAT(RetriesOf({Tries({{0s, 250ms}, {7s}}), Tries({{0s, 400ms}, {7s}})}).at(0).schedules,
              SizeIs(1));
}

TEST(RetriesTest, OneTimingStepIsNoDifferenceAndMoreIs) {
  const auto schedules = [](Time gap) {
    return RetriesOf({Tries({{0s}, {5s}}), Tries({{0s}, {5s + gap}})}).at(0).schedules.size();
  };
  EXPECT_EQ(schedules(kTieWithin), 1U);
  EXPECT_EQ(schedules(kTieWithin + 1ns), 2U);
}

TEST(RetriesTest, SchedulesDifferByOutcomeMethodNumberAndWhoAnswered) {
  const CaptureScript one = Tries({{0s}, {5s}});
  CaptureScript local = Begun();
  auto copy = Update("a", 5s, 5250ms);
  copy.served_by = v1::SERVED_BY_LOCAL_COPY;
  local.Call(Update("a", 0s, 250ms)).Call(copy).End(6s, 1);
  CaptureScript other = Begun();
  other.Call(Update("a", 0s, 250ms)).Call(Get("a", 5s, 5250ms)).End(6s, 1);
  const Retries retries = RetriesOf({one, Tries({{0s}, {5s}, {6s}}),
                                     Tries({{0s, 250ms, v1::OUTCOME_FAILED}, {5s}}), local, other});
  EXPECT_THAT(retries.at(0).schedules, SizeIs(5));
  EXPECT_EQ(retries[0].tries, (Range{2, 3}));
  EXPECT_FALSE(retries[0].is_same_in_every_sample());
}

TEST(RetriesTest, ChainsThatEndedDifferentlyAreOnDifferentSchedules) {
  const auto tries = [] {
    CaptureScript script = Begun();
    for (const Time at : {1s, 3s}) {
      auto call = Update("a", at, at + 1s);
      call.outcome = v1::OUTCOME_CANCELLED;
      script.Call(call);
    }
    return script;
  };
  EXPECT_THAT(RetriesOf({tries().End(5s, 1), tries().Fail(5s, 1, "no")}).at(0).schedules,
              SizeIs(2));
}

TEST(RetriesTest, TheEighthScheduleIsListedAndTheNinthCounted) {
  RetriesView view;
  TimelineBuilder builder({&view});
  for (uint64_t i = 0; i < kSchedulesMax; ++i) Tries({{0s}, {(i + 1) * 1s}}).Feed(builder);
  EXPECT_THAT(view.Table().at(0).schedules, SizeIs(kSchedulesMax));
  EXPECT_EQ(view.Table()[0].other_chains, 0U);
  Tries({{0s}, {100s}}).Feed(builder);
  EXPECT_THAT(view.Table().at(0).schedules, SizeIs(kSchedulesMax));
  EXPECT_EQ(view.Table()[0].other_chains, 1U);
  EXPECT_EQ(view.Table()[0].chains, kSchedulesMax + 1);
}

TEST(RetriesTest, SeveralChainsOfASampleCountOneSample) {
  CaptureScript script = Begun();
  for (const char* key : {"a", "b", "c"}) {
    script.Call(Update(key, 1s, 2s)).Call(Update(key, 7s, 8s));
  }
  const Retries retries = RetriesOf({script.End(8s, 1)});
  EXPECT_EQ(retries.at(0).chains, 3U);
  EXPECT_EQ(retries[0].schedules.at(0).chains, 3U);
  EXPECT_EQ(retries[0].schedules[0].samples, 1U);
}

// As many as need the table, and more, each tried twice.
TEST(RetriesTest, ManyKeysOfAStepAreFollowed) {
  constexpr size_t kKeys = 1000;
  std::deque<std::string> keys;
  CaptureScript script = Begun();
  for (size_t i = 0; i < kKeys; ++i) keys.push_back("user_" + std::to_string(i));
  for (const Time at : {1s, 7s}) {
    for (const std::string& key : keys) script.Call(Update(key, at, at + 1s));
  }
  script.End(9s, 1);
  // Again in the same slot, which must have forgotten them.
  script.Begin(10s, {.id = 2});
  for (const std::string& key : keys) script.Call(Update(key, 10s, 11s));
  script.End(12s, 2);
  const Retries retries = RetriesOf({script});
  EXPECT_EQ(retries.at(0).chains, kKeys);
  EXPECT_EQ(retries[0].samples_with_chains, 1U);
}

TEST(RetriesTest, AChainIsWholeAtTheLimitAndLeavesOutItsMiddlePastIt) {
  std::vector<Try> tries;
  for (size_t i = 0; i < kAttemptsKeptMax; ++i) tries.push_back({kFrame * i, kFrame});
  const Retries whole = RetriesOf({Tries(tries)});
  EXPECT_EQ(whole.at(0).schedules[0].example.left_out(), 0U);
  EXPECT_THAT(whole[0].schedules[0].example.attempts(), SizeIs(kAttemptsKeptMax));

  tries.push_back({kFrame * kAttemptsKeptMax, kFrame, v1::OUTCOME_FAILED});
  const Retries more = RetriesOf({Tries(tries)});
  const RetryChain& chain = more.at(0).schedules[0].example;
  EXPECT_EQ(chain.tries(), kAttemptsKeptMax + 1);
  EXPECT_EQ(chain.left_out(), 1U);
  EXPECT_EQ(chain.left_out_before(), kAttemptsKeptMax / 2);
  EXPECT_EQ(chain.At(kAttemptsKeptMax / 2 - 1), kFrame * (kAttemptsKeptMax / 2 - 1));
  EXPECT_EQ(chain.At(kAttemptsKeptMax / 2), kFrame * (kAttemptsKeptMax / 2 + 1));
  EXPECT_EQ(chain.WaitBefore(kAttemptsKeptMax / 2), std::nullopt);
  EXPECT_EQ(chain.WaitBefore(kAttemptsKeptMax / 2 + 1), 0s);
  EXPECT_EQ(chain.At(kAttemptsKeptMax - 1), kFrame * kAttemptsKeptMax);
  EXPECT_EQ(chain.outcomes()[static_cast<size_t>(Outcome::kOk)], kAttemptsKeptMax);
  EXPECT_EQ(chain.outcomes()[static_cast<size_t>(Outcome::kFailed)], 1U);
}

TEST(RetriesTest, AChainThatMustStaySmallKeepsItsFirstAndItsLastTry) {
  RetryChain chain;
  for (uint64_t i = 1; i <= 5; ++i) {
    chain.Add({.call = i, .issued = i * 1s, .completed = i * 1s + 250ms}, true);
  }
  EXPECT_EQ(chain.tries(), 5U);
  ASSERT_THAT(chain.attempts(), SizeIs(2));
  EXPECT_EQ(chain.attempts()[0].call, 1U);
  EXPECT_EQ(chain.attempts()[1].call, 5U);
  EXPECT_EQ(chain.WaitBefore(1), std::nullopt);
  // When there is room again, what is missing stays where it is; also when one comes late.
  chain.Add({.call = 7, .issued = 7s, .completed = 7250ms});
  chain.Add({.call = 6, .issued = 500ms, .completed = 8s});
  EXPECT_THAT(chain.attempts(), SizeIs(4));
  EXPECT_EQ(chain.left_out_before(), 2U);
  EXPECT_EQ(chain.attempts()[2].call, 5U);
  EXPECT_EQ(chain.WaitBefore(2), std::nullopt);
  EXPECT_EQ(chain.WaitBefore(3), 1750ms);
}

TEST(RetriesTest, PastTheMemoryOfAllStepsNewKeysAreCountedAndOldOnesKeepTheirEnds) {
  RetriesView view;
  TimelineBuilder builder({&view});
  builder.BeginFile("run.dstap");
  const auto feed = [&builder](const CaptureScript& script) {
    script.ForEach([&builder](const capture::Record& record) { builder.Add(record); });
  };
  feed(CaptureScript().Header().Begin(0s, {}));
  capture::CallRecord call = Update("", 1s, 2s);
  capture::Record record;
  record.call = &call;
  std::string key;
  for (size_t i = 0; i < kAttemptsHeldMax; ++i) {
    key = std::to_string(i);
    call.key = key;
    call.id = i + 1;
    builder.Add(record);
  }
  EXPECT_EQ(view.attempts_held(), kAttemptsHeldMax);
  for (int64_t at = 3; at < 6; ++at) {
    key = "0";
    call.key = key;
    ++call.id;
    call.issued = at * 1s;
    call.completed = call.issued + 100ms;
    builder.Add(record);
    key = "new";
    call.key = key;
    ++call.id;
    builder.Add(record);
  }
  EXPECT_LE(view.attempts_held(), kAttemptsHeldMax + 1);
  feed(CaptureScript().End(9s, 1));
  feed(CaptureScript().Begin(10s, {.id = 2}).End(11s, 2));
  builder.EndFile({});
  EXPECT_EQ(view.attempts_held(), 0U);
  const Retries retries = view.Table();
  EXPECT_EQ(retries.at(0).calls_not_followed, 3U);
  EXPECT_EQ(retries[0].chains, 1U);
  EXPECT_EQ(retries[0].schedules[0].example.tries(), 4U);
  EXPECT_THAT(TimesOf(retries[0].schedules[0].example), ElementsAre(0s, 4s));
}

TEST(RetriesTest, ThePolicyIsThatOfAllChainsOfTheStep) {
  const Retries retries =
      RetriesOf({Tries({{0s, 250ms}, {1250ms, 300ms}, {3550ms, 250ms}}),
                 Tries({{0s, 350ms}, {1350ms, 150ms}, {3500ms, 400ms}, {7900ms}})});
  ASSERT_THAT(retries.at(0).policies, SizeIs(1));
  const RetryPolicy& inferred = retries[0].policies[0];
  EXPECT_EQ(inferred.column, static_cast<size_t>(Method::kUpdateAsync));
  EXPECT_EQ(inferred.policy.gaps, 5U);
  ASSERT_EQ(inferred.policy.kind(), PolicyKind::kExponential);
  EXPECT_EQ(inferred.policy.parts[0].law.from, WaitFrom::kAnswer);
  EXPECT_DOUBLE_EQ(inferred.policy.parts[0].law.delay, 1);
  EXPECT_DOUBLE_EQ(inferred.policy.parts[0].law.factor, 2);
}

TEST(RetriesTest, KindsOfCallsHavePoliciesOfTheirOwn) {
  CaptureScript script = Begun();
  for (const Time at : {0s, 3s, 6s}) script.Call(Get("a", at, at + 1s));
  for (const Time at : {0s, 7s, 14s}) {
    script.Call(test::GoodCall(v1::METHOD_SET_ASYNC, "Players", "a", at, at + 2s + at / 10));
  }
  const Retries retries = RetriesOf({script.End(20s, 1)});
  ASSERT_THAT(retries.at(0).policies, SizeIs(2));
  EXPECT_EQ(retries[0].policies[0].policy.kind(), PolicyKind::kFixed);
  EXPECT_EQ(retries[0].policies[1].column, static_cast<size_t>(Method::kSetAsync));
  EXPECT_EQ(retries[0].policies[1].policy.kind(), PolicyKind::kCooldown);
}

TEST(RetriesTest, ATryThatStartedWithTheFirstOfItsBudgetWaitedForIt) {
  const auto kind_with = [](Time queued) {
    CaptureScript script = Begun();
    Time at{};
    for (const Time wait : {0ms, 3100ms, 400ms, 9700ms, 1900ms}) {
      at += wait;
      auto call = Update("a", at, at + 250ms);
      call.queued = queued;
      call.budgets[0] = {
          .type = v1::REQUEST_TYPE_STANDARD_READ, .before = 1, .after = 0, .taken = 1};
      call.budgets[1] = {.type = v1::REQUEST_TYPE_STANDARD_WRITE, .before = 90, .after = 90};
      script.Call(call);
      at += 250ms;
    }
    return RetriesOf({script.End(at, 1)}).at(0).policies.at(0).policy.kind();
  };
  EXPECT_EQ(kind_with(0s), PolicyKind::kBudget);
  EXPECT_EQ(kind_with(100ms), PolicyKind::kIrregular);  // The queue waited.
}

TEST(RetriesTest, GapsOfAllStepsAreKeptUpToTheLimitAndNotPastIt) {
  RetriesView view;
  TimelineBuilder builder({&view});
  constexpr size_t kKeys = kGapsFittedMax / kPlaceFittedMax;
  const auto feed_step = [&](size_t step) {
    const std::string name = "step " + std::to_string(step);
    CaptureScript script;
    script.Header().Source(1, "server", "lib", "1").Begin(0s, {.name = name});
    for (const char* key : std::array<const char*, kKeys>{"a", "b", "c", "d", "e", "f", "g", "h"}) {
      for (size_t i = 0; i <= kPlaceFittedMax; ++i) script.Call(Update(key, i * 1s, i * 1s));
    }
    script.End(100s, 1).Feed(builder);
  };
  constexpr size_t kSteps = kGapsHeldMax / kGapsFittedMax;
  for (size_t step = 0; step < kSteps; ++step) feed_step(step);
  EXPECT_EQ(view.Table().back().policies.at(0).policy.gaps, kGapsFittedMax);
  feed_step(kSteps);
  EXPECT_EQ(view.Table().back().policies.at(0).policy.gaps, 0U);
  EXPECT_EQ(view.Table().back().chains, kKeys);
}

TEST(RetriesTest, GapsBehindTriesThatAreLeftOutTellNothing) {
  std::vector<Try> tries;
  for (size_t i = 0; i <= kAttemptsKeptMax; ++i) tries.push_back({i * 1s, 100ms});
  EXPECT_EQ(RetriesOf({Tries(tries)}).at(0).policies.at(0).policy.gaps, kAttemptsKeptMax / 2 - 1);
  tries.pop_back();
  EXPECT_EQ(RetriesOf({Tries(tries)}).at(0).policies.at(0).policy.gaps, kPlaceFittedMax);
}

TEST(RetriesTest, TheCostCountsWhatWasCalledOnceToo) {
  CaptureScript script = Begun();
  const auto add = [&script](const char* key, Time at, v1::Outcome outcome, uint32_t taken) {
    auto call = Update(key, at, at + 100ms);
    call.outcome = outcome;
    call.budgets[0] = {.type = v1::REQUEST_TYPE_STANDARD_READ, .taken = taken};
    script.Call(call);
  };
  add("a", 1s, v1::OUTCOME_DROPPED, 0);
  add("a", 2s, v1::OUTCOME_FAILED, 1);
  add("a", 3s, v1::OUTCOME_OK, 2);
  add("b", 1s, v1::OUTCOME_FAILED, 1);
  add("c", 1s, v1::OUTCOME_OK, 1);
  const RetryCost cost = RetriesOf({script.End(5s, 1)}).at(0).cost;
  EXPECT_EQ(cost.things, 3U);
  EXPECT_EQ(cost.succeeded, 2U);
  EXPECT_EQ(cost.tries, 5U);
  EXPECT_EQ(cost.units, 5U);
  EXPECT_EQ(cost.units_of_repeats, 3U);
}

TEST(RetriesTest, RowsStandByStepThenBySubject) {
  CaptureScript script;
  script.Header();
  uint64_t id = 0;
  Time now{};
  for (const char* name : {"save", "load"}) {
    for (const char* subject : {"b", "a"}) {
      now += 100s;
      script.Begin(now, {.id = ++id, .subject = subject, .name = name});
      script.Call(Update("a", now, now + 1s)).Call(Update("a", now + 2s, now + 3s));
      script.End(now + 4s, id);
    }
  }
  std::vector<std::string> rows;
  for (const RetryRow& row : RetriesOf({script})) rows.push_back(row.step + " " + row.subject.name);
  EXPECT_THAT(rows, ElementsAre("save a", "save b", "load a", "load b"));
}

TEST(RetriesTest, TheExampleSaysWhereItIs) {
  RetriesView view;
  TimelineBuilder builder({&view});
  CaptureScript script = Begun(7);
  script.Call(Update("a", 1s, 2s)).Call(Update("a", 2s, 3s)).End(3s, 1);
  script.Feed(builder, "hop.dstap");
  const RetrySchedule schedule = view.Table().at(0).schedules.at(0);
  EXPECT_EQ(schedule.file, "hop.dstap");
  EXPECT_EQ(schedule.recording, 1U);
  EXPECT_EQ(schedule.source, 1U);
  EXPECT_EQ(schedule.sample, 7U);
}

}  // namespace
}  // namespace dstap::analyzer
