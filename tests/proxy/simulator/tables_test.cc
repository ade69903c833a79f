// What each method spends, what each type refills, what each limit counts: row by row.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/limits.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using Types = std::array<v1::RequestType, 2>;

constexpr auto kNone = v1::REQUEST_TYPE_UNKNOWN;
constexpr auto kStandard = v1::STORE_KIND_STANDARD;
constexpr auto kOrdered = v1::STORE_KIND_ORDERED;

// ---------------------------------------------------------------- what a call spends

struct SpendingRow {
  v1::Method method;
  v1::StoreKind kind;
  Types current;
  Types legacy;
};

constexpr SpendingRow kSpending[] = {
    {v1::METHOD_GET_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, kNone},
     {v1::REQUEST_TYPE_GET_ASYNC, kNone}},
    {v1::METHOD_SET_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_INCREMENT_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_UPDATE_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE},
     {v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_ASYNC}},
    {v1::METHOD_REMOVE_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_REMOVE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone}},
    {v1::METHOD_GET_VERSION_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, kNone},
     {v1::REQUEST_TYPE_GET_VERSION_ASYNC, kNone}},
    {v1::METHOD_GET_VERSION_AT_TIME_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_READ, kNone},
     {v1::REQUEST_TYPE_GET_VERSION_ASYNC, kNone}},
    {v1::METHOD_LIST_DATA_STORES_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_LIST, kNone},
     {v1::REQUEST_TYPE_LIST_ASYNC, kNone}},
    {v1::METHOD_LIST_KEYS_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_LIST, kNone},
     {v1::REQUEST_TYPE_LIST_ASYNC, kNone}},
    {v1::METHOD_LIST_VERSIONS_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_STANDARD_LIST, kNone},
     {v1::REQUEST_TYPE_LIST_ASYNC, kNone}},
    {v1::METHOD_REMOVE_VERSION_ASYNC,
     kStandard,
     {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, kNone},
     {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, kNone}},
    {v1::METHOD_GET_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_READ, kNone},
     {v1::REQUEST_TYPE_GET_ASYNC, kNone}},
    {v1::METHOD_SET_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_INCREMENT_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_WRITE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_UPDATE_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_READ, v1::REQUEST_TYPE_ORDERED_WRITE},
     {v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC}},
    {v1::METHOD_REMOVE_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_REMOVE, kNone},
     {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone}},
    {v1::METHOD_GET_SORTED_ASYNC,
     kOrdered,
     {v1::REQUEST_TYPE_ORDERED_LIST, kNone},
     {v1::REQUEST_TYPE_GET_SORTED_ASYNC, kNone}},
};

// A call of that method that goes through.
proxy::Request CallOf(v1::Method method, v1::StoreKind kind, const std::string& version = "") {
  proxy::Request request = SetOf("k", "1");
  request.method = method;
  request.store.kind = kind;
  if (method != v1::METHOD_SET_ASYNC) request.value.reset();
  if (method == v1::METHOD_GET_VERSION_AT_TIME_ASYNC) request.list.set_at_ms(1);
  if (!version.empty()) request.list.set_version(version);
  return request;
}

const std::string kSomeVersion = "08D9E6A3F2188CFF.0000000001.08D9E6A3F2188CFF.01";

void ExpectSpending(std::string_view profile, Types SpendingRow::*types) {
  for (const SpendingRow& row : kSpending) {
    Game game({.rules = ExactLatency({{"cache_ms", "0"}}), .profile = profile});
    const proxy::Request request = CallOf(row.method, row.kind, kSomeVersion);
    const Types expected = row.*types;
    EXPECT_EQ(game.simulator().Spends(request), expected) << row.method << " " << row.kind;
    const Seen seen = game.Do(request, Always("2"));
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK) << row.method << " " << row.kind;
    const std::array<uint32_t, 2> taken{1, expected[1] == kNone ? 0U : 1U};
    EXPECT_EQ(seen.answer.taken, taken) << row.method << " " << row.kind;
  }
}

TEST(SpendingTest, EachMethodSpendsItsCurrentTypes) {
  ExpectSpending("2026", &SpendingRow::current);
}

TEST(SpendingTest, EachMethodSpentItsLegacyTypes) { ExpectSpending("2023", &SpendingRow::legacy); }

