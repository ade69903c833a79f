// Listings and versions.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/methods.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kStartMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z

struct ListGame : Game {
  ListGame() : Game({.rules = ExactLatency(), .start_unix_ns = kStartMs * 1'000'000}) {}
  int64_t NowMs() { return kStartMs + client().now().count() / 1'000'000; }
};

proxy::Request Of(v1::Method method, std::string key = "k") {
  proxy::Request request = GetOf(std::move(key));
  request.method = method;
  return request;
}

proxy::Request VersionOf(v1::Method method, const std::string& version) {
  proxy::Request request = Of(method);
  request.list.set_version(version);
  return request;
}

proxy::Request AtTime(int64_t ms) {
  proxy::Request request = Of(v1::METHOD_GET_VERSION_AT_TIME_ASYNC);
  request.list.set_at_ms(ms);
  return request;
}

std::vector<std::string> Keys(const Seen& seen) {
  std::vector<std::string> keys;
  for (const proxy::ListedItem& item : seen.answer.items) keys.push_back(item.key);
  return keys;
}

// All pages, of two items each.
std::vector<std::string> AllPages(Game& game, proxy::Request request, int* pages) {
  std::vector<std::string> all;
  *pages = 0;
  request.list.set_page_size(2);
  do {
    const Seen seen = game.Do(request);
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
    for (const proxy::ListedItem& item : seen.answer.items) {
      all.push_back(item.key.empty() ? item.version : item.key);
    }
    request.list.set_cursor(seen.answer.cursor);
    ++*pages;
  } while (!request.list.cursor().empty() && *pages < 100);
  return all;
}

// ---------------------------------------------------------------- versions

TEST(VersionsTest, AKeptVersionIsReadByItsId) {
  ListGame game;
  const std::string first = game.Do(SetOf("k", "1")).answer.version;
  game.Wait(1h);
  const std::string second = game.Do(SetOf("k", "2")).answer.version;
  const Seen old = game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, first));
  EXPECT_EQ(old.answer.value, "1");
  EXPECT_EQ(old.answer.key_info->version, first);
  EXPECT_EQ(old.answer.taken[0], 1U);
  EXPECT_EQ(game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, second)).answer.value, "2");
}

TEST(VersionsTest, AnOverwrittenOrExpiredVersionIsNil) {
  ListGame game;
  const std::string first = game.Do(SetOf("k", "1")).answer.version;
  const std::string second = game.Do(SetOf("k", "2")).answer.version;  // In the same hour.
  const Seen gone = game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, first));
  EXPECT_EQ(gone.answer.outcome, v1::OUTCOME_OK);
  EXPECT_FALSE(gone.answer.value.has_value());
  EXPECT_FALSE(gone.answer.key_info.has_value());
  game.Wait(1h);
  game.Do(SetOf("k", "3"));
  const Time replaced = game.client().now();
  game.WaitUntil(replaced + 24h * 30 - 1s);
  EXPECT_EQ(game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, second)).answer.value, "2");
  game.WaitUntil(replaced + 24h * 30);
  EXPECT_FALSE(game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, second)).answer.value.has_value());
}

TEST(VersionsTest, AMalformedIdIsRefusedWithTheWordsThatLibrariesLookFor) {
  ListGame game;
  for (const char* bad : {"", "x", "08D9E6A3F2188CFF.0000000001.08D9E6A3F2188CFF.02",
                          "08d9e6a3f2188cff.0000000001.08d9e6a3f2188cff.01",
                          "08D9E6A3F2188CFF.000000000A.08D9E6A3F2188CFF.01"}) {
    const Seen seen = game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, bad));
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_REJECTED) << bad;
    EXPECT_THAT(seen.answer.error.text, testing::HasSubstr("not valid"));
  }
}

