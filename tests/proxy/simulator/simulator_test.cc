// Calls, budgets and limits of the simulator; UpdateAsync and the local copy have tests apart.
#include "proxy/backend/simulator/simulator.h"

#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;
using testing::ElementsAre;

constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;
constexpr auto kWrite = v1::REQUEST_TYPE_STANDARD_WRITE;
constexpr auto kRemove = v1::REQUEST_TYPE_STANDARD_REMOVE;

// ---------------------------------------------------------------- methods

TEST(SimulatorTest, AMissingKeyReadsAsNilWithoutInfo) {
  Game game({.rules = ExactLatency()});
  const Seen seen = game.Do(GetOf("k"));
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
  EXPECT_FALSE(seen.answer.value.has_value());
  EXPECT_FALSE(seen.answer.key_info.has_value());
  EXPECT_EQ(seen.answered, FrameTime(kReadMissingFrames));
}

TEST(SimulatorTest, WhatIsSetIsReadByteForByte) {
  Game game;
  const std::string json = "{ \"b\" : 1.50, \"a\":[ ] }";
  const Seen set = game.Do(SetOf("k", json));
  EXPECT_FALSE(set.answer.value.has_value());
  const Seen get = game.Do(FreshGetOf("k"));
  EXPECT_EQ(get.answer.value, json);
  EXPECT_EQ(get.answer.key_info->version, set.answer.version);
}

