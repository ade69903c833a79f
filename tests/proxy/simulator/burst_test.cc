// The check values: what live servers without players did under a burst of UpdateAsync, and what
// the model must reproduce.
#include <gmock/gmock.h>

#include <algorithm>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;

struct Burst {
  int admitted = 0;
  int queued = 0;
  int dropped = 0;
  int64_t update_after = -1, read_after = -1, write_after = -1;
};

// `count` cancelled UpdateAsync on fresh keys, all in frame `frame`.
Burst SendBurst(Game& game, int count, int64_t frame) {
  std::vector<CallId> calls;
  Burst burst;
  game.client().At(FrameTime(frame), [&] {
    for (int i = 0; i < count; ++i) {
      calls.push_back(game.client().Submit(UpdateOf("burst_" + std::to_string(i)), AlwaysNil()));
    }
    burst.update_after = game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC);
    burst.read_after = game.Budget(v1::REQUEST_TYPE_STANDARD_READ);
    burst.write_after = game.Budget(v1::REQUEST_TYPE_STANDARD_WRITE);
  });
  game.client().Run(FrameTime(frame) + 500ms);
  for (const CallId call : calls) {
    const Seen& seen = game.client().seen(call);
    if (seen.answer.outcome == v1::OUTCOME_DROPPED) {
      ++burst.dropped;
    } else if (seen.queued.empty()) {
      ++burst.admitted;
    } else {
      ++burst.queued;
    }
  }
  return burst;
}

TEST(BurstTest, OneMorePassesThanTheBudgetShowsThirtyWaitAndNineAreDropped) {
  Game game;
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), 120);
  const Burst burst = SendBurst(game, 160, 0);
  EXPECT_EQ(burst.admitted, 121);
  EXPECT_EQ(burst.queued, 30);
  EXPECT_EQ(burst.dropped, 9);
  EXPECT_EQ(burst.update_after, 0);
  EXPECT_EQ(burst.read_after, 0);
  EXPECT_EQ(burst.write_after, 120);
}

TEST(BurstTest, OneSecondLaterOneMoreIsSentForTheSameNineDrops) {
  Game game;
  const Burst burst = SendBurst(game, 161, 60);
  EXPECT_EQ(burst.admitted, 122);
  EXPECT_EQ(burst.queued, 30);
  EXPECT_EQ(burst.dropped, 9);
  EXPECT_EQ(burst.write_after, 121);
}

TEST(BurstTest, ADroppedCallIsToldOneFrameLaterInTheServicesWords) {
  Game game;
  SendBurst(game, 160, 60);
  const Seen& last = game.client().seen(160);
  EXPECT_EQ(last.answer.outcome, v1::OUTCOME_DROPPED);
  EXPECT_EQ(last.answered, FrameTime(61));
  EXPECT_EQ(last.answer.error.code, 0U);
  EXPECT_EQ(last.answer.error.name, "StandardReadGameServerThrottled");
  EXPECT_EQ(last.answer.error.text,
            "StandardReadGameServerThrottled: StandardRead request was throttled by game server "
            "limits or the request queue was full");
  EXPECT_EQ(last.answer.taken[0], 0U);
}

TEST(BurstTest, AQueuedCallIsWarnedAboutAtOnceWithoutASpaceBeforeKey) {
  Game game;
  SendBurst(game, 160, 60);
  // Burst budget 121 at one second: 122 pass, the 123rd waits first.
  const Seen& first = game.client().seen(123);
  ASSERT_THAT(first.queued, testing::ElementsAre(FrameTime(60)));
  EXPECT_THAT(first.warnings,
              testing::ElementsAre("DataStore request was added to queue. If request queue fills, "
                                   "further requests will be dropped. Try sending fewer "
                                   "requests.Key = burst_122"));
}

TEST(BurstTest, TheQueueMovesOnceASecondAndTheBudgetShowsAgainAfter32) {
  Game game;
  SendBurst(game, 151, 0);
  game.client().Run(31999ms);
  for (int i = 0; i < 30; ++i) {
    EXPECT_THAT(game.client().seen(static_cast<CallId>(122 + i)).admitted,
                testing::ElementsAre(std::chrono::seconds(i + 1)));
  }
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), 0);
  game.client().Run(32s);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), 1);
}