TEST(VersionsTest, AtATimeIsTheKeptVersionThatWasCurrentThen) {
  ListGame game;
  game.Do(SetOf("k", "1"));
  const int64_t first_ms = game.NowMs();
  game.Wait(1h);
  game.Do(SetOf("k", "2"));
  const int64_t second_ms = game.NowMs();
  game.Wait(1h);
  game.Do(RemoveOf("k"));
  EXPECT_FALSE(game.Do(AtTime(first_ms - 1)).answer.value.has_value());
  EXPECT_EQ(game.Do(AtTime(first_ms)).answer.value, "1");
  EXPECT_EQ(game.Do(AtTime(second_ms - 1)).answer.value, "1");
  EXPECT_EQ(game.Do(AtTime(second_ms)).answer.value, "2");
  const Seen removed = game.Do(AtTime(game.NowMs()));
  EXPECT_FALSE(removed.answer.value.has_value());
  EXPECT_TRUE(removed.answer.key_info.has_value());
}

TEST(VersionsTest, ATimeIsPositiveAndAtMostTenMinutesAhead) {
  ListGame game;
  const std::string text =
      "InvalidTimestamp: Timestamp must be positive and not more than ten minutes in the future.";
  EXPECT_EQ(game.Do(AtTime(0)).answer.error.text, text);
  EXPECT_EQ(game.Do(AtTime(-5)).answer.error.text, text);
  EXPECT_EQ(game.Do(AtTime(1)).answer.error.text, "");
  EXPECT_EQ(game.Do(AtTime(game.NowMs() + 600'000)).answer.error.text, "");
  EXPECT_EQ(game.Do(AtTime(game.NowMs() + 600'001)).answer.error.text, text);
  EXPECT_EQ(game.Do(AtTime(INT64_MAX)).answer.error.text, text);
}

TEST(VersionsTest, ARemovedVersionIsGoneAndNoEarlierTakesItsPlace) {
  ListGame game;
  const std::string first = game.Do(SetOf("k", "1")).answer.version;
  game.Wait(1h);
  const std::string second = game.Do(SetOf("k", "2")).answer.version;
  const Seen seen = game.Do(VersionOf(v1::METHOD_REMOVE_VERSION_ASYNC, second));
  EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
  EXPECT_FALSE(game.Do(FreshGetOf("k")).answer.value.has_value());
  EXPECT_EQ(game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, first)).answer.value, "1");
  game.Do(VersionOf(v1::METHOD_REMOVE_VERSION_ASYNC, first));
  EXPECT_THAT(game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC)).answer.items, IsEmpty());
  EXPECT_THAT(game.Do(Of(v1::METHOD_LIST_KEYS_ASYNC)).answer.items, IsEmpty());
  // Written again it goes on counting.
  game.Wait(1h);
  EXPECT_EQ(game.Do(SetOf("k", "3")).answer.version.substr(17, 10), "0000000003");
  EXPECT_EQ(game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC)).answer.items.size(), 1U);
}

TEST(VersionsTest, AreListedByTimeInBothDirectionsWithTombstones) {
  ListGame game;
  std::vector<std::string> ids;
  std::vector<int64_t> times;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(game.Do(SetOf("k", std::to_string(i))).answer.version);
    times.push_back(game.NowMs());
    game.Wait(1h);
  }
  game.Do(RemoveOf("k"));
  int pages = 0;
  std::vector<std::string> up = AllPages(game, Of(v1::METHOD_LIST_VERSIONS_ASYNC), &pages);
  EXPECT_EQ(pages, 3);
  ASSERT_EQ(up.size(), 5U);
  EXPECT_EQ(std::vector<std::string>(up.begin(), up.begin() + 4), ids);
  proxy::Request down = Of(v1::METHOD_LIST_VERSIONS_ASYNC);
  down.list.set_ascending(false);
  const Seen all = game.Do(down);
  EXPECT_TRUE(all.answer.items.front().deleted);
  EXPECT_FALSE(all.answer.items.back().deleted);
  EXPECT_EQ(all.answer.items.back().created_ms, times[0]);
  std::reverse(up.begin(), up.end());
  EXPECT_EQ(AllPages(game, down, &pages), up);

  proxy::Request between = Of(v1::METHOD_LIST_VERSIONS_ASYNC);
  between.list.set_min_date_ms(times[1]);
  between.list.set_max_date_ms(times[2]);
  EXPECT_EQ(AllPages(game, between, &pages), (std::vector<std::string>{ids[1], ids[2]}));
}

