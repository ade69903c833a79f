// The rules of the local copy, one by one.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kLocal = v1::SERVED_BY_LOCAL_COPY;
constexpr auto kBackend = v1::SERVED_BY_BACKEND;
constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;
constexpr auto kWrite = v1::REQUEST_TYPE_STANDARD_WRITE;

// A game whose store already holds key "k" = "1", written long ago by server 2.
struct StoredGame : Game {
  explicit StoredGame(Rules more = {}) : Game({.rules = ExactLatency(std::move(more))}) {
    simulator().AddSource(2, Time(0), 0);
    Do(SetOf("k", "1", 2));
    WaitUntil(100s);
  }
  std::string Value(const Seen& seen) { return seen.answer.value.value_or("nil"); }
};

TEST(CacheTest, ASecondGetWithinFourSecondsIsFreeAndTakesNoTime) {
  StoredGame game;
  const int64_t budget = game.Budget(kRead);
  const Seen first = game.Do(GetOf("k"));
  EXPECT_EQ(first.answer.served_by, kBackend);
  EXPECT_EQ(first.answer.taken[0], 1U);
  EXPECT_EQ(first.answered - first.issued, proxy::FrameTime(kReadStoredFrames));
  const Seen second = game.Do(GetOf("k"));
  EXPECT_EQ(second.answer.served_by, kLocal);
  EXPECT_EQ(second.answer.taken[0], 0U);
  EXPECT_EQ(second.answered, second.issued);
  EXPECT_TRUE(second.admitted.empty());
  EXPECT_EQ(game.Value(second), "1");
  EXPECT_EQ(second.answer.key_info->version, first.answer.key_info->version);
  EXPECT_EQ(game.Budget(kRead), budget - 1);
}

TEST(CacheTest, ACopyLivesFourSecondsFromTheReadAndNotOneNanosecondMore) {
  StoredGame game;
  const Time read = game.Do(GetOf("k")).answered;
  game.WaitUntil(read + 4s - Time(1));
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kLocal);
  game.WaitUntil(read + 4s);
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kBackend);
}

TEST(CacheTest, AHitDoesNotMakeTheCopyLiveLonger) {
  StoredGame game;
  const Time read = game.Do(GetOf("k")).answered;
  game.WaitUntil(read + 3s);
  game.Do(GetOf("k"));
  game.WaitUntil(read + 4s);
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kBackend);
}

TEST(CacheTest, EachScopeAndTheAllScopesObjectKeepTheirOwn) {
  StoredGame game;
  game.Do(GetOf("k"));
  proxy::Request other_scope = GetOf("k");
  other_scope.store.scope = "other";
  EXPECT_EQ(game.Do(other_scope).answer.served_by, kBackend);
  proxy::Request all_scopes = GetOf("global/k");
  all_scopes.store = {"PlayerData", "", v1::STORE_KIND_STANDARD, true};
  const Seen first = game.Do(all_scopes);
  EXPECT_EQ(first.answer.served_by, kBackend);
  EXPECT_EQ(game.Value(first), "1");
  EXPECT_EQ(game.Do(all_scopes).answer.served_by, kLocal);
}

TEST(CacheTest, EachServerKeepsItsOwn) {
  StoredGame game;
  game.Do(GetOf("k", 1));
  EXPECT_EQ(game.Do(GetOf("k", 2)).answer.served_by, kBackend);
}

TEST(CacheTest, UseCacheFalseGoesToTheServiceAndRestartsTheTime) {
  StoredGame game;
  const Time first = game.Do(GetOf("k")).answered;
  game.WaitUntil(first + 3s);
  const Seen fresh = game.Do(FreshGetOf("k"));
  EXPECT_EQ(fresh.answer.served_by, kBackend);
  EXPECT_EQ(fresh.answer.taken[0], 1U);
  game.WaitUntil(fresh.answered + 4s - Time(1));
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kLocal);
}

