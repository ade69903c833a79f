// Time, cancelled calls, and runs that repeat.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;
using testing::ElementsAre;

TEST(TimeTest, AnIdleHourHasNoEvents) {
  Game game;
  game.client().Run();
  EXPECT_EQ(game.simulator().NextEvent(), std::nullopt);
  game.WaitUntil(1h);
  EXPECT_EQ(game.simulator().NextEvent(), std::nullopt);
}

TEST(TimeTest, OneStepOverManyInstantsTellsEachAtItsOwn) {
  Game game({.rules = ExactLatency({{"start_level", "0"}})});
  game.client().Run();
  for (int i = 0; i < 3; ++i) {
    game.simulator().Submit(static_cast<CallId>(100 + i), Time(0), GetOf("k" + std::to_string(i)));
  }
  struct Times final : proxy::BackendListener {
    std::vector<Time> admitted, answered;
    void OnQueued(CallId, Time, v1::RequestType, std::string_view) override {}
    void OnAdmitted(CallId, Time now) override { admitted.push_back(now); }
    void OnTransform(CallId, Time, TransformInput) override {}
    void OnAnswer(CallId, Time now, BackendAnswer) override { answered.push_back(now); }
    void OnNotice(SourceId, Time, v1::NoticeKind, std::string_view) override {}
    void OnLimits(SourceId, Time, const v1::Limits&) override {}
  } times;
  game.simulator().AdvanceTo(1h, times);
  EXPECT_THAT(times.admitted, ElementsAre(0s, 1s, 2s));
  EXPECT_THAT(times.answered, ElementsAre(FrameTime(5), FrameTime(65), FrameTime(125)));
}

TEST(TimeTest, ACancelledCallIsNeverHeardOfAgainAndFreesItsPlace) {
  Game game({.rules = ExactLatency({{"start_level", "0"}, {"queue_length", "1"}})});
  game.client().Submit(GetOf("a"));
  const CallId waiting = game.client().Submit(GetOf("b"));
  game.client().Cancel(waiting);
  const CallId next = game.client().Submit(GetOf("c"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(waiting).answers, 0);
  EXPECT_TRUE(game.client().seen(waiting).queued.empty());
  EXPECT_THAT(game.client().seen(next).admitted, ElementsAre(1s));
  EXPECT_EQ(game.simulator().open_calls(), 0U);
  game.client().Cancel(12345);  // Never heard of: nothing happens.
}

TEST(TimeTest, AWriteUnderWayIsDoneThoughItsClientIsGone) {
  Game game({.rules = ExactLatency()});
  const CallId set = game.client().Submit(SetOf("a", "1"));
  const CallId update = game.client().Submit(UpdateOf("b"), Always("2"));
  const CallId early = game.client().Submit(UpdateOf("c"), Always("3"));
  game.client().At(FrameTime(3), [&] { game.client().Cancel(early); });  // Still reading.
  game.client().At(FrameTime(8), [&] {
    game.client().Cancel(set);
    game.client().Cancel(update);
  });
  game.client().Run();
  EXPECT_EQ(game.client().seen(set).answers, 0);
  EXPECT_EQ(game.client().seen(update).answers, 0);
  EXPECT_EQ(game.simulator().open_calls(), 0U);
  std::vector<std::string> stored;
  for (const auto& [place, entry] : game.simulator().store().entries()) stored.push_back(place.key);
  EXPECT_THAT(stored, ElementsAre("a", "b"));
}

TEST(TimeTest, ACallThatIsCancelledAtOnceIsToldNothingOf) {
  Game game({.rules = ExactLatency()});
  const CallId set = game.client().Submit(SetOf("a", "1"));
  game.client().Cancel(set);
  game.client().Run();
  EXPECT_TRUE(game.client().seen(set).admitted.empty());
  EXPECT_EQ(game.client().seen(set).answers, 0);
  EXPECT_EQ(game.simulator().store().entries().size(), 1U);
}

TEST(TimeTest, ACancelledWriteThatConflictsEndsThere) {
  Game game({.rules = ExactLatency()});
  game.client().Submit(UpdateOf("k"), Always("1"));
  const CallId loser = game.client().Submit(UpdateOf("k"), Always("2"));
  game.client().At(FrameTime(8), [&] { game.client().Cancel(loser); });
  game.client().Run();
  EXPECT_EQ(game.simulator().store().entries().begin()->second.latest->value, "1");
  EXPECT_EQ(game.simulator().open_calls(), 0U);
}

// Some traffic without races; its outcomes do not hang on the times.
std::string CalmTraffic(uint64_t seed, std::vector<double>* seconds) {
  Game game({.seed = seed});
  for (int i = 0; i < 50; ++i) {
    const std::string key = "k" + std::to_string(i);
    game.client().At(std::chrono::seconds(i), [&game, key] {
      game.client().Submit(UpdateOf(key), Always("1"), [&game, key](const Seen&) {
        game.client().Submit(GetOf(key), nullptr,
                             [&game, key](const Seen&) { game.client().Submit(RemoveOf(key)); });
      });
    });
  }
  game.client().Run();
  if (seconds != nullptr) {
    for (const auto& [id, seen] : game.client().calls()) seconds->push_back(seen->seconds());
  }
  return game.client().log();
}

TEST(TimeTest, TheSameSeedTellsTheSameByteForByte) {
  const std::string once = CalmTraffic(1, nullptr);
  EXPECT_EQ(CalmTraffic(1, nullptr), once);
}

TEST(TimeTest, AnotherSeedMeansOtherTimesAndTheSameCounts) {
  std::vector<double> one, two;
  CalmTraffic(1, &one);
  CalmTraffic(2, &two);
  EXPECT_EQ(one.size(), 150U);
  EXPECT_EQ(two.size(), 150U);
  EXPECT_NE(one, two);
}

TEST(TimeTest, TrafficOfOneServerDoesNotMoveTheTimesOfAnother) {
  const auto times = [](bool with_neighbour) {
    Game game;
    game.simulator().AddSource(2, Time(0), 0);
    std::vector<CallId> calls;
    for (int i = 0; i < 20; ++i) {
      game.client().At(std::chrono::seconds(i), [&game, &calls, i, with_neighbour] {
        if (with_neighbour) game.client().Submit(SetOf("other" + std::to_string(i), "1", 2));
        calls.push_back(game.client().Submit(SetOf("mine" + std::to_string(i), "1", 1)));
      });
    }
    game.client().Run();
    std::vector<Time> answered;
    for (const CallId call : calls) answered.push_back(game.client().seen(call).answered);
    return answered;
  };
  EXPECT_EQ(times(false), times(true));
}

TEST(TimeTest, NothingIsKeptOfCallsThatHaveEnded) {
  Game game;
  for (int i = 0; i < 200; ++i) {
    game.Do(UpdateOf("k" + std::to_string(i % 3)), Always("1"));
    EXPECT_EQ(game.simulator().open_calls(), 0U);
    game.Wait(2s);
  }
  EXPECT_EQ(game.simulator().store().entries().size(), 3U);
}

}  // namespace
}  // namespace dstap::test