TEST(SpendingTest, AReadOfTheCopyAndACancelledWriteOfItSpendNothing) {
  Game game({.rules = ExactLatency()});
  game.Do(SetOf("k", "1"));
  const std::array<uint32_t, 2> nothing{0, 0}, write{0, 1}, read{1, 0};
  EXPECT_EQ(game.Do(GetOf("k")).answer.taken, nothing);
  EXPECT_EQ(game.Do(UpdateOf("k"), AlwaysNil()).answer.taken, nothing);
  EXPECT_EQ(game.Do(UpdateOf("k"), Always("2")).answer.taken, write);
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.taken, read);
  EXPECT_EQ(game.Do(UpdateOf("new"), AlwaysNil()).answer.taken, read);
}

TEST(SpendingTest, EachPageIsPaidForAgain) {
  Game game({.rules = ExactLatency()});
  for (const char* key : {"a", "b", "c"}) game.Do(SetOf(key, "1"));
  proxy::Request keys = CallOf(v1::METHOD_LIST_KEYS_ASYNC, kStandard);
  keys.list.set_page_size(1);
  for (const char* cursor : {"", "a", "b"}) {
    keys.list.set_cursor(cursor);
    EXPECT_EQ(game.Do(keys).answer.taken[0], 1U);
  }
}

// ---------------------------------------------------------------- a server's limits

struct LimitRow {
  v1::RequestType type;
  int64_t base;
  int64_t per_player;
};

constexpr LimitRow kCurrentLimits[] = {
    {v1::REQUEST_TYPE_STANDARD_READ, 60, 40},      {v1::REQUEST_TYPE_STANDARD_WRITE, 60, 40},
    {v1::REQUEST_TYPE_STANDARD_REMOVE, 60, 40},    {v1::REQUEST_TYPE_STANDARD_LIST, 5, 2},
    {v1::REQUEST_TYPE_ORDERED_READ, 60, 40},       {v1::REQUEST_TYPE_ORDERED_WRITE, 30, 5},
    {v1::REQUEST_TYPE_ORDERED_REMOVE, 30, 5},      {v1::REQUEST_TYPE_GET_SORTED_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, 5, 2},
};

constexpr LimitRow kLegacyLimits[] = {
    {v1::REQUEST_TYPE_GET_ASYNC, 60, 10},
    {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, 60, 10},
    {v1::REQUEST_TYPE_GET_SORTED_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, 30, 5},
    {v1::REQUEST_TYPE_LIST_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_GET_VERSION_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, 5, 2},
};

// A minute brings one limit: what the budget shows grows by it, far from the cap.
void ExpectLimits(std::string_view profile, std::span<const LimitRow> rows) {
  for (const uint32_t players : {0U, 1U, 10U, 50U}) {
    Game game({.rules = {{"bucket_cap_times", "100"}}, .profile = profile});
    game.simulator().AddSource(2, Time(0), players);
    std::vector<int64_t> before;
    for (const LimitRow& row : rows) before.push_back(game.Budget(row.type, 2));
    game.WaitUntil(60s);
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(game.Budget(rows[i].type, 2) - before[i],
                rows[i].base + rows[i].per_player * players)
          << rows[i].type << ", " << players << " players";
    }
  }
}

TEST(LimitTablesTest, AMinuteBringsBaseAndPerPlayerOfEachCurrentType) {
  ExpectLimits("2026", kCurrentLimits);
}

TEST(LimitTablesTest, AMinuteBroughtBaseAndPerPlayerOfEachLegacyType) {
  ExpectLimits("2023", kLegacyLimits);
}

TEST(LimitTablesTest, ABucketStartsAtTwiceItsBaseAndHoldsThreeLimits) {
  Game game;
  game.simulator().AddSource(2, Time(0), 3);
  for (const LimitRow& row : kCurrentLimits) {
    EXPECT_EQ(game.Budget(row.type, 2), 2 * row.base) << row.type;
  }
  game.WaitUntil(24h);
  for (const LimitRow& row : kCurrentLimits) {
    EXPECT_EQ(game.Budget(row.type, 1), 3 * row.base) << row.type;
    EXPECT_EQ(game.Budget(row.type, 2), 3 * (row.base + 3 * row.per_player)) << row.type;
  }
}

TEST(LimitTablesTest, OfALegacyServerTheStartsWereMeasured) {
  Game game({.profile = "2023"});
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_ASYNC), 100);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_SET_INCREMENT_ASYNC), 100);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC), 50);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_GET_SORTED_ASYNC), 10);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_ON_UPDATE), 30);
}

