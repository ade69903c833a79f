// UpdateAsync: what it spends, when its function runs, conflicts, and ways not to write.
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

Transform AddOne() {
  return [](const TransformInput& input) {
    return Give(std::to_string(std::stoi(input.value.value_or("0")) + 1));
  };
}

TEST(UpdateTest, ReadsRunsTheFunctionAndWritesEachInItsTime) {
  Game game({.rules = ExactLatency()});
  const Seen seen = game.Do(UpdateOf("k"), AddOne());
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
  EXPECT_THAT(seen.admitted, ElementsAre(FrameTime(0), FrameTime(kReadMissingFrames)));
  ASSERT_EQ(seen.runs.size(), 1U);
  EXPECT_EQ(seen.runs[0].first, FrameTime(kReadMissingFrames));
  EXPECT_EQ(seen.runs[0].second.run, 1U);
  EXPECT_FALSE(seen.runs[0].second.value.has_value());
  EXPECT_FALSE(seen.runs[0].second.key_info.has_value());
  // 200 ms after frame 5, at 83,333,333 ns, is 1 ns later than frame 17.
  EXPECT_EQ(seen.answered, proxy::FrameAtOrAfter(FrameTime(kReadMissingFrames) + 200ms));
  EXPECT_EQ(seen.answer.value, "1");
  EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{1, 1}));
  EXPECT_EQ(seen.answer.served_by, v1::SERVED_BY_BACKEND);
  EXPECT_EQ(game.Budget(kRead), 119);
  EXPECT_EQ(game.Budget(kWrite), 119);
}

TEST(UpdateTest, TheFunctionSeesTheOldInfoAndTheAnswerTheNew) {
  Game game({.rules = ExactLatency(), .start_unix_ns = 1'767'225'600'000'000'000});
  proxy::Request set = SetOf("k", "1");
  set.user_ids = {7};
  set.metadata = R"({"a":1})";
  const Seen first = game.Do(set);
  game.Wait(10s);
  const Seen seen = game.Do(UpdateOf("k"), AddOne());
  ASSERT_TRUE(seen.runs.at(0).second.key_info.has_value());
  const KeyInfo& old = *seen.runs[0].second.key_info;
  EXPECT_EQ(old.version, first.answer.version);
  EXPECT_THAT(old.user_ids, ElementsAre(7));
  EXPECT_EQ(old.metadata, R"({"a":1})");
  EXPECT_EQ(old.updated_ms, 1'767'225'600'000 + first.answered.count() / 1'000'000);
  ASSERT_TRUE(seen.answer.key_info.has_value());
  EXPECT_NE(seen.answer.key_info->version, old.version);
  EXPECT_EQ(seen.answer.version, seen.answer.key_info->version);
  EXPECT_EQ(seen.answer.key_info->created_ms, old.created_ms);
  EXPECT_TRUE(seen.answer.key_info->user_ids.empty());  // Not given again: cleared.
  EXPECT_EQ(seen.answer.key_info->metadata, "{}");
}

TEST(UpdateTest, ACancelledOneSpendsAReadAndChangesNothing) {
  Game game({.rules = ExactLatency()});
  const Seen seen = game.Do(UpdateOf("k"), AlwaysNil());
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(seen.answered, FrameTime(kReadMissingFrames));
  EXPECT_FALSE(seen.answer.value.has_value());
  EXPECT_FALSE(seen.answer.key_info.has_value());
  EXPECT_TRUE(seen.answer.error.text.empty());
  EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{1, 0}));
  EXPECT_EQ(game.Budget(kWrite), 120);
  EXPECT_TRUE(game.simulator().store().entries().empty());
}

TEST(UpdateTest, TwoServersAtOnceConflictAndBothAreCounted) {
  Game game({.rules = ExactLatency()});
  game.simulator().AddSource(2, Time(0), 0);
  game.Do(SetOf("k", "0"));
  game.Wait(10s);
  const CallId first = game.client().Submit(UpdateOf("k", 1), AddOne());
  const CallId second = game.client().Submit(UpdateOf("k", 2), AddOne());
  game.client().Run();
  const Seen& winner = game.client().seen(first);
  const Seen& loser = game.client().seen(second);
  EXPECT_EQ(winner.runs.size(), 1U);
  EXPECT_EQ(winner.answer.value, "1");
  ASSERT_EQ(loser.runs.size(), 2U);
  EXPECT_EQ(loser.runs[1].second.run, 2U);
  EXPECT_EQ(loser.runs[1].second.value, "1");
  EXPECT_EQ(loser.runs[1].first, winner.answered);  // The fresh value comes without delay.
  EXPECT_EQ(loser.answer.value, "2");
  EXPECT_EQ(loser.answer.taken, (std::array<uint32_t, 2>{2, 2}));
  EXPECT_EQ(loser.admitted.size(), 2U);  // The tokens after a conflict are taken silently.
}

TEST(UpdateTest, ARunAfterAConflictCanCostNothing) {
  Game game({.rules = ExactLatency({{"conflict_takes_tokens", "0"}})});
  const CallId first = game.client().Submit(UpdateOf("k"), AddOne());
  const CallId second = game.client().Submit(UpdateOf("k"), AddOne());
  game.client().Run();
  EXPECT_EQ(game.client().seen(first).answer.value, "1");
  EXPECT_EQ(game.client().seen(second).answer.value, "2");
  EXPECT_EQ(game.client().seen(second).answer.taken, (std::array<uint32_t, 2>{1, 1}));
}

