// BatchGetAsync and the connection of OnUpdate.
#include <gmock/gmock.h>

#include "proxy/backend/simulator/frames.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FrameTime;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kRead = v1::REQUEST_TYPE_ORDERED_READ;
constexpr auto kOnUpdate = v1::REQUEST_TYPE_ON_UPDATE;
constexpr int kListFrames = 6;

proxy::Request Ordered(proxy::Request request) {
  request.store.kind = v1::STORE_KIND_ORDERED;
  return request;
}

proxy::Request BatchOf(const std::vector<std::string>& keys) {
  proxy::Request request = Ordered(GetOf(""));
  request.method = v1::METHOD_BATCH_GET_ASYNC;
  for (const std::string& key : keys) request.list.add_keys(key);
  return request;
}

std::vector<std::string> Names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back("k" + std::to_string(i));
  return names;
}

proxy::Request ConnectTo(std::string key) {
  proxy::Request request = GetOf(std::move(key));
  request.method = v1::METHOD_ON_UPDATE;
  return request;
}

TEST(BatchGetTest, GivesTheValuesOfKeysThatAreThereAndLeavesOutOthers) {
  Game game({.rules = ExactLatency()});
  game.Do(Ordered(SetOf("a", "1")));
  game.Do(Ordered(SetOf("b", "2")));
  game.Do(SetOf("c", "3"));  // In the standard store of that name.
  const Seen seen = game.Do(BatchOf({"b", "nobody", "a", "b", "c"}));
  std::vector<std::string> items;
  for (const proxy::ListedItem& item : seen.answer.items) items.push_back(item.key + *item.value);
  EXPECT_THAT(items, ElementsAre("b2", "a1"));
  EXPECT_FALSE(seen.answer.key_info.has_value());
  EXPECT_EQ(seen.answered - seen.issued, FrameTime(kListFrames));
  EXPECT_EQ(seen.answer.taken[0], 5U);
}

TEST(BatchGetTest, NeitherItNorASortedPageReadsTheCopyOrFillsIt) {
  Game game({.rules = ExactLatency()});
  game.simulator().AddSource(2, Time(0), 0);
  game.Do(Ordered(SetOf("a", "1")));     // The first server keeps it.
  game.Do(Ordered(SetOf("a", "2", 2)));  // It does not know of this.
  const Seen batch = game.Do(BatchOf({"a"}));
  ASSERT_EQ(batch.answer.items.size(), 1U);
  EXPECT_EQ(batch.answer.items[0].value, "2");
  proxy::Request sorted = Ordered(GetOf(""));
  sorted.method = v1::METHOD_GET_SORTED_ASYNC;
  const Seen page = game.Do(sorted);
  ASSERT_EQ(page.answer.items.size(), 1U);
  EXPECT_EQ(page.answer.items[0].value, "2");
  const Seen kept = game.Do(Ordered(GetOf("a")));
  EXPECT_EQ(kept.answer.served_by, v1::SERVED_BY_LOCAL_COPY);
  EXPECT_EQ(kept.answer.value, "1");
}

TEST(BatchGetTest, CostsAReadForEachKeyAndDoesNotKnowTheCopy) {
  Game game({.rules = ExactLatency()});
  game.Do(Ordered(SetOf("k0", "1")));
  const int64_t budget = game.Budget(kRead);
  game.client().Submit(BatchOf(Names(7)));
  EXPECT_EQ(game.Budget(kRead), budget - 7);
  game.client().Run();
  EXPECT_EQ(game.Do(BatchOf({"k0"})).answer.served_by, v1::SERVED_BY_BACKEND);
}