// ---------------------------------------------------------------- keys and stores

TEST(ListTest, KeysOfOneScopeByPrefixAndPage) {
  ListGame game;
  for (const char* key : {"b", "a1", "a3", "a2", "c"}) game.Do(SetOf(key, "1"));
  proxy::Request other = SetOf("a9", "1");
  other.store.scope = "other";
  game.Do(other);
  int pages = 0;
  EXPECT_THAT(AllPages(game, Of(v1::METHOD_LIST_KEYS_ASYNC, ""), &pages),
              ElementsAre("a1", "a2", "a3", "b", "c"));
  EXPECT_EQ(pages, 3);
  proxy::Request prefix = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
  prefix.list.set_prefix("a");
  EXPECT_THAT(AllPages(game, prefix, &pages), ElementsAre("a1", "a2", "a3"));
  EXPECT_EQ(pages, 2);
}

TEST(ListTest, FiftyKeysAPageUnlessAskedFor) {
  ListGame game;
  for (int i = 0; i < 51; ++i) {
    game.client().At(std::chrono::seconds(i),
                     [&game, i] { game.client().Submit(SetOf("k" + std::to_string(i), "1")); });
  }
  game.client().Run();
  const Seen page = game.Do(Of(v1::METHOD_LIST_KEYS_ASYNC, ""));
  EXPECT_EQ(page.answer.items.size(), 50U);
  EXPECT_EQ(page.answer.cursor, page.answer.items.back().key);
  proxy::Request all = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
  all.list.set_page_size(51);
  EXPECT_EQ(game.Do(all).answer.items.size(), 51U);
  EXPECT_EQ(game.Do(all).answer.cursor, "");
}

TEST(ListTest, RemovedKeysAreListedFor30DaysUnlessLeftOut) {
  ListGame game;
  game.Do(SetOf("a", "1"));
  game.Do(SetOf("b", "1"));
  game.Do(RemoveOf("a"));
  const Time removed = game.client().now();
  proxy::Request without = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
  without.list.set_exclude_deleted(true);
  EXPECT_THAT(Keys(game.Do(Of(v1::METHOD_LIST_KEYS_ASYNC, ""))), ElementsAre("a", "b"));
  EXPECT_THAT(Keys(game.Do(without)), ElementsAre("b"));
  game.WaitUntil(removed + 24h * 30);
  EXPECT_THAT(Keys(game.Do(Of(v1::METHOD_LIST_KEYS_ASYNC, ""))), ElementsAre("b"));
}

TEST(ListTest, AllScopesListsThemWithTheirScope) {
  ListGame game;
  for (const auto& [scope, key] : std::vector<std::pair<std::string, std::string>>{
           {"a", "z"}, {"a", "y"}, {"a-", "x"}, {"b", "w"}}) {  // "-" is less than "/".
    proxy::Request set = SetOf(key, "1");
    set.store.scope = scope;
    game.Do(set);
  }
  proxy::Request all = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
  all.store.scope.clear();
  all.store.all_scopes = true;
  int pages = 0;
  EXPECT_THAT(AllPages(game, all, &pages), ElementsAre("a-/x", "a/y", "a/z", "b/w"));
  EXPECT_EQ(pages, 2);
  all.list.set_prefix("a/");
  EXPECT_THAT(Keys(game.Do(all)), ElementsAre("a/y", "a/z"));
}

TEST(ListTest, StoresThatHoldSomething) {
  ListGame game;
  for (const char* store : {"b", "a", "c"}) {
    proxy::Request set = SetOf("k", "1");
    set.store.name = store;
    game.Do(set);
  }
  const int64_t last_ms = game.NowMs();
  proxy::Request emptied = RemoveOf("k");
  emptied.store.name = "b";
  game.Do(emptied);
  proxy::Request list;
  list.source = 1;
  list.method = v1::METHOD_LIST_DATA_STORES_ASYNC;
  const Seen seen = game.Do(list);
  EXPECT_THAT(Keys(seen), ElementsAre("a", "c"));
  EXPECT_EQ(seen.answer.items[1].created_ms, last_ms);
  EXPECT_EQ(seen.answer.items[1].updated_ms, last_ms);
  list.list.set_page_size(1);
  const Seen first = game.Do(list);
  EXPECT_EQ(first.answer.cursor, "a");
  list.list.set_cursor("a");
  EXPECT_THAT(Keys(game.Do(list)), ElementsAre("c"));
  list.list.set_prefix("a");
  EXPECT_THAT(Keys(game.Do(list)), IsEmpty());
}

