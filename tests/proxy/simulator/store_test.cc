#include "proxy/backend/simulator/store.h"

#include <gmock/gmock.h>

namespace dstap::proxy {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kDay = 24 * kHour;
// 2022-02-02T23:30:06.538879 UTC, in the documentation's example of a version id.
constexpr int64_t kExample = 1'643'844'606'538'879;

const Place kPlace{v1::STORE_KIND_STANDARD, "PlayerData", "global", "user_1"};
const Place kOrderedPlace{v1::STORE_KIND_ORDERED, "Wins", "global", "user_1"};

Store NewStore() { return Store(*FindRuleProfile("2026")); }

std::vector<std::string> ValuesOf(const Store& store, int64_t now_us) {
  std::vector<std::string> values;
  for (const VersionPtr& version : store.Versions(kPlace, now_us)) {
    values.push_back(version->deleted ? "removed" : version->value);
  }
  return values;
}

TEST(VersionIdTest, IsTheDocumentedExampleToTheMicrosecond) {
  // The example's last digit, a tenth of a microsecond, is below this clock's resolution.
  EXPECT_EQ(VersionId(kExample, 1, kExample), "08D9E6A3F2188CF6.0000000001.08D9E6A3F2188CF6.01");
  EXPECT_EQ(VersionId(kExample, 3, kExample + 1).substr(0, 27), "08D9E6A3F2188CF6.0000000003");
}

TEST(StoreTest, TheFirstVersionCarriesTheEntrysOwnCreation) {
  Store store = NewStore();
  const VersionPtr version = store.Write(kPlace, kExample, "1", {});
  EXPECT_EQ(version->info.version, "08D9E6A3F2188CF6.0000000001.08D9E6A3F2188CF6.01");
  EXPECT_EQ(version->info.created_ms, kExample / 1000);
  EXPECT_EQ(version->info.updated_ms, kExample / 1000);
  EXPECT_EQ(version->info.metadata, "{}");
  EXPECT_TRUE(version->info.user_ids.empty());
}

TEST(StoreTest, EveryWriteCountsAndIdsSortByTime) {
  Store store = NewStore();
  std::vector<std::string> ids;
  for (int64_t i = 0; i < 20; ++i) {
    ids.push_back(store.Write(kPlace, kExample + i, "1", {})->info.version);
  }
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(ids.back().substr(17, 10), "0000000020");
}

TEST(StoreTest, AWriteWithoutUserIdsAndMetadataClearsThem) {
  Store store = NewStore();
  store.Write(kPlace, kExample, "1", {{7, 8}, R"({"a":1})"});
  EXPECT_THAT(store.Latest(kPlace)->info.user_ids, testing::ElementsAre(7, 8));
  EXPECT_EQ(store.Latest(kPlace)->info.metadata, R"({"a":1})");
  store.Write(kPlace, kExample, "2", {});
  EXPECT_TRUE(store.Latest(kPlace)->info.user_ids.empty());
  EXPECT_EQ(store.Latest(kPlace)->info.metadata, "{}");
}

TEST(StoreTest, OnlyTheFirstWriteOfAnHourKeepsWhatItReplaces) {
  Store store = NewStore();
  const int64_t hour = kExample / kHour * kHour;
  store.Write(kPlace, hour, "a", {});
  store.Write(kPlace, hour + kHour - 1, "b", {});  // Same hour: a is gone.
  EXPECT_THAT(ValuesOf(store, hour + kHour - 1), testing::ElementsAre("b"));
  store.Write(kPlace, hour + kHour, "c", {});  // The next hour begins: b is kept.
  store.Write(kPlace, hour + kHour + 1, "d", {});
  EXPECT_THAT(ValuesOf(store, hour + kHour + 1), testing::ElementsAre("b", "d"));
}

TEST(StoreTest, AReplacedVersionLives30DaysAndTheLatestForEver) {
  Store store = NewStore();
  store.Write(kPlace, kExample, "a", {});
  const int64_t replaced = kExample + kHour;
  store.Write(kPlace, replaced, "b", {});
  EXPECT_THAT(ValuesOf(store, replaced + 30 * kDay - 1), testing::ElementsAre("a", "b"));
  EXPECT_THAT(ValuesOf(store, replaced + 30 * kDay), testing::ElementsAre("b"));
  EXPECT_THAT(ValuesOf(store, replaced + 3000 * kDay), testing::ElementsAre("b"));
  store.Write(kPlace, replaced + 31 * kDay, "c", {});
  EXPECT_EQ(store.entries().at(kPlace).backups.size(), 1U);  // b; a went with this write.
}

TEST(StoreTest, RemovingLeavesATombstoneOnceAndKeepsCreationAndCount) {
  Store store = NewStore();
  EXPECT_EQ(store.Remove(kPlace, kExample), nullptr);
  EXPECT_TRUE(store.entries().empty());

  store.Write(kPlace, kExample, "a", {});
  const VersionPtr removed = store.Remove(kPlace, kExample + kHour);
  EXPECT_EQ(removed->value, "a");
  EXPECT_FALSE(HasValue(store.Latest(kPlace)));
  EXPECT_THAT(ValuesOf(store, kExample + kHour), testing::ElementsAre("a", "removed"));
  EXPECT_EQ(store.Remove(kPlace, kExample + 2 * kHour), nullptr);
  EXPECT_EQ(store.Latest(kPlace)->sequence, 2);

  const VersionPtr again = store.Write(kPlace, kExample + 2 * kHour, "b", {});
  EXPECT_EQ(again->sequence, 3);
  EXPECT_EQ(again->info.created_ms, kExample / 1000);
}

TEST(StoreTest, AnOrderedEntryIsGoneAtOnce) {
  Store store = NewStore();
  store.Write(kOrderedPlace, kExample, "5", {});
  EXPECT_EQ(store.Remove(kOrderedPlace, kExample + 1)->value, "5");
  EXPECT_EQ(store.Latest(kOrderedPlace), nullptr);
  EXPECT_TRUE(store.entries().empty());
}

TEST(PlaceTest, AnAllScopesKeyNamesTheScope) {
  const StoreName all{"PlayerData", "", v1::STORE_KIND_STANDARD, true};
  const StoreName one{"PlayerData", "global", v1::STORE_KIND_STANDARD, false};
  EXPECT_EQ(PlaceOf(all, "global/user_1"), PlaceOf(one, "user_1"));
  EXPECT_EQ(PlaceOf(all, "a/b/c").scope, "a");
  EXPECT_EQ(PlaceOf(all, "a/b/c").key, "b/c");
  EXPECT_EQ(PlaceOf(one, "a/b").key, "a/b");
}

}  // namespace
}  // namespace dstap::proxy