TEST(CacheTest, WritesOfThisServerReplaceTheCopyAndRestartItsTime) {
  for (const auto& [request, transform, value] :
       std::vector<std::tuple<proxy::Request, Transform, std::string>>{
           {SetOf("k", "2"), nullptr, "2"},
           {UpdateOf("k"), Always("3"), "3"},
           {IncrementOf("k", 4), nullptr, "5"},
           {RemoveOf("k"), nullptr, "nil"}}) {
    StoredGame game;
    const Time read = game.Do(GetOf("k")).answered;
    game.WaitUntil(read + 3s);
    const Time written = game.Do(request, transform).answered;
    game.WaitUntil(written + 4s - Time(1));
    const Seen hit = game.Do(GetOf("k"));
    EXPECT_EQ(hit.answer.served_by, kLocal) << value;
    EXPECT_EQ(game.Value(hit), value);
    game.WaitUntil(written + 4s);
    EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kBackend) << value;
  }
}

TEST(CacheTest, AnotherServersWriteIsNotSeenUntilTheCopyEnds) {
  StoredGame game;
  const Time read = game.Do(GetOf("k", 1)).answered;
  game.Do(SetOf("k", "2", 2));
  EXPECT_EQ(game.Value(game.Do(GetOf("k", 1))), "1");
  game.WaitUntil(read + 4s);
  EXPECT_EQ(game.Value(game.Do(GetOf("k", 1))), "2");
}

TEST(CacheTest, AHitCountsNoThroughput) {
  StoredGame game;
  game.Do(SetOf("big", '"' + std::string(4'194'302, 'a') + '"', 2));
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(game.Do(FreshGetOf("big")).answer.outcome, v1::OUTCOME_OK) << i;  // 24 MB
  }
  EXPECT_EQ(game.Do(GetOf("big")).answer.served_by, kLocal);
  EXPECT_EQ(game.Do(FreshGetOf("big")).answer.error.text,
            "KeyThrottled: The request rate exceeds the allowed maximum for the key.");
  EXPECT_EQ(game.Do(GetOf("big")).answer.served_by, kLocal);
}

TEST(CacheTest, UpdateAsyncReadsTheCopyAndACancelledOneIsFreeInOneInstant) {
  StoredGame game;
  game.Do(GetOf("k"));
  const int64_t read_budget = game.Budget(kRead);
  const int64_t write_budget = game.Budget(kWrite);
  const Seen seen = game.Do(UpdateOf("k"), AlwaysNil());
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(seen.answer.served_by, kLocal);
  EXPECT_EQ(seen.answered, seen.issued);
  EXPECT_EQ(seen.runs.at(0).first, seen.issued);
  EXPECT_EQ(seen.runs.at(0).second.value, "1");
  EXPECT_EQ(game.Budget(kRead), read_budget);
  EXPECT_EQ(game.Budget(kWrite), write_budget);
}

TEST(CacheTest, AnUpdateAsyncServedByTheCopySpendsAWriteOnly) {
  StoredGame game;
  game.Do(GetOf("k"));
  const Seen seen = game.Do(UpdateOf("k"), Always("2"));
  EXPECT_EQ(seen.answer.taken, (std::array<uint32_t, 2>{0, 1}));
  EXPECT_EQ(seen.answered - seen.issued, proxy::FrameTime(kWriteFrames));
  EXPECT_EQ(seen.answer.served_by, kLocal);
}

TEST(CacheTest, AnUpdateAsyncThatReadTheServiceAndWroteNothingFillsTheCopy) {
  StoredGame game;
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).answer.served_by, kBackend);
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).answer.served_by, kLocal);
}

// The observed server hop: tries at 0, 0.5 and 2.5 s see the old lock, the one at 4.6 s does not.
TEST(CacheTest, ACancelledHitNeitherRefreshesTheCopyNorRestartsIt) {
  StoredGame game;
  const Time start = game.client().now();
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).runs.at(0).second.value, "1");
  game.Do(SetOf("k", "2", 2));
  for (const Time at : {Time(500ms), Time(2500ms)}) {
    game.WaitUntil(start + at);
    const Seen stale = game.Do(UpdateOf("k"), AlwaysNil());
    EXPECT_EQ(stale.runs.at(0).second.value, "1");
    EXPECT_EQ(stale.answered, stale.issued);
  }
  game.WaitUntil(start + 4600ms);
  const Seen fresh = game.Do(UpdateOf("k"), AlwaysNil());
  EXPECT_EQ(fresh.answer.served_by, kBackend);
  EXPECT_EQ(fresh.runs.at(0).second.value, "2");
}