TEST(SimulatorTest, TwoWritesToOneKeyBackToBackAreNotHeldUp) {
  Game game({.rules = ExactLatency()});
  const CallId first = game.client().Submit(SetOf("k", "1"));
  const CallId second = game.client().Submit(SetOf("k", "2"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(first).answered, FrameTime(kWriteFrames));
  EXPECT_EQ(game.client().seen(second).answered, FrameTime(kWriteFrames));
  EXPECT_TRUE(game.client().seen(second).queued.empty());
}

TEST(SimulatorTest, IncrementStartsAtZeroAndNeedsAWholeNumber) {
  Game game;
  EXPECT_EQ(game.Do(IncrementOf("k", 5)).answer.value, "5");
  proxy::Request one = IncrementOf("k", 1);
  one.delta.reset();
  const Seen second = game.Do(one);
  EXPECT_EQ(second.answer.value, "6");
  EXPECT_TRUE(second.answer.key_info.has_value());
  game.Do(SetOf("text", "\"a\""));
  const Seen refused = game.Do(IncrementOf("text", 1));
  EXPECT_EQ(refused.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(refused.answer.error.text,
            "502: API Services rejected request with error. Error code: 24 Reason: Key value is "
            "not numeric.");
  game.Do(SetOf("max", "9223372036854775807"));
  EXPECT_EQ(game.Do(IncrementOf("max", 1)).answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(game.Do(FreshGetOf("max")).answer.value, "9223372036854775807");
}

TEST(SimulatorTest, RemoveGivesWhatWasThereAndThenNothing) {
  Game game;
  const Seen set = game.Do(SetOf("k", "1"));
  const Seen removed = game.Do(RemoveOf("k"));
  EXPECT_EQ(removed.answer.value, "1");
  EXPECT_EQ(removed.answer.key_info->version, set.answer.version);
  EXPECT_FALSE(game.Do(FreshGetOf("k")).answer.value.has_value());
  const Seen again = game.Do(RemoveOf("k"));
  EXPECT_EQ(again.answer.outcome, v1::OUTCOME_OK);
  EXPECT_FALSE(again.answer.value.has_value());
  EXPECT_FALSE(again.answer.key_info.has_value());
}

TEST(SimulatorTest, EachMethodSpendsItsOwnType) {
  Game game;
  const auto budgets = [&game] {
    return std::vector<int64_t>{game.Budget(kRead), game.Budget(kWrite), game.Budget(kRemove)};
  };
  game.client().Submit(GetOf("a"));
  EXPECT_THAT(budgets(), ElementsAre(119, 120, 120));
  game.client().Submit(SetOf("a", "1"));
  EXPECT_THAT(budgets(), ElementsAre(119, 119, 120));
  game.client().Submit(IncrementOf("b", 1));
  EXPECT_THAT(budgets(), ElementsAre(119, 118, 120));
  game.client().Submit(RemoveOf("a"));
  EXPECT_THAT(budgets(), ElementsAre(119, 118, 119));
  game.client().Run();
  EXPECT_THAT(game.simulator().Spends(UpdateOf("a")), ElementsAre(kRead, kWrite));
  EXPECT_THAT(game.simulator().Spends(RemoveOf("a")),
              ElementsAre(kRemove, v1::REQUEST_TYPE_UNKNOWN));
}

TEST(SimulatorTest, BadArgumentsAreRefusedAtOnceAndCostNothing) {
  Game game;
  game.WaitUntil(1s);
  for (const auto& [request, text] : std::vector<std::pair<proxy::Request, std::string>>{
           {GetOf(""), "101: Key name can't be empty."},
           {SetOf(std::string(51, 'k'), "1"), "102: Key name exceeds the 50 character limit."},
           {SetOf("k", "null"), "103: nil is not allowed in data stores."},
           {UpdateOf(""), "101: Key name can't be empty."},
           {RemoveOf(""), "101: Key name can't be empty."}}) {
    const Seen seen = game.Do(request, AlwaysNil());
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED);
    EXPECT_EQ(seen.answer.error.text, text);
    EXPECT_EQ(seen.answered, seen.issued);
    EXPECT_TRUE(seen.runs.empty());
  }
  EXPECT_EQ(game.Budget(kRead), 121);
  EXPECT_EQ(game.Budget(kWrite), 121);
}

TEST(SimulatorTest, AMethodThatIsNotSimulatedSaysSoByName) {
  Game game;
  for (int method = 0; method < v1::Method_ARRAYSIZE; ++method) {
    if (!v1::Method_IsValid(method)) continue;
    proxy::Request request = GetOf("k");
    request.method = static_cast<v1::Method>(method);
    request.value = "1";
    if (game.simulator().Spends(request)[0] != v1::REQUEST_TYPE_UNKNOWN) continue;
    const Seen seen = game.Do(request);
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED);
    EXPECT_FALSE(seen.answer.error.text.empty());
  }
  const auto text = [](Game& asked, v1::Method method, v1::StoreKind kind) {
    proxy::Request request = GetOf("k");
    request.method = method;
    request.store.kind = kind;
    return asked.Do(request).answer.error.text;
  };
  EXPECT_EQ(text(game, v1::METHOD_SUBSCRIBE_ASYNC, v1::STORE_KIND_STANDARD),
            "dstap's simulator does not answer METHOD_SUBSCRIBE_ASYNC.");
  EXPECT_EQ(text(game, v1::METHOD_GET_SORTED_ASYNC, v1::STORE_KIND_STANDARD),
            "GetSortedAsync is not a valid member of DataStore \"Instance\"");
  EXPECT_EQ(text(game, v1::METHOD_LIST_KEYS_ASYNC, v1::STORE_KIND_ORDERED),
            "ListKeysAsync is not a valid member of OrderedDataStore \"Instance\"");
  Game old({.profile = "2020"});
  EXPECT_EQ(text(old, v1::METHOD_LIST_DATA_STORES_ASYNC, v1::STORE_KIND_STANDARD),
            "ListDataStoresAsync is not a valid member of DataStoreService \"DataStoreService\"");
}

TEST(SimulatorTest, OpeningAStoreChecksItsName) {
  Game game;
  EXPECT_EQ(game.simulator().OpenStore(1, Time(0), TestStore()).text, "");
  proxy::StoreName unnamed = TestStore();
  unnamed.name.clear();
  EXPECT_EQ(game.simulator().OpenStore(1, Time(0), unnamed).text,
            "101: DataStore name can't be empty.");
}

// ---------------------------------------------------------------- limits

TEST(SimulatorTest, FourMegabytesTwiceInAMinuteThrottlesTheKey) {
  Game game({.rules = ExactLatency()});
  const std::string big = '"' + std::string(4'194'302, 'a') + '"';
  EXPECT_EQ(game.Do(SetOf("k", big)).answer.outcome, v1::OUTCOME_OK);
  const Seen second = game.Do(SetOf("k", big));
  EXPECT_EQ(second.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(second.answer.error.text,
            "KeyThrottled: The request rate exceeds the allowed maximum for the key.");
  EXPECT_EQ(second.answer.taken[0], 1U);
  EXPECT_EQ(second.answered, proxy::FrameAfter(second.issued));
  game.WaitUntil(60s);
  EXPECT_EQ(game.Do(SetOf("k", big)).answer.outcome, v1::OUTCOME_OK);
}

TEST(SimulatorTest, AThrottledKeyCanWaitWhileOthersPassItInTheQueue) {
  Game game({.rules = ExactLatency({{"key_throttle_queues", "1"}})});
  const std::string big = '"' + std::string(4'194'302, 'a') + '"';
  game.Do(SetOf("k", big));
  const CallId waiting = game.client().Submit(SetOf("k", "1"));
  const CallId passing = game.client().Submit(SetOf("other", "1"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(waiting).queued.size(), 1U);
  EXPECT_THAT(game.client().seen(waiting).admitted, ElementsAre(60s));
  EXPECT_EQ(game.client().seen(waiting).answer.outcome, v1::OUTCOME_OK);
  EXPECT_TRUE(game.client().seen(passing).queued.empty());
}

TEST(SimulatorTest, TheExperiencesLimitFailsRequestsThatTheServerLetThrough) {
  Game game({.rules = ExactLatency({{"experience_standard_read_base", "10"}})});
  std::vector<CallId> calls;
  for (int i = 0; i < 11; ++i) {
    calls.push_back(game.client().Submit(GetOf("k" + std::to_string(i))));
  }
  game.client().Run();
  EXPECT_EQ(game.client().seen(calls[9]).answer.outcome, v1::OUTCOME_OK);
  const Seen& last = game.client().seen(calls[10]);
  EXPECT_EQ(last.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(last.answer.error.text,
            "StandardReadExperienceThrottled: StandardRead request was throttled by experience "
            "limits");
  EXPECT_EQ(last.answer.taken[0], 1U);
  EXPECT_EQ(last.answered, FrameTime(1));
}

TEST(SimulatorTest, PlayersRaiseTheLimitsAtOnceAndAreTold) {
  Game game({.rules = ExactLatency()});
  game.simulator().AddSource(2, Time(0), 10);
  game.client().Run();
  ASSERT_EQ(game.client().limits().size(), 2U);
  const v1::Limits& start = game.client().limits()[1];
  EXPECT_EQ(start.source(), 2U);
  EXPECT_EQ(start.reason(), "start");
  EXPECT_EQ(start.queue_length(), 30U);
  EXPECT_EQ(start.limits_size(), 10);
  EXPECT_EQ(start.limits(2).type(), kRead);
  EXPECT_EQ(start.limits(2).base_per_minute(), 60U);
  EXPECT_EQ(start.limits(2).per_player_per_minute(), 40U);

  EXPECT_EQ(game.Budget(kRead, 2), 120);
  game.WaitUntil(6s);
  EXPECT_EQ(game.Budget(kRead, 2), 120 + 46);  // 460 a minute.
  game.simulator().SetPlayers(2, 6s, 0);
  game.WaitUntil(12s);
  EXPECT_EQ(game.Budget(kRead, 2), 120 + 46 + 6);
  EXPECT_EQ(game.client().limits().back().reason(), "players");
}

TEST(SimulatorTest, AWaitingRequestGoesSoonerWhenPlayersJoin) {
  Game game({.rules = ExactLatency({{"start_level", "0"}})});
  game.client().Submit(GetOf("a"));
  const CallId waiting = game.client().Submit(GetOf("b"));
  game.client().At(500ms, [&] { game.simulator().SetPlayers(1, 500ms, 3); });  // 180 a minute.
  game.client().Run();
  // Half a token is missing at half a second; at three a second that takes a sixth of one.
  EXPECT_THAT(game.client().seen(waiting).admitted, ElementsAre(FrameTime(40)));
}

TEST(SimulatorTest, SetRateLimitHoldsFromNowAndIsTold) {
  Game game({.rules = ExactLatency()});
  game.client().Run();
  EXPECT_EQ(game.simulator().SetRateLimit(1, Time(0), kRead, 6, 0).text, "");
  EXPECT_EQ(game.Budget(kRead), 18);  // Cut to three minutes of the new limit.
  game.client().Run();
  EXPECT_EQ(game.client().limits().back().reason(), "SetRateLimitForRequestType");
  EXPECT_EQ(game.client().limits().back().limits(2).base_per_minute(), 6U);
}

TEST(SimulatorTest, SetRateLimitAcceptsItsRangeAndNothingElse) {
  Game game;
  const auto error = [&game](v1::RequestType type, int64_t base, int64_t per_player) {
    return game.simulator().SetRateLimit(1, Time(0), type, base, per_player).text;
  };
  EXPECT_EQ(error(kRead, 10'000, 200), "");
  EXPECT_EQ(error(kRead, 0, 0), "");
  EXPECT_NE(error(kRead, 10'001, 0), "");
  EXPECT_NE(error(kRead, -1, 0), "");
  EXPECT_NE(error(kRead, 0, 201), "");
  EXPECT_EQ(error(v1::REQUEST_TYPE_GET_ASYNC, 60, 40), "");
  EXPECT_NE(error(v1::REQUEST_TYPE_GET_ASYNC, 61, 40), "");
  EXPECT_NE(error(v1::REQUEST_TYPE_UPDATE_ASYNC, 1, 1), "");
  EXPECT_NE(error(v1::REQUEST_TYPE_ON_UPDATE, 1, 1), "");
  EXPECT_NE(error(v1::REQUEST_TYPE_UNKNOWN, 1, 1), "");
}

// The Studio experiment: a limit of zero with 30 reads waiting fails the next read.
TEST(SimulatorTest, WhatTheEngineRefusesToStoreIsACallThatCostsNothing) {
  Game game;
  for (proxy::Request request : {SetOf("k", "1"), IncrementOf("k", 1)}) {
    request.refused = "513: Attribute userId format is invalid";
    const Seen seen = game.Do(request);
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED);
    EXPECT_EQ(seen.answer.error.code, 513U);
    EXPECT_EQ(seen.answer.error.name, "AttributeFormatError");
    EXPECT_EQ(seen.answer.error.text, request.refused);
    EXPECT_EQ(seen.answered, seen.issued);
    EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{0, 0}));
    request.key.clear();  // The key is checked first.
    EXPECT_EQ(game.Do(request).answer.error.code, 101U);
  }
  EXPECT_TRUE(game.simulator().store().entries().empty());
}

TEST(SimulatorTest, ALimitOfZeroWithAFullQueueDropsTheNextRead) {
  Game game;
  game.simulator().SetRateLimit(1, Time(0), kRead, 0, 0);
  for (int i = 0; i < 31; ++i) game.client().Submit(GetOf("k" + std::to_string(i)));
  const CallId next = game.client().Submit(GetOf("next"));
  game.client().Run(1h);
  EXPECT_EQ(game.client().seen(next).answer.error.name, "StandardReadGameServerThrottled");
  EXPECT_EQ(game.client().seen(1).answers, 1);
  EXPECT_EQ(game.client().seen(2).answers, 0);  // Waits until the limit is raised.
  game.simulator().SetRateLimit(1, 1h, kRead, 60, 0);
  game.client().Run();
  EXPECT_THAT(game.client().seen(2).admitted, ElementsAre(1h + 1s));
}

TEST(SimulatorTest, TurningALegacyLimitThrottlesNothing) {
  Game game;
  game.simulator().SetRateLimit(1, Time(0), v1::REQUEST_TYPE_GET_ASYNC, 0, 0);
  EXPECT_EQ(game.Budget(kRead), 120);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_ASYNC), 120);
}

TEST(SimulatorTest, LegacyTypesShowWhatTheCurrentOnesHave) {
  Game game;
  game.client().Submit(GetOf("a"));
  game.client().Submit(GetOf("b"));
  game.client().Submit(SetOf("a", "1"));
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_ASYNC), 118);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_SET_INCREMENT_ASYNC), 119);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC), 118);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_VERSION_ASYNC), 118);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC), 60);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_LIST_ASYNC), 10);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_SORTED_ASYNC), 10);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC), 10);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_ON_UPDATE), 30);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_ORDERED_LIST), 0);  // Documented: always.
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_UNKNOWN), 0);
}

