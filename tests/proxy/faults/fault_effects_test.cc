// What each fault does to its call, as the script sees it and as the next call finds the store.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/faults/faulty_game.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameAtOrAfter;
using proxy::FrameTime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;

std::vector<v1::FaultKind> KindsOf(FaultyGame& game) {
  std::vector<v1::FaultKind> kinds;
  for (const v1::InjectedFault& fault : game.client().faults()) {
    kinds.push_back(fault.kind());
  }
  return kinds;
}

Transform AddOne() {
  return [](const TransformInput& input) {
    return Give(std::to_string(std::stoi(input.value.value_or("0")) + 1));
  };
}

TEST(FaultDropTest, TheCallIsDroppedOnTheNextFrameInTheProfilesWords) {
  FaultyGame game({"drop count=1"});
  const Seen dropped = game.Do(GetOf("a"));
  EXPECT_EQ(dropped.answer.outcome, v1::OUTCOME_DROPPED);
  EXPECT_EQ(dropped.answered, FrameTime(1));
  EXPECT_THAT(dropped.answer.error.text, StartsWith("StandardReadGameServerThrottled: "));
  EXPECT_EQ(dropped.answer.taken[0], 0U);
  EXPECT_EQ(dropped.fault, 1U);
  ASSERT_THAT(KindsOf(game), ElementsAre(v1::FAULT_KIND_DROP));
  EXPECT_EQ(game.client().faults()[0].rule(), "drop count=1");
  EXPECT_EQ(game.client().faults()[0].call(), 1U);
  EXPECT_EQ(game.client().faults()[0].source(), 1U);
  EXPECT_EQ(game.Do(GetOf("a")).answer.outcome, v1::OUTCOME_OK);
  FaultyGame old({"drop"}, 1, {}, "2020");
  EXPECT_THAT(old.Do(SetOf("a", "1")).answer.error.text, StartsWith("302: "));
  EXPECT_EQ(old.Stored("a"), "nil");
}