struct RangeRow {
  v1::RequestType type;
  int64_t base;
  int64_t per_player;
};

TEST(LimitTablesTest, EachTypeTakesItsRangeAndNotOneMore) {
  constexpr RangeRow kRanges[] = {
      {v1::REQUEST_TYPE_GET_ASYNC, 60, 40},
      {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, 60, 40},
      {v1::REQUEST_TYPE_GET_SORTED_ASYNC, 5, 2},
      {v1::REQUEST_TYPE_LIST_ASYNC, 5, 2},
      {v1::REQUEST_TYPE_GET_VERSION_ASYNC, 5, 2},
      {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, 5, 2},
      {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, 30, 5},
      {v1::REQUEST_TYPE_STANDARD_READ, 10'000, 200},
      {v1::REQUEST_TYPE_STANDARD_WRITE, 10'000, 200},
      {v1::REQUEST_TYPE_STANDARD_LIST, 10'000, 200},
      {v1::REQUEST_TYPE_STANDARD_REMOVE, 10'000, 200},
      {v1::REQUEST_TYPE_ORDERED_READ, 10'000, 200},
      {v1::REQUEST_TYPE_ORDERED_WRITE, 10'000, 200},
      {v1::REQUEST_TYPE_ORDERED_LIST, 10'000, 200},
      {v1::REQUEST_TYPE_ORDERED_REMOVE, 10'000, 200},
  };
  Game game;
  const auto refused = [&game](v1::RequestType type, int64_t base, int64_t per_player) {
    return !game.simulator().SetRateLimit(1, Time(0), type, base, per_player).text.empty();
  };
  for (const RangeRow& row : kRanges) {
    EXPECT_FALSE(refused(row.type, row.base, row.per_player)) << row.type;
    EXPECT_FALSE(refused(row.type, 0, 0)) << row.type;
    EXPECT_TRUE(refused(row.type, row.base + 1, row.per_player)) << row.type;
    EXPECT_TRUE(refused(row.type, row.base, row.per_player + 1)) << row.type;
    EXPECT_TRUE(refused(row.type, -1, 0)) << row.type;
    EXPECT_TRUE(refused(row.type, 0, -1)) << row.type;
  }
}

TEST(LimitTablesTest, ALimitThatIsSetCountsPlayersAndALaterOneReplacesIt) {
  Game game({.rules = ExactLatency({{"standard_read_start", "0"}})});
  game.simulator().AddSource(2, Time(0), 4);
  const auto set = [&game](int64_t base, int64_t per_player) {
    return game.simulator().SetRateLimit(2, game.client().now(), v1::REQUEST_TYPE_STANDARD_READ,
                                         base, per_player);
  };
  EXPECT_EQ(set(100, 20).text, "");  // 180 a minute.
  game.WaitUntil(10s);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ, 2), 30);
  EXPECT_EQ(set(60, 0).text, "");
  EXPECT_NE(set(-1, 0).text, "");  // Refused: 60 stays.
  game.WaitUntil(20s);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ, 2), 40);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ, 1), 20);  // The other server's is its own.
}

// ---------------------------------------------------------------- the experience's limits

TEST(LimitTablesTest, TheExperienceHasEightKindsByPlayersOfAllServers) {
  constexpr LimitRow kKinds[] = {
      {v1::REQUEST_TYPE_STANDARD_READ, 300, 40}, {v1::REQUEST_TYPE_STANDARD_WRITE, 300, 20},
      {v1::REQUEST_TYPE_STANDARD_LIST, 300, 2},  {v1::REQUEST_TYPE_STANDARD_REMOVE, 300, 40},
      {v1::REQUEST_TYPE_ORDERED_READ, 300, 40},  {v1::REQUEST_TYPE_ORDERED_WRITE, 300, 20},
      {v1::REQUEST_TYPE_ORDERED_LIST, 300, 2},   {v1::REQUEST_TYPE_ORDERED_REMOVE, 300, 40},
  };
  for (const int64_t players : {0, 1, 700}) {
    proxy::ExperienceLimits limits(*proxy::FindRuleProfile("2026"));
    limits.SetPlayers(0s, players);
    for (const LimitRow& row : kKinds) {
      int64_t taken = 0;
      while (taken < 100'000 && limits.Take(row.type, 0s)) ++taken;
      EXPECT_EQ(taken, row.base + row.per_player * players) << row.type;
    }
  }
}

TEST(LimitTablesTest, AnUpdateAsyncTakesOfBothOfTheExperiencesKinds) {
  for (const char* kind : {"experience_standard_read_base", "experience_standard_write_base"}) {
    Game game({.rules = ExactLatency({{kind, "1"}})});
    EXPECT_EQ(game.Do(UpdateOf("a"), Always("1")).answer.outcome, v1::OUTCOME_OK);
    const Seen second = game.Do(UpdateOf("b"), Always("1"));
    EXPECT_EQ(second.answer.outcome, v1::OUTCOME_FAILED) << kind;
    EXPECT_THAT(second.answer.error.name, testing::EndsWith("ExperienceThrottled"));
  }
}

// ---------------------------------------------------------------- a key's throughput

const std::string k600Bytes = '"' + std::string(598, 'a') + '"';

TEST(LimitTablesTest, TheseReadsCountForTheKey) {
  for (const v1::Method method :
       {v1::METHOD_GET_ASYNC, v1::METHOD_GET_VERSION_ASYNC, v1::METHOD_GET_VERSION_AT_TIME_ASYNC,
        v1::METHOD_LIST_VERSIONS_ASYNC, v1::METHOD_UPDATE_ASYNC}) {
    Game game({.rules = ExactLatency({{"key_read_kb", "1"}, {"cache_ms", "0"}})});
    game.Do(SetOf("k", k600Bytes));
    const proxy::Request request = CallOf(method, kStandard, kSomeVersion);
    EXPECT_TRUE(game.Do(request, AlwaysNil()).answer.error.text.empty()) << method;
    EXPECT_EQ(game.Do(request, AlwaysNil()).answer.error.name, "KeyThrottled") << method;
  }
}

TEST(LimitTablesTest, TheseWritesCountForTheKey) {
  for (const v1::Method method : {v1::METHOD_SET_ASYNC, v1::METHOD_INCREMENT_ASYNC,
                                  v1::METHOD_UPDATE_ASYNC, v1::METHOD_REMOVE_ASYNC}) {
    Game game({.rules = ExactLatency({{"key_write_kb", "1"}})});
    const proxy::Request request = CallOf(method, kStandard);
    EXPECT_EQ(game.Do(request, Always("1")).answer.outcome, v1::OUTCOME_OK) << method;
    EXPECT_EQ(game.Do(request, Always("1")).answer.error.name, "KeyThrottled") << method;
  }
}

TEST(LimitTablesTest, ListingsDoNotCountForAKey) {
  Game game({.rules = ExactLatency({{"key_read_kb", "1"}})});
  game.Do(SetOf("k", k600Bytes));
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.outcome, v1::OUTCOME_OK);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(game.Do(CallOf(v1::METHOD_LIST_KEYS_ASYNC, kStandard)).answer.outcome,
              v1::OUTCOME_OK);
  }
}

// ---------------------------------------------------------------- the order of checks

TEST(PipelineTest, ArgumentsThenTheCopyThenTheServerThenTheExperienceThenTheKey) {
  const Rules nothing_passes = {{"queue_length", "0"},
                                {"standard_read_start", "0"},
                                {"experience_standard_read_base", "0"},
                                {"key_read_kb", "1"}};
  Game game({.rules = ExactLatency(nothing_passes)});
  const std::string two_kb = '"' + std::string(2000, 'a') + '"';
  game.Do(SetOf("k", two_kb));  // Now in the copy.
  // The level is 0, so the first passes the server and fails at the experience, before the key.
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.error.name, "StandardReadExperienceThrottled");
  // The bucket is dry and the queue has no place.
  EXPECT_EQ(game.Do(FreshGetOf("k")).answer.error.name, "StandardReadGameServerThrottled");
  EXPECT_EQ(game.Do(GetOf("k")).answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  EXPECT_EQ(game.Do(GetOf("")).answer.error.code, 101U);

  Game late({.rules = ExactLatency({{"key_read_kb", "1"}})});
  late.Do(SetOf("k", two_kb));
  EXPECT_EQ(late.Do(FreshGetOf("k")).answer.error.name, "KeyThrottled");
}

}  // namespace
}  // namespace dstap::test