TEST(SimulatorTest, WritesAndRemovalsShareTheirQueuesPlaces) {
  Game game({.rules = ExactLatency({{"start_level", "0"}, {"queue_length", "2"}})});
  std::vector<CallId> calls;
  calls.push_back(game.client().Submit(SetOf("a", "1")));  // Passes.
  calls.push_back(game.client().Submit(RemoveOf("b")));    // Passes: a bucket of its own.
  calls.push_back(game.client().Submit(SetOf("c", "1")));  // Waits.
  calls.push_back(game.client().Submit(RemoveOf("d")));    // Waits.
  calls.push_back(game.client().Submit(SetOf("e", "1")));  // No place left.
  calls.push_back(game.client().Submit(GetOf("f")));       // Another queue.
  game.client().Run();
  EXPECT_EQ(game.client().seen(calls[2]).queued.size(), 1U);
  EXPECT_EQ(game.client().seen(calls[3]).queued.size(), 1U);
  EXPECT_EQ(game.client().seen(calls[4]).answer.outcome, v1::OUTCOME_DROPPED);
  EXPECT_EQ(game.client().seen(calls[5]).answer.outcome, v1::OUTCOME_OK);
}

TEST(SimulatorTest, TheExperienceCountsThePlayersOfAllServers) {
  Game game({.rules = ExactLatency({{"experience_standard_read_base", "0"}})});
  game.simulator().AddSource(2, Time(0), 1);
  game.simulator().AddSource(3, Time(0), 0);
  game.simulator().SetPlayers(1, Time(0), 1);
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    const SourceId server = i % 2 == 0 ? 1 : 3;
    game.client().Submit(GetOf("k" + std::to_string(i), server), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome == v1::OUTCOME_OK) ++done;
    });
  }
  game.client().Run();
  EXPECT_EQ(done, 80);  // 40 for each of two players.
}

