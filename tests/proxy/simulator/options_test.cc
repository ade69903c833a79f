// What nobody knows about the service is a rule; here each is turned.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;
constexpr int64_t kStartNs = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z

struct OptionGame : Game {
  explicit OptionGame(Rules rules = {})
      : Game({.rules = ExactLatency(std::move(rules)), .start_unix_ns = kStartNs}) {}
};

proxy::Request Of(v1::Method method, const std::string& version = "") {
  proxy::Request request = GetOf("k");
  request.method = method;
  if (!version.empty()) request.list.set_version(version);
  return request;
}

// ---------------------------------------------------------------- budgets and queues

TEST(OptionsTest, ARefillThatDoesNotRestartKeepsItsPhase) {
  for (const auto& [restarts, admitted] :
       {std::pair{"1", Time(1500ms)}, std::pair{"0", Time(1s)}}) {
    OptionGame game(Rules{{"standard_read_start", "0"}, {"refill_restarts", restarts}});
    const auto submit = [&game] { game.client().Submit(GetOf("k")); };
    game.client().At(500ms, submit);  // Takes the half token that is there, and half more.
    game.client().At(500ms, submit);
    game.client().Run();
    EXPECT_THAT(game.client().seen(2).admitted, ElementsAre(admitted)) << restarts;
  }
}

TEST(OptionsTest, ATypesQueueIsARule) {
  // Removals behind reads: their places are shared.
  OptionGame game(
      Rules{{"standard_remove_queue", "0"}, {"start_level", "0"}, {"queue_length", "1"}});
  game.client().Submit(GetOf("a"));
  game.client().Submit(RemoveOf("a"));
  const CallId read = game.client().Submit(GetOf("b"));
  const CallId removal = game.client().Submit(RemoveOf("b"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(read).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.client().seen(removal).answer.outcome, v1::OUTCOME_DROPPED);
}

TEST(OptionsTest, ListsHaveAQueueOfTheirOwnThatCanBeNone) {
  for (const auto& [length, dropped] : {std::pair{"30", 0}, std::pair{"0", 1}}) {
    OptionGame game(Rules{{"standard_list_start", "0"}, {"own_queue_length", length}});
    int seen_dropped = 0;
    for (int i = 0; i < 2; ++i) {
      game.client().Submit(Of(v1::METHOD_LIST_KEYS_ASYNC), nullptr, [&](const Seen& seen) {
        if (seen.answer.outcome == v1::OUTCOME_DROPPED) ++seen_dropped;
      });
    }
    game.client().Run();
    EXPECT_EQ(seen_dropped, dropped);
  }
}

TEST(OptionsTest, LegacyBudgetsCanStayWhatTheyWere) {
  OptionGame game(Rules{{"legacy_mirrors", "0"}});
  game.client().Submit(GetOf("a"));
  EXPECT_EQ(game.Budget(kRead), 119);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_ASYNC), 120);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_UPDATE_ASYNC), 119);
}

TEST(OptionsTest, AQueueWarningNamesTheBareKeyInAnyScope) {
  OptionGame game(Rules{{"start_level", "0"}});
  game.client().Submit(GetOf("a"));
  proxy::Request scoped = GetOf("b");
  scoped.store.scope = "season1";
  const CallId waiting = game.client().Submit(scoped);
  game.client().Run();
  EXPECT_THAT(game.client().seen(waiting).warnings,
              ElementsAre("DataStore request was added to queue. If request queue fills, further "
                          "requests will be dropped. Try sending fewer requests.Key = b"));
}

// ---------------------------------------------------------------- the experience

TEST(OptionsTest, TheExperiencesBucketCanBeSmaller) {
  OptionGame game(Rules{{"experience_bucket_ms", "2000"}});  // 300 a minute: ten in two seconds.
  int failed = 0;
  for (int i = 0; i < 15; ++i) {
    game.client().Submit(GetOf("k" + std::to_string(i)), nullptr, [&](const Seen& seen) {
      if (seen.answer.outcome == v1::OUTCOME_FAILED) ++failed;
    });
  }
  game.client().Run();
  EXPECT_EQ(failed, 5);
}