TEST(BurstTest, ABudgetStaysWhatItIsUntilTheInstantThatIsSaid) {
  Game game;
  const auto change = [&game](v1::RequestType type) {
    return game.simulator().BudgetChange(1, game.client().now(), type);
  };
  EXPECT_EQ(change(v1::REQUEST_TYPE_UPDATE_ASYNC), 1s);
  EXPECT_EQ(change(v1::REQUEST_TYPE_ORDERED_LIST), Time::max());  // Always shows 0.
  SendBurst(game, 151, 0);
  // While something is on its way nothing is promised for longer than until it moves.
  int64_t shown = game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC);
  int changes = 0;
  while (game.client().now() < 40s) {
    const Time until = change(v1::REQUEST_TYPE_UPDATE_ASYNC);
    ASSERT_GT(until, game.client().now());
    game.client().Run(until - Time(1));
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC), shown) << game.client().now().count();
    game.client().Run(until);
    const int64_t now_shown = game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC);
    changes += now_shown != shown ? 1 : 0;
    shown = now_shown;
  }
  EXPECT_EQ(changes, 9);  // 1 at 32 s, 9 at 40 s.
}

// A caller that retries the moment it fails. Returns its attempts.
int RetryAtOnce(Game& game, Time start, Time* done) {
  int attempts = 0;
  std::function<void()> attempt = [&] {
    ++attempts;
    game.client().Submit(GetOf("one_more"), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome == v1::OUTCOME_DROPPED) {
        attempt();
      } else {
        *done = seen.answered - start;
      }
    });
  };
  game.client().At(start, attempt);
  game.client().Run();
  return attempts;
}

TEST(BurstTest, ARetryEveryFrameTakes61CallsWhereverTheBurstStarts) {
  for (int64_t frame = 0; frame < 1000; ++frame) {
    Game game({.rules = {{"tail_permille", "0"}}});
    const Time start = FrameTime(frame);
    game.client().At(start, [&] {
      const int64_t burst = game.Budget(v1::REQUEST_TYPE_STANDARD_READ) + 40;
      for (int64_t i = 0; i < burst; ++i) {
        game.client().Submit(UpdateOf("b" + std::to_string(i)), AlwaysNil());
      }
    });
    Time done{0};
    ASSERT_EQ(RetryAtOnce(game, start, &done), 61) << "burst in frame " << frame;
    ASSERT_GE(done, 31s);
    ASSERT_LE(done, 31134ms);
  }
}

// What other callers saw after the burst. Times are live observations: each run must come near the
// band, and the middle of the runs must be in it.
class CallerTest : public testing::Test {
 protected:
  static constexpr int kRuns = 21;