TEST(SimulatorTest, NobodyOvertakesTheQueueBetweenTwoFrames) {
  Game game({.rules = ExactLatency({{"start_level", "0"}})});
  std::vector<CallId> calls;
  const auto submit = [&] { calls.push_back(game.client().Submit(GetOf("k"))); };
  game.client().At(5ms, submit);  // Passes; the next token is there at 1.005 s, inside a frame.
  game.client().At(5ms, submit);
  game.client().At(1006ms, submit);
  game.client().Run();
  EXPECT_THAT(game.client().seen(calls[1]).admitted, ElementsAre(FrameTime(61)));
  EXPECT_THAT(game.client().seen(calls[2]).queued, ElementsAre(1006ms));
  EXPECT_THAT(game.client().seen(calls[2]).admitted, ElementsAre(FrameTime(121)));
}

// ---------------------------------------------------------------- rules changed, by hand

TEST(SimulatorTest, AQueueOfTenDropsTwentyMore) {
  Game game({.rules = {{"queue_length", "10"}}});
  int dropped = 0;
  for (int i = 0; i < 160; ++i) {
    game.client().Submit(GetOf("k" + std::to_string(i)), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome == v1::OUTCOME_DROPPED) ++dropped;
    });
  }
  game.client().Run();
  EXPECT_EQ(dropped, 160 - 121 - 10);
}

TEST(SimulatorTest, AStartLevelOfSixtyDropsSixtyMore) {
  Game game({.rules = {{"start_level", "60"}}});
  int dropped = 0;
  for (int i = 0; i < 160; ++i) {
    game.client().Submit(GetOf("k" + std::to_string(i)), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome == v1::OUTCOME_DROPPED) ++dropped;
    });
  }
  game.client().Run();
  EXPECT_EQ(dropped, 160 - 61 - 30);
}

}  // namespace
}  // namespace dstap::test