TEST(OptionsTest, RequestsCanWaitForTheExperience) {
  OptionGame game(Rules{{"experience_queues", "1"}, {"experience_standard_read_base", "60"}});
  game.simulator().AddSource(2, Time(0), 0);
  for (int i = 0; i < 60; ++i) game.client().Submit(FreshGetOf("k", 2));
  const CallId first = game.client().Submit(GetOf("a"));
  const CallId second = game.client().Submit(GetOf("b"));
  game.client().Run();
  EXPECT_THAT(game.client().seen(first).admitted, ElementsAre(1s));
  EXPECT_THAT(game.client().seen(second).admitted, ElementsAre(2s));
  EXPECT_EQ(game.client().seen(first).answer.outcome, v1::OUTCOME_OK);

  // Players on another server let it go sooner.
  OptionGame crowded(Rules{{"experience_queues", "1"}, {"experience_standard_read_base", "1"}});
  crowded.simulator().AddSource(2, Time(0), 0);
  crowded.client().Submit(FreshGetOf("k", 2));
  const CallId waiting = crowded.client().Submit(GetOf("a"));
  crowded.client().At(500ms, [&] { crowded.simulator().SetPlayers(2, 500ms, 100); });
  crowded.client().Run();
  EXPECT_LT(crowded.client().seen(waiting).answered, 1s);
}

TEST(OptionsTest, ThrottleErrorsCanEndWithAFullStopAndSpeakWithTheServicesVoice) {
  const Rules none = {{"experience_standard_read_base", "0"}};
  const auto text = [&none](Rules more) {
    more.insert(more.end(), none.begin(), none.end());
    return OptionGame(std::move(more)).Do(GetOf("k")).answer.error.text;
  };
  EXPECT_EQ(text({}),
            "StandardReadExperienceThrottled: StandardRead request was throttled by experience "
            "limits");
  EXPECT_EQ(text(Rules{{"throttled_full_stop", "1"}}),
            "StandardReadExperienceThrottled: StandardRead request was throttled by experience "
            "limits.");
  EXPECT_EQ(text(Rules{{"throttled_full_stop", "1"}, {"experience_service_text", "1"}}),
            "StandardReadExperienceThrottled: The standard read request rate exceeds the allowed "
            "maximum for the experience.");
}

TEST(OptionsTest, NamedErrorsCanBePrintedWithTheirMethodAndStore) {
  OptionGame game(Rules{{"experience_standard_read_base", "0"}, {"console_lines", "1"}});
  game.Do(GetOf("k"));
  game.Do(GetOf(""));  // A coded one is not.
  EXPECT_THAT(game.client().notices(),
              ElementsAre("DataStoreService: StandardReadExperienceThrottled: StandardRead request "
                          "was throttled by experience limits. API: GetAsync, Data Store: "
                          "PlayerData"));
}

// ---------------------------------------------------------------- values and versions

TEST(OptionsTest, NilIsRefusedOrStoredAsNull) {
  proxy::Request nil = SetOf("k", "");
  nil.value.reset();
  OptionGame strict;
  EXPECT_EQ(strict.Do(nil).answer.error.text, "103: nil is not allowed in data stores.");
  OptionGame lax(Rules{{"nil_is_error", "0"}});
  EXPECT_EQ(lax.Do(nil).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(lax.Do(FreshGetOf("k")).answer.value, "null");
  nil.store.kind = v1::STORE_KIND_ORDERED;
  EXPECT_EQ(lax.Do(nil).answer.error.text, "103: nil is not allowed in data stores.");
}

TEST(OptionsTest, ACancelledUpdateAsyncCanGiveWhatItRead) {
  OptionGame game(Rules{{"cancelled_gives_old", "1"}});
  game.Do(SetOf("k", "7"));
  const Seen seen = game.Do(UpdateOf("k"), AlwaysNil());
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(seen.answer.value, "7");
  EXPECT_TRUE(seen.answer.key_info.has_value());
  EXPECT_FALSE(game.Do(UpdateOf("new"), AlwaysNil()).answer.value.has_value());
}

TEST(OptionsTest, OrderedStoresNeedNotKeepCopies) {
  OptionGame game(Rules{{"cache_ordered", "0"}});
  proxy::Request get = GetOf("k");
  get.store.kind = v1::STORE_KIND_ORDERED;
  proxy::Request set = SetOf("k", "1");
  set.store.kind = v1::STORE_KIND_ORDERED;
  game.Do(set);
  EXPECT_EQ(game.Do(get).answer.served_by, v1::SERVED_BY_BACKEND);
  game.Do(SetOf("k", "1"));
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, v1::SERVED_BY_LOCAL_COPY);
}