TEST(UpdateTest, AFunctionMayGiveUpAfterAConflict) {
  Game game({.rules = ExactLatency()});
  game.client().Submit(UpdateOf("k"), AddOne());
  const CallId second = game.client().Submit(UpdateOf("k"), [](const TransformInput& input) {
    return input.run == 1 ? Give("\"mine\"") : GiveNil();
  });
  game.client().Run();
  EXPECT_EQ(game.client().seen(second).answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(game.simulator().store().entries().begin()->second.latest->value, "1");
}

TEST(UpdateTest, NoUpdateIsLostBetweenManyServers) {
  Game game({.rules = {{"experience_limits", "0"}}});
  constexpr SourceId kServers = 8;
  for (SourceId server = 2; server <= kServers; ++server) {
    game.simulator().AddSource(server, Time(0), 0);
  }
  int calls = 0;
  for (SourceId server = 1; server <= kServers; ++server) {
    for (int i = 0; i < 10; ++i, ++calls) {
      game.client().At(std::chrono::milliseconds(370 * i + 30 * server),
                       [&game, server] { game.client().Submit(UpdateOf("k", server), AddOne()); });
    }
  }
  game.client().Run();
  EXPECT_EQ(game.simulator().store().entries().begin()->second.latest->value,
            std::to_string(calls));
}

TEST(UpdateTest, ARemovalInBetweenIsAConflictToo) {
  Game game({.rules = ExactLatency()});
  game.Do(SetOf("k", "1"));
  game.Wait(10s);
  const CallId update = game.client().Submit(UpdateOf("k"), AddOne());
  game.client().Submit(RemoveOf("k"));
  game.client().Run();
  const Seen& seen = game.client().seen(update);
  ASSERT_EQ(seen.runs.size(), 2U);
  EXPECT_FALSE(seen.runs[1].second.value.has_value());
  EXPECT_FALSE(seen.runs[1].second.key_info.has_value());
  EXPECT_EQ(seen.answer.value, "1");
}

TEST(UpdateTest, AnErrorInTheFunctionIsPrintedAndTheCallGivesNil) {
  Game game({.rules = ExactLatency()});
  const Seen seen =
      game.Do(UpdateOf("k"), [](const TransformInput&) { return Raise("Script:3: oops"); });
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_TRUE(seen.answer.error.text.empty());
  EXPECT_THAT(game.client().notices(), ElementsAre("Script:3: oops"));
  EXPECT_TRUE(game.simulator().store().entries().empty());
}

TEST(UpdateTest, AnErrorInTheFunctionFailsTheCallWhenToldTo) {
  Game game({.rules = ExactLatency({{"raised_transform_fails", "1"}})});
  const Seen seen =
      game.Do(UpdateOf("k"), [](const TransformInput&) { return Raise("Script:3: oops"); });
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(seen.answer.error.text, "Script:3: oops");
  EXPECT_TRUE(game.client().notices().empty());
}

TEST(UpdateTest, AFunctionThatYieldsFailsTheCall) {
  Game game({.rules = ExactLatency()});
  const Seen seen =
      game.Do(UpdateOf("k"), [](const TransformInput&) { return Raise("Callbacks cannot yield"); });
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(seen.answer.error.text, "Callbacks cannot yield");
}

TEST(UpdateTest, WhatTheFunctionGivesIsCheckedBeforeAnythingIsWritten) {
  Game game({.rules = ExactLatency()});
  const Seen seen = game.Do(UpdateOf("k"), Always("\"\xff\""));
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(seen.answer.error.code, 104U);
  EXPECT_EQ(seen.answered, FrameTime(kReadMissingFrames));
  EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{1, 0}));
  const Seen ids = game.Do(UpdateOf("k"), [](const TransformInput&) {
    TransformOutput output = Give("1");
    output.user_ids = {1, 2, 3, 4, 5};
    return output;
  });
  EXPECT_EQ(ids.answer.error.code, 512U);
  EXPECT_TRUE(game.simulator().store().entries().empty());
}

TEST(UpdateTest, WhatItsFunctionGaveAndTheEngineRefusesEndsItAsRejectedWithoutAWrite) {
  Game game({.rules = ExactLatency()});
  game.Do(SetOf("k", "1"));
  game.Wait(10s);
  const Seen seen = game.Do(UpdateOf("k"), [](const TransformInput&) {
    TransformOutput output = Give("");
    output.error = "104: Cannot store Instance in data store.";
    return output;
  });
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(seen.answer.error.code, 104U);
  EXPECT_EQ(seen.answer.error.name, "CantStoreValue");
  EXPECT_EQ(seen.answer.error.text, "104: Cannot store Instance in data store.");
  EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{1, 0}));
  EXPECT_EQ(seen.answered, seen.runs.at(0).first);
  EXPECT_EQ(game.simulator().store().entries().begin()->second.latest->value, "1");
}

TEST(UpdateTest, ItsWriteCanWaitAndBeDroppedLikeAnyOther) {
  Game game({.rules = ExactLatency({{"standard_write_start", "0"}, {"queue_length", "1"}})});
  std::vector<CallId> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(game.client().Submit(UpdateOf("k" + std::to_string(i)), AddOne()));
  }
  game.client().Run();
  const Seen& waited = game.client().seen(calls[1]);
  EXPECT_THAT(waited.queued, ElementsAre(FrameTime(kReadMissingFrames)));
  EXPECT_EQ(waited.answer.outcome, v1::OUTCOME_OK);
  const Seen& dropped = game.client().seen(calls[2]);
  EXPECT_EQ(dropped.answer.outcome, v1::OUTCOME_DROPPED);
  EXPECT_EQ(dropped.answer.error.name, "StandardWriteGameServerThrottled");
  EXPECT_EQ(dropped.answer.taken, (std::array<uint32_t, 2>{1, 0}));
}

}  // namespace
}  // namespace dstap::test