TEST(ListTest, ThirtyTwoStoresAPageUnlessAskedFor) {
  ListGame game;
  for (int i = 0; i < 33; ++i) {
    proxy::Request set = SetOf("k", "1");
    set.store.name = "store" + std::to_string(100 + i);
    game.client().Submit(set);
  }
  game.client().Run();
  const Seen first = game.Do(Of(v1::METHOD_LIST_DATA_STORES_ASYNC));
  EXPECT_EQ(first.answer.items.size(), 32U);
  proxy::Request rest = Of(v1::METHOD_LIST_DATA_STORES_ASYNC);
  rest.list.set_cursor(first.answer.cursor);
  EXPECT_THAT(Keys(game.Do(rest)), ElementsAre("store132"));
}

TEST(VersionsTest, ComeByTheThousandUnlessAskedFor) {
  Game game({.rules = ExactLatency({{"backup_days", "3650"}})});
  for (int hour = 0; hour < 1025; ++hour) {
    game.client().At(std::chrono::hours(hour), [&game] { game.client().Submit(SetOf("k", "1")); });
  }
  game.client().Run();
  const Seen first = game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC));
  EXPECT_EQ(first.answer.items.size(), 1024U);
  proxy::Request rest = Of(v1::METHOD_LIST_VERSIONS_ASYNC);
  rest.list.set_cursor(first.answer.cursor);
  EXPECT_EQ(game.Do(rest).answer.items.size(), 1U);
}

TEST(ListTest, ACursorThatIsNoneIsRefused) {
  ListGame game;
  const auto error = [&game](v1::Method method, const std::string& cursor, bool all_scopes) {
    proxy::Request request = Of(method);
    request.list.set_cursor(cursor);
    request.store.all_scopes = all_scopes;
    if (all_scopes) {
      request.store.scope.clear();
      request.key = "global/k";
    }
    return game.Do(request).answer.error.name;
  };
  const std::string long_name(51, 'k');
  EXPECT_EQ(error(v1::METHOD_LIST_KEYS_ASYNC, long_name, false), "InvalidExclusiveStartKey");
  EXPECT_EQ(error(v1::METHOD_LIST_KEYS_ASYNC, long_name.substr(1), false), "");
  EXPECT_EQ(error(v1::METHOD_LIST_KEYS_ASYNC, "without-scope", true), "InvalidExclusiveStartKey");
  EXPECT_EQ(error(v1::METHOD_LIST_KEYS_ASYNC, "global/k", true), "");
  EXPECT_EQ(error(v1::METHOD_LIST_VERSIONS_ASYNC, "k", false), "InvalidExclusiveStartKey");
  EXPECT_EQ(error(v1::METHOD_LIST_DATA_STORES_ASYNC, long_name, false), "InvalidExclusiveStartKey");
  EXPECT_EQ(error(v1::METHOD_LIST_DATA_STORES_ASYNC, long_name.substr(1), false), "");
}

TEST(ListTest, APageWithoutRemovedKeysLooksAt512) {
  for (const int removed : {511, 512, 513}) {
    Game game({.rules = ExactLatency({{"start_level", "100000"},
                                      {"bucket_cap_times", "100"},
                                      {"experience_limits", "0"}})});
    for (int i = 0; i < removed; ++i) {
      const std::string key = "a" + std::to_string(1000 + i);
      game.client().Submit(SetOf(key, "1"), nullptr,
                           [&game, key](const Seen&) { game.client().Submit(RemoveOf(key)); });
    }
    game.client().Submit(SetOf("b", "1"));
    game.client().Run();
    proxy::Request list = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
    list.list.set_exclude_deleted(true);
    std::vector<size_t> pages;
    do {
      const Seen page = game.Do(list);
      pages.push_back(page.answer.items.size());
      list.list.set_cursor(page.answer.cursor);
    } while (!list.list.cursor().empty());
    EXPECT_EQ(pages, removed < 512 ? (std::vector<size_t>{1}) : (std::vector<size_t>{0, 1}));
  }
}