std::string NumberOf(const Seen& seen) { return seen.answer.version.substr(17, 10); }

TEST(OptionsTest, AVersionsNumberCanBeHexadecimal) {
  OptionGame game(Rules{{"version_number_hex", "1"}, {"experience_limits", "0"}});
  Seen last;
  for (int i = 0; i < 10; ++i) last = game.Do(SetOf("k", "1"));
  EXPECT_EQ(NumberOf(last), "000000000A");
  EXPECT_EQ(game.Do(Of(v1::METHOD_GET_VERSION_ASYNC, last.answer.version)).answer.value, "1");
}

TEST(OptionsTest, OverwrittenVersionsNeedNotCount) {
  OptionGame game(Rules{{"version_counts_all", "0"}});
  EXPECT_EQ(NumberOf(game.Do(SetOf("k", "1"))), "0000000001");
  EXPECT_EQ(NumberOf(game.Do(SetOf("k", "2"))), "0000000001");  // In the same hour.
  game.Wait(1h);
  EXPECT_EQ(NumberOf(game.Do(SetOf("k", "3"))), "0000000002");
}

TEST(OptionsTest, AKeyWrittenAfterItsRemovalCanBeNew) {
  for (const auto& [restarts, number] :
       {std::pair{"0", "0000000003"}, std::pair{"1", "0000000001"}}) {
    OptionGame game(Rules{{"version_restarts", restarts}});
    const std::string first = game.Do(SetOf("k", "1")).answer.version;
    game.Do(RemoveOf("k"));
    const Seen again = game.Do(SetOf("k", "2"));
    EXPECT_EQ(NumberOf(again), number);
    EXPECT_EQ(again.answer.version.substr(0, 16) == first.substr(0, 16), *restarts == '0');
  }
}

TEST(OptionsTest, AnUnknownVersionCanBeAnErrorAndARemovalWithoutInfo) {
  const std::string unknown = "08D9E6A3F2188CFF.0000000001.08D9E6A3F2188CFF.01";
  OptionGame game(Rules{{"unknown_version_fails", "1"}, {"tombstone_has_info", "0"}});
  const Seen failed = game.Do(Of(v1::METHOD_GET_VERSION_ASYNC, unknown));
  EXPECT_EQ(failed.answer.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(failed.answer.error.text, HasSubstr("not valid"));
  game.Do(SetOf("k", "1"));
  game.Do(RemoveOf("k"));
  const Seen versions = game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC));
  const std::string removal = versions.answer.items.back().version;
  EXPECT_FALSE(game.Do(Of(v1::METHOD_GET_VERSION_ASYNC, removal)).answer.key_info.has_value());
  OptionGame usual;
  EXPECT_EQ(usual.Do(Of(v1::METHOD_GET_VERSION_ASYNC, unknown)).answer.outcome, v1::OUTCOME_OK);
}

TEST(OptionsTest, RemovingTheLatestVersionCanBringBackTheOneBefore) {
  OptionGame game(Rules{{"remove_latest_promotes", "1"}});
  game.Do(SetOf("k", "1"));
  game.Wait(1h);
  const std::string second = game.Do(SetOf("k", "2")).answer.version;
  game.Do(Of(v1::METHOD_REMOVE_VERSION_ASYNC, second));
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.value, "1");
  EXPECT_EQ(game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC)).answer.items.size(), 1U);
}

// So many reads of two servers in one instant, and how many of them the experience lets pass.
int PassTheExperience(OptionGame& game, int reads) {
  game.simulator().AddSource(2, Time(0), 0);
  int passed = 0;
  for (int i = 0; i < reads; ++i) {
    const auto source = static_cast<SourceId>(1 + i % 2);
    game.client().Submit(FreshGetOf("k" + std::to_string(i), source), nullptr,
                         [&](const Seen& seen) {
                           if (seen.answer.outcome == v1::OUTCOME_OK) ++passed;
                           if (seen.answer.outcome == v1::OUTCOME_FAILED) {
                             EXPECT_EQ(seen.answer.error.name, "StandardReadExperienceThrottled");
                           }
                         });
  }
  game.client().Run();
  return passed;
}

