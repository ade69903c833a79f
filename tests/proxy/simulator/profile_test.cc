// What differs under the rules of 2020 and 2023.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;
using testing::ElementsAre;

constexpr auto kGet = v1::REQUEST_TYPE_GET_ASYNC;
constexpr auto kSet = v1::REQUEST_TYPE_SET_INCREMENT_ASYNC;

GameOptions Of(std::string_view profile, Rules more = {}) {
  return {.rules = ExactLatency(std::move(more)), .profile = profile};
}

TEST(ProfileTest, BeforeTheCurrentTypesTheLegacyOnesAreTheBuckets) {
  for (const std::string_view profile : {"2020", "2023"}) {
    Game game(Of(profile));
    EXPECT_EQ(game.Budget(kGet), 100);
    EXPECT_EQ(game.Budget(kSet), 100);
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC), 100);
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC), 50);
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_SORTED_ASYNC), 10);
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), 0);
    game.client().Submit(UpdateOf("a"), Always("1"));
    game.client().Submit(RemoveOf("b"));
    game.client().Run(1s);
    EXPECT_EQ(game.Budget(kGet), 100);  // 99, and one came back.
    EXPECT_EQ(game.Budget(kSet), 99);
    EXPECT_THAT(game.simulator().Spends(UpdateOf("a")), ElementsAre(kGet, kSet));
  }
}

TEST(ProfileTest, PlayersCountTenEach) {
  Game game(Of("2023"));
  game.simulator().AddSource(2, Time(0), 6);
  game.WaitUntil(10s);
  EXPECT_EQ(game.Budget(kGet, 2), 100 + 20);
}

TEST(ProfileTest, AFullQueueIsTold301) {
  Game game(Of("2023"));
  std::vector<CallId> calls;
  for (int i = 0; i < 132; ++i) {
    calls.push_back(game.client().Submit(GetOf("k" + std::to_string(i))));
  }
  game.client().Run();
  EXPECT_EQ(game.client().seen(calls[130]).answer.outcome, v1::OUTCOME_OK);
  const Seen& dropped = game.client().seen(calls[131]);
  EXPECT_EQ(dropped.answer.outcome, v1::OUTCOME_DROPPED);
  EXPECT_EQ(dropped.answer.error.code, 301U);
  EXPECT_EQ(dropped.answer.error.text,
            "301: GetAsync request dropped. Request was throttled, but throttled request queue was "
            "full.");
}

TEST(ProfileTest, AnUpdatesWriteThatIsDroppedIs304Too) {
  GameOptions options = Of("2023");
  options.rules = {{"set_increment_async_start", "0"}, {"queue_length", "1"}};
  Game game(options);
  std::vector<CallId> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(game.client().Submit(UpdateOf("k" + std::to_string(i)), Always("1")));
  }
  game.client().Run();
  int dropped = 0;
  for (const CallId call : calls) {
    const Seen& seen = game.client().seen(call);
    if (seen.answer.outcome != v1::OUTCOME_DROPPED) continue;
    ++dropped;
    EXPECT_EQ(seen.runs.size(), 1U);  // It had its value already.
    EXPECT_EQ(seen.answer.error.code, 304U);
    EXPECT_EQ(seen.answer.error.text,
              "304: UpdateAsync request dropped. Request was throttled, but throttled request "
              "queue was full.");
  }
  EXPECT_EQ(dropped, 1);
}

TEST(ProfileTest, LimitsCannotBeSetYet) {
  Game game(Of("2023"));
  EXPECT_THAT(game.simulator().SetRateLimit(1, Time(0), kGet, 1, 1).text,
              testing::HasSubstr("is not a valid member of DataStoreService"));
}

TEST(ProfileTest, NoExperienceLimitsBefore2026) {
  Game game(Of("2023", {{"get_async_start", "1000"}, {"bucket_cap_times", "100"}}));
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    game.client().Submit(GetOf("k" + std::to_string(i)), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome != v1::OUTCOME_OK) ++failed;
    });
  }
  game.client().Run();
  EXPECT_EQ(failed, 0);
}

TEST(ProfileTest, In2020OneKeyIsWrittenOnceInSixSecondsAndOthersPass) {
  Game game(Of("2020"));
  const CallId first = game.client().Submit(SetOf("k", "1"));
  const CallId second = game.client().Submit(SetOf("k", "2"));
  const CallId third = game.client().Submit(SetOf("k", "3"));
  const CallId other = game.client().Submit(SetOf("other", "1"));
  game.client().Run();
  EXPECT_THAT(game.client().seen(first).admitted, ElementsAre(0s));
  EXPECT_EQ(game.client().seen(second).queued.size(), 1U);
  EXPECT_THAT(game.client().seen(second).admitted, ElementsAre(6s));
  EXPECT_THAT(game.client().seen(third).admitted, ElementsAre(12s));
  EXPECT_THAT(game.client().seen(other).admitted, ElementsAre(0s));
}

TEST(ProfileTest, Since2023OneKeyIsWrittenAsOftenAsOneLikes) {
  Game game(Of("2023"));
  game.client().Submit(SetOf("k", "1"));
  const CallId second = game.client().Submit(SetOf("k", "2"));
  game.client().Run();
  EXPECT_THAT(game.client().seen(second).admitted, ElementsAre(0s));
}

TEST(ProfileTest, In2020ThereAreNoVersionsInfoUserIdsOrMetadata) {
  Game game(Of("2020"));
  proxy::Request set = SetOf("k", "1");
  set.user_ids = {1};
  const Seen written = game.Do(set);
  EXPECT_EQ(written.answer.outcome, v1::OUTCOME_OK);
  EXPECT_TRUE(written.answer.version.empty());
  const Seen read = game.Do(GetOf("k"));
  EXPECT_EQ(read.answer.value, "1");
  EXPECT_FALSE(read.answer.key_info.has_value());
  EXPECT_FALSE(game.Do(UpdateOf("k"), AlwaysNil()).runs.at(0).second.key_info.has_value());
  Game later(Of("2023"));
  EXPECT_FALSE(later.Do(set).answer.version.empty());
}

TEST(ProfileTest, In2020UseCacheFalseIsNotKnownAndACopyLivesFiveSeconds) {
  Game game(Of("2020"));
  const Time written = game.Do(SetOf("k", "1")).answered;
  game.WaitUntil(written + 5s - Time(1));
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  game.WaitUntil(written + 5s);
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, v1::SERVED_BY_BACKEND);
}

TEST(ProfileTest, ThroughputOfAKeyIsLimitedSince2023) {
  const std::string big = '"' + std::string(4'194'301, 'a') + '"';  // One byte less than in 2026.
  for (const auto& [profile, outcome] :
       {std::pair{"2020", v1::OUTCOME_OK}, std::pair{"2023", v1::OUTCOME_FAILED}}) {
    Game game(Of(profile));
    EXPECT_EQ(game.Do(SetOf("k", big)).answer.outcome, v1::OUTCOME_OK);
    EXPECT_EQ(game.Do(SetOf("k", big)).answer.outcome, outcome) << profile;
    EXPECT_EQ(game.Do(SetOf("k", big + " ")).answer.error.code, 105U) << profile;
  }
  Game game(Of("2023"));
  game.Do(SetOf("k", big));
  EXPECT_EQ(game.Do(SetOf("k", big)).answer.error.text,
            "502: API Services rejected request with error. Error code: 8 Reason: The request rate "
            "exceeds the allowed maximum for the key.");
}

}  // namespace
}  // namespace dstap::test