TEST(ListTest, APageReadsWhatIsStoredThen) {
  ListGame game;
  for (const char* key : {"a", "c"}) game.Do(SetOf(key, "1"));
  proxy::Request keys = Of(v1::METHOD_LIST_KEYS_ASYNC, "");
  keys.list.set_page_size(1);
  keys.list.set_cursor(game.Do(keys).answer.cursor);
  game.Do(SetOf("b", "1"));
  EXPECT_THAT(Keys(game.Do(keys)), ElementsAre("b"));

  const auto ordered = [](proxy::Request request) {
    request.store.kind = v1::STORE_KIND_ORDERED;
    return request;
  };
  game.Do(ordered(SetOf("x", "1")));
  const proxy::Request sorted = ordered(Of(v1::METHOD_GET_SORTED_ASYNC, ""));
  game.client().Submit(ordered(SetOf("y", "2")));
  game.client().Run();
  EXPECT_THAT(Keys(game.Do(sorted)), ElementsAre("y", "x"));  // Downwards: `ascending` is unset.
}

TEST(ListTest, ListsAndVersionsSpendTheirTypes) {
  ListGame game;
  const std::string version = game.Do(SetOf("k", "1")).answer.version;
  game.Wait(120s);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_LIST), 15);
  const int64_t read = game.Budget(v1::REQUEST_TYPE_STANDARD_READ);
  game.client().Submit(Of(v1::METHOD_LIST_KEYS_ASYNC));
  game.client().Submit(Of(v1::METHOD_LIST_VERSIONS_ASYNC));
  game.client().Submit(VersionOf(v1::METHOD_GET_VERSION_ASYNC, version));
  game.client().Submit(AtTime(1));
  game.client().Submit(VersionOf(v1::METHOD_REMOVE_VERSION_ASYNC, version));
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_LIST), 13);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), read - 2);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC), 14);
  game.client().Run();
}

TEST(ListTest, NoneOfTheseReadsTheCopy) {
  ListGame game;
  game.simulator().AddSource(2, Time(0), 0);
  game.Do(SetOf("k", "1"));
  const std::string other = game.Do(SetOf("k", "2", 2)).answer.version;
  ASSERT_EQ(game.Do(GetOf("k")).answer.value, "1");  // The copy of the first server's own write.
  EXPECT_EQ(game.Do(VersionOf(v1::METHOD_GET_VERSION_ASYNC, other)).answer.value, "2");
  EXPECT_EQ(game.Do(AtTime(game.NowMs())).answer.value, "2");
  const Seen versions = game.Do(Of(v1::METHOD_LIST_VERSIONS_ASYNC));
  ASSERT_FALSE(versions.answer.items.empty());
  EXPECT_EQ(versions.answer.items.back().version, other);
  game.Do(RemoveOf("k", 2));
  ASSERT_EQ(game.Do(GetOf("k")).answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  proxy::Request keys = Of(v1::METHOD_LIST_KEYS_ASYNC);
  keys.list.set_exclude_deleted(true);
  EXPECT_THAT(Keys(game.Do(keys)), IsEmpty());
  EXPECT_THAT(Keys(game.Do(Of(v1::METHOD_LIST_DATA_STORES_ASYNC))), IsEmpty());
}

TEST(ListTest, NoneOfTheseExistsIn2020) {
  for (const proxy::MethodRow& row : proxy::Methods()) {
    if (!row.needs_versions) continue;
    Game old({.profile = "2020"});
    EXPECT_EQ(old.Do(Of(row.method)).answer.outcome, v1::OUTCOME_REJECTED);
  }
}

}  // namespace
}  // namespace dstap::test