Rules RoomyServers(Rules more) {
  more.insert(more.end(), {{"standard_read_start", "1000"}, {"standard_read_base", "1000"}});
  return more;
}

TEST(OptionsTest, TheExperiencesLimitsOfBeforeJuly2026AreRules) {
  OptionGame now(RoomyServers({}));
  EXPECT_EQ(PassTheExperience(now, 320), 300);
  OptionGame before(RoomyServers({{"experience_standard_read_base", "250"},
                                  {"experience_standard_write_base", "250"},
                                  {"experience_standard_list_base", "10"},
                                  {"experience_standard_remove_base", "100"},
                                  {"experience_ordered_read_base", "250"},
                                  {"experience_ordered_write_base", "250"},
                                  {"experience_ordered_list_base", "100"},
                                  {"experience_ordered_remove_base", "100"}}));
  EXPECT_EQ(PassTheExperience(before, 320), 250);
}

TEST(OptionsTest, ExtendedServicesAreHigherLimitsOfTheExperience) {
  OptionGame paid(RoomyServers({{"experience_standard_read_base", "310"}}));
  EXPECT_EQ(PassTheExperience(paid, 320), 310);
}

TEST(OptionsTest, AServerThatBeginsToCloseCanGetMoreBudget) {
  constexpr auto kWrites = v1::REQUEST_TYPE_STANDARD_WRITE;
  for (const auto& [rule, shown] : {std::pair{"0", 120}, std::pair{"1", 150}}) {
    OptionGame game(Rules{{"close_raises_budgets", rule}});
    game.simulator().CloseSource(1, Time(0));
    EXPECT_EQ(game.Budget(kWrites), shown);  // 150 * 60 / 60.
    EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC), shown == 120 ? 10 : 12);
  }
  // What is more stays, and what waits goes on.
  OptionGame game(Rules{{"close_raises_budgets", "1"}, {"standard_write_start", "0"}});
  game.client().Submit(SetOf("a", "1"));
  const CallId waits = game.client().Submit(SetOf("b", "1"));
  game.client().At(100ms, [&] { game.simulator().CloseSource(1, 100ms); });
  game.client().Run();
  EXPECT_EQ(game.client().seen(waits).admitted.size(), 1U);
  EXPECT_LT(game.client().seen(waits).admitted[0], 200ms);
}

TEST(OptionsTest, KeysCanBeListedDownwards) {
  for (const auto& [up, keys] : {std::pair{"1", "abc"}, std::pair{"0", "cba"}}) {
    OptionGame game(Rules{{"list_keys_up", up}});
    for (const char* key : {"b", "a", "c"}) game.Do(SetOf(key, "5"));
    proxy::Request list = Of(v1::METHOD_LIST_KEYS_ASYNC);
    list.list.set_page_size(1);
    std::string seen;
    for (int page = 0; page < 3; ++page) {
      const Seen answer = game.Do(list);
      for (const proxy::ListedItem& item : answer.answer.items) seen += item.key;
      list.list.set_cursor(answer.answer.cursor);
    }
    EXPECT_EQ(seen, keys);
    EXPECT_TRUE(list.list.cursor().empty());
  }
}

TEST(OptionsTest, SortedPagesCanLagBehindWritesAndRemovals) {
  OptionGame game(Rules{{"sorted_lag_ms", "5000"}});
  const auto ordered = [](proxy::Request request) {
    request.store.kind = v1::STORE_KIND_ORDERED;
    return request;
  };
  const auto board = [&] {
    std::string text;
    for (const auto& item : game.Do(ordered(Of(v1::METHOD_GET_SORTED_ASYNC))).answer.items) {
      text += item.key + *item.value + " ";
    }
    return text;
  };
  game.Do(ordered(SetOf("a", "1")));
  game.Do(ordered(SetOf("b", "2")));
  EXPECT_EQ(board(), "");
  game.Wait(10s);
  EXPECT_EQ(board(), "b2 a1 ");
  game.Do(ordered(SetOf("a", "3")));
  game.Do(ordered(SetOf("a", "4")));
  game.Do(ordered(RemoveOf("b")));
  EXPECT_EQ(board(), "b2 a1 ");
  game.Wait(10s);
  EXPECT_EQ(board(), "a4 ");
}