TEST(BatchGetTest, TakesOneToAHundredKeys) {
  Game game({.rules = ExactLatency()});
  EXPECT_EQ(game.Do(BatchOf({})).answer.error.text, "BatchGetAsync takes from 1 to 100 keys.");
  EXPECT_EQ(game.Do(BatchOf(Names(100))).answer.outcome, v1::OUTCOME_OK);
  EXPECT_EQ(game.Do(BatchOf(Names(101))).answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(game.Do(BatchOf({"a", ""})).answer.error.code, 101U);
  EXPECT_EQ(game.Do(BatchOf({std::string(51, 'k')})).answer.error.code, 102U);
}

TEST(BatchGetTest, IsRefusedForAStandardStoreAndBefore2026) {
  Game game;
  proxy::Request standard = BatchOf({"a"});
  standard.store.kind = v1::STORE_KIND_STANDARD;
  EXPECT_EQ(game.Do(standard).answer.error.text,
            "BatchGetAsync can only be called on an OrderedDataStore.");
  Game old({.profile = "2023"});
  EXPECT_EQ(old.Do(BatchOf({"a"})).answer.error.text,
            "BatchGetAsync is not a valid member of OrderedDataStore \"Instance\"");
}

// As many requests one after the other would pass: 99 more than a level of 0 lets through.
TEST(BatchGetTest, WaitsForAllItsTokensAndNobodyOvertakesIt) {
  Game game({.rules = ExactLatency({{"ordered_read_start", "59"}})});
  const CallId batch = game.client().Submit(BatchOf(Names(61)));
  const CallId behind = game.client().Submit(Ordered(GetOf("k")));
  game.client().Run();
  EXPECT_THAT(game.client().seen(batch).queued, ElementsAre(0s));
  EXPECT_THAT(game.client().seen(batch).admitted, ElementsAre(1s));
  // The batch emptied the bucket to -1.
  EXPECT_THAT(game.client().seen(behind).admitted, ElementsAre(2s));
}

TEST(BatchGetTest, LargerThanTheBucketItPassesWhenThatIsFull) {
  Game game({.rules = ExactLatency({{"ordered_read_base", "6"}, {"ordered_read_start", "0"}})});
  const CallId batch = game.client().Submit(BatchOf(Names(100)));
  game.client().Run();
  EXPECT_THAT(game.client().seen(batch).admitted, ElementsAre(180s));  // 18 at 6 a minute.
}

TEST(BatchGetTest, CountsEachKeyForTheExperience) {
  Game game({.rules = ExactLatency({{"experience_ordered_read_base", "10"}})});
  EXPECT_EQ(game.Do(BatchOf(Names(11))).answer.error.name, "OrderedReadExperienceThrottled");
  EXPECT_EQ(game.Do(BatchOf(Names(10))).answer.outcome, v1::OUTCOME_OK);
}

TEST(OnUpdateTest, ConnectingSpendsItsOwnTypeInTheSameInstant) {
  for (const std::string_view profile : {"2020", "2026"}) {
    Game game({.rules = ExactLatency(), .profile = profile});
    EXPECT_EQ(game.Budget(kOnUpdate), 30);
    const Seen seen = game.Do(ConnectTo("k"));
    EXPECT_EQ(seen.answer.outcome, v1::OUTCOME_OK);
    EXPECT_FALSE(seen.answer.value.has_value());
    EXPECT_EQ(seen.answered, seen.issued);
    EXPECT_EQ(seen.answer.taken[0], 1U);
    EXPECT_EQ(game.Budget(kOnUpdate), 29);
    EXPECT_EQ(game.Do(ConnectTo("")).answer.error.code, 101U);
  }
}

TEST(OnUpdateTest, ItsBudgetNeverHoldsMoreThanOneLimit) {
  Game game;
  game.WaitUntil(1h);
  EXPECT_EQ(game.Budget(kOnUpdate), 30);
  EXPECT_EQ(game.Budget(v1::REQUEST_TYPE_STANDARD_READ), 180);
}

TEST(OnUpdateTest, ConnectingOftenWaitsAndIsDroppedLikeAnyRequest) {
  Game game({.rules = ExactLatency({{"own_queue_length", "2"}})});
  std::vector<CallId> calls;
  for (int i = 0; i < 34; ++i) calls.push_back(game.client().Submit(ConnectTo("k")));
  game.client().Run();
  EXPECT_THAT(game.client().seen(calls[30]).queued, IsEmpty());
  EXPECT_THAT(game.client().seen(calls[31]).admitted, ElementsAre(2s));  // 30 a minute.
  EXPECT_EQ(game.client().seen(calls[33]).answer.error.name, "OnUpdateThrottle");
}

}  // namespace
}  // namespace dstap::test