TEST(CacheTest, AReadPastTheCacheShowsTheNextUpdateAsyncTheNewValue) {
  StoredGame game;
  game.Do(UpdateOf("k"), AlwaysNil());
  game.Do(SetOf("k", "2", 2));
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).runs.at(0).second.value, "1");
  game.Do(FreshGetOf("k"));
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).runs.at(0).second.value, "2");
}

TEST(CacheTest, AWriteFromAStaleCopyConflictsAndLosesNothing) {
  StoredGame game;
  game.Do(GetOf("k", 1));
  game.Do(SetOf("k", "10", 2));
  const Seen seen = game.Do(UpdateOf("k", 1), [](const TransformInput& input) {
    return Give(std::to_string(std::stoi(*input.value) + 1));
  });
  ASSERT_EQ(seen.runs.size(), 2U);
  EXPECT_EQ(seen.runs[0].second.value, "1");
  EXPECT_EQ(seen.runs[1].second.value, "10");
  EXPECT_EQ(game.Value(seen), "11");
}

TEST(CacheTest, AMissingKeyIsNotKept) {
  StoredGame game;
  EXPECT_EQ(game.Do(GetOf("missing")).answer.served_by, kBackend);
  EXPECT_EQ(game.Do(GetOf("missing")).answer.served_by, kBackend);
  const Seen update = game.Do(UpdateOf("missing"), Always("1"));
  EXPECT_EQ(update.answer.taken, (std::array<uint32_t, 2>{1, 1}));
}

TEST(CacheTest, AMissingKeyIsKeptWhenToldTo) {
  StoredGame game(Rules{{"cache_missing", "1"}});
  game.Do(GetOf("missing"));
  const Seen second = game.Do(GetOf("missing"));
  EXPECT_EQ(second.answer.served_by, kLocal);
  EXPECT_EQ(game.Value(second), "nil");
}

TEST(CacheTest, ARemovedKeyIsKeptAsNilUnlessToldNotTo) {
  StoredGame game;
  game.Do(RemoveOf("k"));
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kLocal);
  StoredGame other(Rules{{"cache_removed", "0"}});
  other.Do(RemoveOf("k"));
  EXPECT_EQ(other.Do(GetOf("k")).answer.served_by, kBackend);
}

TEST(CacheTest, OrderedStoresKeepCopiesToo) {
  StoredGame game;
  proxy::Request set = SetOf("k", "5");
  proxy::Request get = GetOf("k");
  set.store.kind = get.store.kind = v1::STORE_KIND_ORDERED;
  game.Do(set);
  EXPECT_EQ(game.Do(get).answer.served_by, kLocal);
  game.Wait(4s);
  EXPECT_EQ(game.Do(get).answer.served_by, kBackend);
}

TEST(CacheTest, UpdateAsyncCanBeKeptFromTheCopy) {
  StoredGame game(Rules{{"update_uses_cache", "0"}});
  game.Do(GetOf("k"));
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).answer.served_by, kBackend);
}

TEST(CacheTest, NoCacheAtAll) {
  StoredGame game(Rules{{"cache_ms", "0"}});
  game.Do(GetOf("k"));
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, kBackend);
}

TEST(CacheTest, ForgetsCopiesThatHaveEnded) {
  const proxy::RuleProfile rules = *proxy::FindRuleProfile("2026");
  proxy::ValueCache cache(rules);
  auto version = std::make_shared<proxy::Version>();
  for (int i = 0; i < 1000; ++i) {
    cache.Put(TestStore(), "key" + std::to_string(i), std::chrono::seconds(i), version);
    EXPECT_LE(cache.size(), 4U);
  }
  // A copy that was put again keeps its later end.
  cache.Put(TestStore(), "a", 2000s, version);
  cache.Put(TestStore(), "a", 2003s, version);
  cache.Put(TestStore(), "b", 2005s, version);
  EXPECT_TRUE(cache.Find(TestStore(), "a", 2006s).has_value());
  EXPECT_EQ(cache.size(), 2U);
}

}  // namespace
}  // namespace dstap::test