TEST(OptionsTest, AStartThatItsBucketCannotHoldIsTold) {
  OptionGame game(Rules{{"standard_list_start", "1000"}});
  game.client().Run();
  EXPECT_THAT(game.client().notices(),
              ElementsAre("a new server starts with 15 tokens of StandardList, not the 1000 that "
                          "its rule says: its bucket holds no more"));
  OptionGame held(Rules{{"standard_list_start", "15"}});
  held.client().Run();
  EXPECT_TRUE(held.client().notices().empty());
}

TEST(OptionsTest, EqualValuesCanGoDownwardsWithTheOthers) {
  for (const auto& [up, keys] : {std::pair{"1", "ab"}, std::pair{"0", "ba"}}) {
    OptionGame game(Rules{{"sorted_ties_up", up}});
    for (const char* key : {"a", "b"}) {
      proxy::Request set = SetOf(key, "5");
      set.store.kind = v1::STORE_KIND_ORDERED;
      game.Do(set);
    }
    proxy::Request sorted = Of(v1::METHOD_GET_SORTED_ASYNC);
    sorted.store.kind = v1::STORE_KIND_ORDERED;
    sorted.list.set_ascending(false);
    sorted.list.set_page_size(1);
    std::string seen;
    for (int page = 0; page < 2; ++page) {
      const Seen answer = game.Do(sorted);
      for (const proxy::ListedItem& item : answer.answer.items) seen += item.key;
      sorted.list.set_cursor(answer.answer.cursor);
    }
    EXPECT_EQ(seen, keys);
  }
}

TEST(OptionsTest, AKilobyteCanBeAThousandBytes) {
  OptionGame game(Rules{{"kb_bytes", "1000"}, {"key_write_kb", "2"}});
  EXPECT_EQ(game.Do(SetOf("k", '"' + std::string(999, 'a') + '"')).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.Do(SetOf("k", "1")).answer.error.name, "KeyThrottled");
  OptionGame usual(Rules{{"key_write_kb", "2"}});
  EXPECT_EQ(usual.Do(SetOf("k", '"' + std::string(999, 'a') + '"')).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(usual.Do(SetOf("k", "1")).answer.outcome, v1::OUTCOME_OK);
}

// ---------------------------------------------------------------- storage

const std::string kMegabyte = '"' + std::string(1024 * 1024 - 2, 'a') + '"';

TEST(StorageTest, BytesAreThoseOfTheLatestVersionsThatAreThere) {
  OptionGame game;
  const auto bytes = [&game] { return game.simulator().store().bytes(); };
  game.Do(SetOf("a", "12345"));
  game.Do(SetOf("b", "1"));
  EXPECT_EQ(bytes(), 6);
  game.Wait(1h);
  const std::string latest = game.Do(SetOf("a", "12")).answer.version;  // 12345 is kept, uncounted.
  EXPECT_EQ(bytes(), 3);
  game.Do(RemoveOf("b"));
  EXPECT_EQ(bytes(), 2);
  proxy::Request gone = Of(v1::METHOD_REMOVE_VERSION_ASYNC, latest);
  gone.key = "a";
  game.Do(gone);
  EXPECT_EQ(bytes(), 0);
  proxy::Request ordered = SetOf("o", "123");
  ordered.store.kind = v1::STORE_KIND_ORDERED;
  game.Do(ordered);
  EXPECT_EQ(bytes(), 3);
  proxy::Request removal = RemoveOf("o");
  removal.store.kind = v1::STORE_KIND_ORDERED;
  game.Do(removal);
  EXPECT_EQ(bytes(), 0);
}

TEST(StorageTest, PastTheLimitItIsToldOnceAndNothingIsRefused) {
  OptionGame game(Rules{{"storage_base_mb", "1"}, {"storage_per_user_mb", "1"}});
  game.simulator().SetPlayers(1, Time(0), 1);
  game.simulator().SetPlayers(1, Time(0), 0);  // It was a user all the same.
  game.Do(SetOf("a", kMegabyte));
  game.Do(SetOf("b", kMegabyte));
  EXPECT_THAT(game.client().notices(), IsEmpty());
  EXPECT_EQ(game.Do(SetOf("c", "1")).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.Do(SetOf("d", "1")).answer.outcome, v1::OUTCOME_OK);
  EXPECT_THAT(game.client().notices(),
              ElementsAre("the experience stores 2097153 bytes of JSON, and its storage limit is 2 "
                          "MB, compressed; nothing is refused"));
}

TEST(StorageTest, PastTheLimitWritesCanFail) {
  OptionGame game(Rules{{"storage_base_mb", "1"}, {"storage_enforced", "1"}});
  EXPECT_EQ(game.Do(SetOf("a", kMegabyte)).answer.outcome, v1::OUTCOME_OK);
  for (const proxy::Request& request : {SetOf("b", "1"), UpdateOf("b"), IncrementOf("b", 1)}) {
    const Seen seen = game.Do(request, Always("1"));
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_FAILED);
    EXPECT_EQ(seen.answer.error.name, "StorageLimitExceeded");
  }
  EXPECT_EQ(game.Do(SetOf("a", "1")).answer.outcome, v1::OUTCOME_OK);  // It shrinks.
  EXPECT_EQ(game.Do(SetOf("b", "1")).answer.outcome, v1::OUTCOME_OK);
}