TEST(FaultQueueTest, TheCallWaitsWithAWarningAndThenGoesItsWay) {
  FaultyGame game({"queue=5s call=1"});
  const Seen seen = game.Do(GetOf("a"));
  EXPECT_THAT(seen.queued, ElementsAre(0s));
  EXPECT_THAT(seen.warnings.at(0), HasSubstr("added to queue"));
  EXPECT_THAT(seen.warnings.at(0), HasSubstr("Key = a"));
  EXPECT_EQ(seen.admitted.at(0), 5s);
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(seen.answered, 5s + FrameTime(kReadMissingFrames));
  EXPECT_EQ(seen.fault, 1U);
  EXPECT_EQ(game.client().faults().at(0).delay_ns(), 5'000'000'000U);
  EXPECT_THAT(game.Do(GetOf("a")).queued, IsEmpty());
}

TEST(FaultErrorTest, TheServiceFailsTheRequestWhichHasCostItsTokenAndItsTime) {
  FaultyGame game({"error=InternalServerError count=2"});
  const Seen failed = game.Do(SetOf("a", "1"));
  EXPECT_EQ(failed.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(failed.answer.error.text, "InternalServerError: An internal server error occurred.");
  EXPECT_EQ(failed.answer.error.name, "InternalServerError");
  EXPECT_EQ(failed.answered, FrameTime(kWriteFrames));
  EXPECT_EQ(failed.answer.taken[0], 1U);
  EXPECT_EQ(game.Stored("a"), "nil");
  EXPECT_EQ(game.client().faults().at(0).error_text(), failed.answer.error.text);
  EXPECT_EQ(game.Do(SetOf("a", "1")).fault, 2U);
  const Seen third = game.Do(SetOf("a", "1"));
  EXPECT_EQ(third.answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(third.fault, 0U);
  EXPECT_EQ(game.Stored("a"), "1");
}

TEST(FaultErrorTest, AFailedUpdateNeverRunsItsFunctionAndNoLocalCopySavesIt) {
  FaultyGame game({"error=502 method=UpdateAsync,GetAsync call=2.."});
  game.Do(SetOf("a", "1"));
  EXPECT_EQ(game.Do(GetOf("a")).answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  const Seen update = game.Do(UpdateOf("a"), AddOne());
  EXPECT_THAT(update.runs, IsEmpty());
  EXPECT_EQ(update.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(update.answer.error.code, 502U);
  EXPECT_EQ(game.Do(GetOf("a")).answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(game.Stored("a"), "1");
}

TEST(FaultErrorTest, AReadOfManyKeysFailsAsOne) {
  FaultyGame game({"error=InternalServerError method=BatchGetAsync"});
  proxy::Request batch = GetOf("");
  batch.method = v1::METHOD_BATCH_GET_ASYNC;
  batch.store.kind = v1::STORE_KIND_ORDERED;
  batch.list.add_keys("a");
  batch.list.add_keys("b");
  const Seen seen = game.Do(batch);
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(seen.answer.taken[0], 2U);
  EXPECT_EQ(seen.fault, 1U);
}

TEST(FaultErrorTest, ACallThatItsArgumentsStopHasNoFault) {
  FaultyGame game({"error=502"});
  const Seen refused = game.Do(GetOf(""));
  EXPECT_EQ(refused.answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(refused.answer.error.code, 101U);
  EXPECT_EQ(refused.fault, 0U);
  EXPECT_THAT(KindsOf(game), IsEmpty());
}

TEST(FaultLatencyTest, TheAnswerIsLateAndTheWriteIsNot) {
  FaultyGame game({"latency=2s method=SetAsync"});
  game.client().Submit(SetOf("a", "1"));
  game.Wait(1s);
  EXPECT_EQ(game.Stored("a"), "1");
  EXPECT_EQ(game.client().seen(1).answers, 0);
  game.Wait(9s);
  EXPECT_EQ(game.client().seen(1).answers, 1);
  EXPECT_EQ(game.client().seen(1).answered, FrameAtOrAfter(FrameTime(kWriteFrames) + 2s));
  EXPECT_EQ(game.client().seen(1).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.client().faults().at(0).delay_ns(), 2'000'000'000U);
}

TEST(FaultQueueTest, WhatNeverLeavesTheServerDoesNotWait) {
  FaultyGame game({"queue=5s"});
  const Seen refused = game.Do(GetOf(""));
  EXPECT_EQ(refused.answer.error.code, 101U);
  EXPECT_EQ(refused.answered, refused.issued);
  const Seen set = game.Do(SetOf("a", "1"));
  EXPECT_GT(set.seconds(), 5);
  const Seen copy = game.Do(GetOf("a"));
  EXPECT_EQ(copy.answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  EXPECT_EQ(copy.answered, copy.issued);
  EXPECT_GT(game.Do(FreshGetOf("a")).seconds(), 5);
  EXPECT_EQ(game.client().faults().size(), 2U);
}

TEST(FaultLatencyTest, WhatNeverLeavesTheServerIsNeitherLateNorLost) {
  FaultyGame game({"latency=5s call=2..", "never_answer server=other"});
  game.AddServer(2, "other");
  game.Do(SetOf("k", "1"));
  for (const proxy::Request& request : {GetOf("k"), GetOf(std::string(51, 'k')), GetOf("", 2)}) {
    const Seen seen = game.Do(request);
    EXPECT_EQ(seen.answers, 1);
    EXPECT_EQ(seen.answered, seen.issued);
    EXPECT_EQ(seen.fault, 0U);
  }
  EXPECT_EQ(game.client().faults().size(), 0U);
}

TEST(FaultNeverAnswerTest, TheCallIsDoneAndNobodyIsTold) {
  FaultyGame game({"never_answer call=1"});
  const Seen silent = game.Do(UpdateOf("a"), AddOne());
  EXPECT_EQ(silent.answers, 0);
  EXPECT_EQ(silent.runs.size(), 1U);
  EXPECT_EQ(silent.fault, 1U);
  EXPECT_EQ(game.Stored("a"), "1");
  EXPECT_FALSE(game.backend().NextEvent().has_value());
  EXPECT_EQ(game.Do(GetOf("a")).answer.outcome, v1::OUTCOME_OK);
}

struct Ambiguity {
  const char* rule;
  bool answered;
  bool applied;
};

class FaultAmbiguousTest : public testing::TestWithParam<Ambiguity> {};

TEST_P(FaultAmbiguousTest, TheCallerCannotKnowAndTheStoreDoes) {
  for (const v1::Method method : {v1::METHOD_SET_ASYNC, v1::METHOD_UPDATE_ASYNC,
                                  v1::METHOD_INCREMENT_ASYNC, v1::METHOD_REMOVE_ASYNC}) {
    FaultyGame game({"drop key=nobody", GetParam().rule});
    proxy::Request request = SetOf("a", "8");
    if (method == v1::METHOD_UPDATE_ASYNC) request = UpdateOf("a");
    if (method == v1::METHOD_INCREMENT_ASYNC) request = IncrementOf("a", 1);
    if (method == v1::METHOD_REMOVE_ASYNC) request = RemoveOf("a");
    game.Do(SetOf("a", "7"));
    game.Wait(10s);
    const Seen seen = game.Do(request, AddOne());
    EXPECT_EQ(seen.answers, GetParam().answered ? 1 : 0) << method;
    EXPECT_EQ(seen.fault, 1U);
    if (GetParam().answered) {
      EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_FAILED);
      EXPECT_EQ(seen.answer.error.name, "InternalServerError");
      EXPECT_FALSE(seen.answer.value.has_value());
      EXPECT_EQ(game.client().faults().at(0).error_text(), seen.answer.error.text);
    } else {
      EXPECT_EQ(game.client().faults().at(0).error_text(), "");
    }
    if (method == v1::METHOD_UPDATE_ASYNC) {
      EXPECT_EQ(seen.runs.size(), 1U);
    }
    const std::string after = method == v1::METHOD_REMOVE_ASYNC ? "nil" : "8";
    EXPECT_EQ(game.Stored("a"), GetParam().applied ? after : "7") << method;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultAmbiguousTest,
    testing::Values(Ambiguity{"ambiguous=applied call=2", true, true},
                    Ambiguity{"ambiguous=applied reports=never call=2", false, true},
                    Ambiguity{"ambiguous=not_applied call=2", true, false},
                    Ambiguity{"ambiguous=not_applied reports=never call=2", false, false}));

TEST(FaultAmbiguousTest, AServerThatWasToldOfAFailureReadsTheServiceAgain) {
  FaultyGame game({"ambiguous=applied reports=KeyThrottled"});
  EXPECT_EQ(game.Do(SetOf("a", "1")).answer.error.name, "KeyThrottled");
  const Seen get = game.Do(GetOf("a"));
  EXPECT_EQ(get.answer.served_by, v1::SERVED_BY_BACKEND);
  EXPECT_EQ(get.answer.value, "1");
}

TEST(FaultAmbiguousTest, AnUpdateThatWritesNothingIsAsItIs) {
  FaultyGame game({"ambiguous=applied reports=never"});
  const Seen seen = game.Do(UpdateOf("a"), AlwaysNil());
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(seen.fault, 0U);
  EXPECT_THAT(KindsOf(game), IsEmpty());
}

TEST(FaultConflictTest, TheFunctionRunsAgainOnAVersionOfSomebodyElse) {
  FaultyGame game({"conflict count=1"});
  game.Do(SetOf("a", "1"));
  game.Wait(10s);
  const Seen seen = game.Do(UpdateOf("a"), AddOne());
  ASSERT_EQ(seen.runs.size(), 2U);
  EXPECT_EQ(seen.runs[1].second.run, 2U);
  EXPECT_EQ(seen.runs[1].second.value, "1");
  EXPECT_NE(seen.runs[1].second.key_info->version, seen.runs[0].second.key_info->version);
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.Stored("a"), "2");
  EXPECT_EQ(seen.fault, 1U);
  EXPECT_THAT(KindsOf(game), ElementsAre(v1::FAULT_KIND_CONFLICT));
  EXPECT_EQ(game.Do(UpdateOf("a"), AddOne()).runs.size(), 1U);
}

TEST(FaultConflictTest, OfAMissingKeyToo) {
  FaultyGame game({"conflict"});
  const Seen seen = game.Do(UpdateOf("a"), AddOne());
  EXPECT_EQ(seen.runs.size(), 2U);
  EXPECT_EQ(game.Stored("a"), "1");
}

TEST(FaultConflictTest, AnUpdateThatWritesNothingMeetsNone) {
  FaultyGame game({"conflict"});
  const Seen seen = game.Do(UpdateOf("a"), AlwaysNil());
  EXPECT_EQ(seen.runs.size(), 1U);
  EXPECT_EQ(seen.fault, 0U);
  EXPECT_THAT(KindsOf(game), IsEmpty());
}

TEST(FaultServerCrashTest, NothingMoreComesFromTheServerAndTheOthersGoOn) {
  FaultyGame game({"server_crash=1s server=server"});
  game.AddServer(2, "other");
  CallId in_queue = 0, before = 0, open = 0, after = 0, other = 0;
  before = game.client().Submit(SetOf("a", "1"));
  game.client().At(900ms, [&] { open = game.client().Submit(UpdateOf("b"), AddOne()); });
  game.client().At(990ms, [&] { other = game.client().Submit(SetOf("c", "1", 2)); });
  game.client().At(995ms, [&] { in_queue = game.client().Submit(SetOf("d", "1")); });
  game.client().At(2s, [&] { after = game.client().Submit(SetOf("e", "1")); });
  game.client().Run();
  EXPECT_EQ(game.client().seen(before).answers, 1);
  EXPECT_EQ(game.client().seen(other).answers, 1);
  for (const CallId call : {open, in_queue, after}) {
    EXPECT_EQ(game.client().seen(call).answers, 0) << call;
    EXPECT_EQ(game.client().seen(call).fault, 1U) << call;
  }
  EXPECT_EQ(game.client().seen(before).fault, 0U);
  EXPECT_EQ(game.client().seen(other).fault, 0U);
  ASSERT_THAT(KindsOf(game), ElementsAre(v1::FAULT_KIND_SERVER_CRASH));
  EXPECT_EQ(game.client().faults()[0].source(), 1U);
  EXPECT_EQ(game.client().faults()[0].call(), 0U);
  EXPECT_THAT(game.client().notices(), ElementsAre(HasSubstr("crashed on purpose")));
  // What was on its way to the service arrives; what was sent later does not.
  EXPECT_EQ(game.Stored("d"), "1");
  EXPECT_EQ(game.Stored("e"), "nil");
  // A server that starts later is another one, and does not crash.
  game.AddServer(3, "server");
  EXPECT_EQ(game.Do(SetOf("f", "1", 3)).answers, 1);
}

TEST(FaultServerCrashTest, ItsPlayersCountForTheExperienceNoMore) {
  FaultyGame game(
      {"server_crash=1s server=server"}, 1,
      {{"experience_standard_write_base", "2"}, {"experience_standard_write_per_player", "2"}});
  game.AddServer(2, "other");
  game.backend().SetPlayers(1, game.client().now(), 5);
  std::vector<CallId> calls;
  game.client().At(2s, [&] {
    for (const char* key : {"a", "b", "c"}) {
      calls.push_back(game.client().Submit(SetOf(key, "1", 2)));
    }
  });
  game.client().Run();
  EXPECT_EQ(game.client().seen(calls[1]).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.client().seen(calls[2]).answer.outcome, v1::OUTCOME_FAILED);
}

TEST(FaultServerCrashTest, AnAnswerThatCrossesTheCrashIsForgotten) {
  FaultyGame game({"server_crash=1s", "queue=10s key=waits", "latency=10s key=late"});
  const CallId waits = game.client().Submit(SetOf("waits", "1"));
  const CallId late = game.client().Submit(SetOf("late", "1"));
  const CallId function = game.client().Submit(UpdateOf("f"));  // Its function never ends.
  game.client().Run();
  EXPECT_EQ(game.client().seen(waits).answers, 0);
  EXPECT_EQ(game.client().seen(late).answers, 0);
  game.backend().TransformDone(function, game.client().now(), Give("1"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(function).answers, 0);
  EXPECT_EQ(game.Stored("waits"), "nil");
  EXPECT_EQ(game.Stored("f"), "nil");
}

TEST(FaultBackendTest, ACancelledCallIsNotHeardOfAgain) {
  FaultyGame game({"queue=2s key=q", "latency=2s key=l", "drop key=d", "server_crash=100s"});
  std::vector<CallId> calls;
  for (const char* key : {"q", "l", "d"}) calls.push_back(game.client().Submit(GetOf(key)));
  game.client().After(1ms, [&] {
    for (const CallId call : calls) game.client().Cancel(call);
  });
  game.client().Run();
  for (const CallId call : calls) EXPECT_EQ(game.client().seen(call).answers, 0);
}

TEST(FaultBackendTest, ABudgetIsNotSaidToStayWhenAQueuedCallIsAboutToTakeOne) {
  FaultyGame game({"queue=100ms"});
  game.client().Submit(GetOf("a"));
  game.client().Run(50ms);
  EXPECT_EQ(game.backend().BudgetChange(1, 50ms, kRead), 100ms);
}

TEST(FaultBackendTest, WithoutARuleThatMatchesEverythingIsAsWithoutAPlan) {
  const auto log_of = [](proxy::Backend& backend) {
    backend.AddSource(1, Time(0), 0);
    Client client(backend);
    for (int i = 0; i < 200; ++i) {
      client.At(Time(i * 7'000'000),
                [&client, i] { client.Submit(UpdateOf("k" + std::to_string(i % 5)), AddOne()); });
    }
    client.Run();
    return client.log();
  };
  const auto simulator = [] {
    return std::make_unique<proxy::Simulator>(
        proxy::SimulatorOptions{*proxy::FindRuleProfile("2026"), 1, 0});
  };
  const auto plain = simulator();
  proxy::FaultBackend faults(simulator(), PlanOf({"drop key=nobody", "queue=1s step=none"}), 1);
  EXPECT_EQ(log_of(*plain), log_of(faults));
}

}  // namespace
}  // namespace dstap::test