  // Burst of budget + 40 at 10 s, then `play`, which gives the seconds that are judged.
  std::vector<double> Runs(const std::function<double(Game&, Time)>& play) {
    std::vector<double> seconds;
    for (uint64_t seed = 1; seed <= kRuns; ++seed) {
      Game game({.rules = {{"tail_permille", "0"}}, .seed = seed});
      game.Do(SetOf("stored", "1"));
      const Time start = 10s;
      game.client().At(start, [&] {
        const int64_t burst = game.Budget(v1::REQUEST_TYPE_STANDARD_READ) + 40;
        for (int64_t i = 0; i < burst; ++i) {
          game.client().Submit(UpdateOf("b" + std::to_string(i)), AlwaysNil());
        }
      });
      game.client().Run(start);
      seconds.push_back(play(game, start));
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
  }
};

double Seconds(Time time) { return static_cast<double>(time.count()) / 1e9; }

void ExpectBand(const std::vector<double>& runs, double low, double high) {
  const double median = runs[runs.size() / 2];
  EXPECT_GE(median, low);
  EXPECT_LE(median, high);
  EXPECT_GE(runs.front(), low - 0.1);
  EXPECT_LE(runs.back(), high + 0.1);
}

// Submits an UpdateAsync that writes, at `when`; `done` gets the time of its answer.
void UpdateAt(Game& game, Time when, std::string key, Time& done) {
  game.client().At(when, [&game, &done, key = std::move(key)] {
    game.client().Submit(UpdateOf(key), Always("2"), [&done](const Seen& seen) {
      EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
      done = seen.answered;
    });
  });
}

TEST_F(CallerTest, DroppedAndRetriedASecondLaterIsDoneJustAfter31) {
  ExpectBand(Runs([](Game& game, Time start) {
               const CallId first = game.client().Submit(UpdateOf("stored"), Always("2"));
               Time done{0};
               UpdateAt(game, start + 1s + 16'666'667ns, "stored", done);
               game.client().Run();
               EXPECT_EQ(game.client().seen(first).answer.outcome, v1::OUTCOME_DROPPED);
               return Seconds(done - start);
             }),
             31.2, 31.35);
}

TEST_F(CallerTest, SentFiveSecondsInItWaitsForItsPlaceInTheQueue) {
  ExpectBand(Runs([](Game& game, Time start) {
               Time done{0};
               UpdateAt(game, start + 5500ms, "stored", done);
               game.client().Run();
               return Seconds(done - start);
             }),
             31.17, 31.6);
}

TEST_F(CallerTest, WaitingForAVisibleBudgetSendsAt32) {
  ExpectBand(Runs([](Game& game, Time start) {
               Time sent{0}, done{0};
               std::function<void()> poll = [&] {
                 if (game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC) == 0) {
                   return game.client().At(proxy::FrameAfter(game.client().now()), poll);
                 }
                 sent = game.client().now();
                 UpdateAt(game, sent, "stored", done);
               };
               game.client().At(start, poll);
               game.client().Run();
               EXPECT_EQ(sent, start + 32s);
               return Seconds(done - start);
             }),
             32.17, 32.4);
}

// A load with a mailbox: an update, and a read that waits for a token of its own to show.
TEST_F(CallerTest, ASecondReadTokenComesOneSecondLater) {
  ExpectBand(Runs([](Game& game, Time start) {
               std::vector<Time> sent;
               Time updated{0}, read{0};
               std::function<void()> poll = [&] {
                 if (game.Budget(v1::REQUEST_TYPE_STANDARD_READ) > 0) {
                   sent.push_back(game.client().now());
                   if (sent.size() == 1) {
                     UpdateAt(game, sent[0], "stored", updated);
                   } else {
                     game.client().Submit(FreshGetOf("mailbox"), nullptr,
                                          [&](const Seen& seen) { read = seen.answered; });
                   }
                 }
                 if (sent.size() < 2)
                   game.client().At(proxy::FrameAfter(game.client().now()), poll);
               };
               game.client().At(start, poll);
               game.client().Run();
               EXPECT_EQ(sent, (std::vector<Time>{start + 32s, start + 33s}));
               EXPECT_LT(updated, read);
               return Seconds(read - start);
             }),
             33.0, 33.15);
}

TEST_F(CallerTest, SavingAKeyThatWasReadAsMissingWaitsForAReadToken) {
  ExpectBand(Runs([](Game& game, Time start) {
               Time read{0}, done{0};
               EXPECT_EQ(RetryAtOnce(game, start, &read), 61);
               UpdateAt(game, start + read, "one_more", done);
               // RetryAtOnce() has run to its end: nothing else has happened since.
               game.client().Run();
               return Seconds(done - start - read);
             }),
             1.1, 1.35);
}

TEST_F(CallerTest, SavingAKeyThatWasJustWrittenDoesNotWait) {
  ExpectBand(Runs([](Game& game, Time start) {
               Time loaded{0}, saved{0};
               UpdateAt(game, start + 1s, "stored", loaded);
               game.client().Run();
               UpdateAt(game, loaded, "stored", saved);
               game.client().Run();
               return Seconds(saved - loaded);
             }),
             0.12, 0.35);
}

}  // namespace
}  // namespace dstap::test