// ---------------------------------------------------------------- latency

TEST(ReferenceLatencyTest, EveryRequestTakesAFixedTime) {
  auto backend_rules = *proxy::FindRuleProfile("2026");
  ASSERT_TRUE(proxy::SetLatency(backend_rules, "reference").ok());
  proxy::Simulator simulator({backend_rules, 1, kStartNs});
  Client client(simulator);
  simulator.AddSource(1, Time(0), 0);
  const auto frames = [&](proxy::Request request, Transform transform = nullptr) {
    const CallId call = client.Submit(std::move(request), std::move(transform));
    client.Run();
    const Time took = client.seen(call).answered - client.seen(call).issued;
    return (took.count() * 60 + 500'000'000) / 1'000'000'000;
  };
  EXPECT_EQ(frames(UpdateOf("k"), Always("1")), 15);  // Missing: 0.25 s in all.
  EXPECT_EQ(frames(UpdateOf("k"), Always("2")), 12);  // Kept: 0.20 s, like a SetAsync.
  EXPECT_EQ(frames(UpdateOf("k"), AlwaysNil()), 0);
  client.Run(10s);
  EXPECT_EQ(frames(UpdateOf("k"), AlwaysNil()), 15);  // Not kept any more, and cancelled.
  client.Run(20s);
  EXPECT_EQ(frames(UpdateOf("k"), Always("3")), 15);
  EXPECT_EQ(frames(FreshGetOf("k")), 3);
  EXPECT_EQ(frames(GetOf("missing")), 3);
  EXPECT_EQ(frames(SetOf("k", "1")), 12);
  EXPECT_EQ(frames(IncrementOf("k", 1)), 12);
  EXPECT_EQ(frames(RemoveOf("k")), 12);
  EXPECT_EQ(frames(Of(v1::METHOD_LIST_VERSIONS_ASYNC)), 6);
  proxy::Request sorted = Of(v1::METHOD_GET_SORTED_ASYNC);
  sorted.store.kind = v1::STORE_KIND_ORDERED;
  EXPECT_EQ(frames(sorted), 6);
}

TEST(ReferenceLatencyTest, TheDefaultChangesNothingAndAnUnknownOneListsBoth) {
  auto rules = *proxy::FindRuleProfile("2026");
  ASSERT_TRUE(proxy::SetLatency(rules, "default").ok());
  EXPECT_EQ(rules.write.sigma_permille, 200);
  EXPECT_EQ(rules.update_read_us, -1);
  EXPECT_EQ(proxy::SetLatency(rules, "slow").message(),
            "no latency \"slow\"; there are default, reference");
}

TEST(ReferenceLatencyTest, AConflictWritesAgainLikeAnyCall) {
  OptionGame game(Rules{{"update_read_us", "250000"}, {"update_write_us", "100000"}});
  game.simulator().AddSource(2, Time(0), 0);
  const CallId first = game.client().Submit(UpdateOf("k", 1), Always("1"));
  const CallId second = game.client().Submit(UpdateOf("k", 2), Always("2"));
  game.client().Run();
  EXPECT_EQ(game.client().seen(first).answered, FrameTime(21));
  EXPECT_EQ(game.client().seen(second).runs.size(), 2U);
  EXPECT_EQ(game.client().seen(second).answered, FrameTime(21 + kWriteFrames));
}

}  // namespace
}  // namespace dstap::test
