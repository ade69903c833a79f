// Ordered stores: whole numbers, sorted pages, budgets of their own.
#include <gmock/gmock.h>

#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using testing::ElementsAre;

proxy::Request Ordered(proxy::Request request) {
  request.store.kind = v1::STORE_KIND_ORDERED;
  return request;
}

proxy::Request SortedOf(bool ascending, std::optional<uint32_t> page_size = std::nullopt) {
  proxy::Request request = Ordered(GetOf(""));
  request.method = v1::METHOD_GET_SORTED_ASYNC;
  request.list.set_ascending(ascending);
  if (page_size) request.list.set_page_size(*page_size);
  return request;
}

std::vector<std::string> Keys(const Seen& seen) {
  std::vector<std::string> keys;
  for (const proxy::ListedItem& item : seen.answer.items) {
    keys.push_back(item.key + "=" + item.value.value_or("nil"));
  }
  return keys;
}

struct Board : Game {
  Board() : Game({.rules = ExactLatency()}) {
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"d", "20"}, {"a", "10"}, {"c", "20"}, {"e", "-5"}, {"b", "30"}}) {
      Do(Ordered(SetOf(key, value)));
    }
    proxy::Request elsewhere = Ordered(SetOf("x", "1"));
    elsewhere.store.scope = "other";
    Do(elsewhere);
    Do(SetOf("y", "1"));  // A standard store of the same name.
  }
};

TEST(OrderedTest, PagesAreSortedByValueAndEqualOnesByKey) {
  Board board;
  EXPECT_THAT(Keys(board.Do(SortedOf(true))), ElementsAre("e=-5", "a=10", "c=20", "d=20", "b=30"));
  EXPECT_THAT(Keys(board.Do(SortedOf(false))), ElementsAre("b=30", "c=20", "d=20", "a=10", "e=-5"));
}

TEST(OrderedTest, BoundsAreInclusive) {
  Board board;
  proxy::Request bounded = SortedOf(true);
  bounded.list.set_min_value(10);
  bounded.list.set_max_value(20);
  EXPECT_THAT(Keys(board.Do(bounded)), ElementsAre("a=10", "c=20", "d=20"));
  bounded.list.set_max_value(10);
  EXPECT_THAT(Keys(board.Do(bounded)), ElementsAre("a=10"));
  bounded.list.set_max_value(9);
  EXPECT_EQ(board.Do(bounded).answer.error.text,
            "107: MaxValue must be greater than or equal to MinValue.");
}

TEST(OrderedTest, PagesFollowTheCursorAndTheLastHasNone) {
  Board board;
  std::vector<std::string> keys;
  std::string cursor;
  int pages = 0;
  do {
    proxy::Request page = SortedOf(false, 2);
    page.list.set_cursor(cursor);
    const Seen seen = board.Do(page);
    for (const std::string& key : Keys(seen)) keys.push_back(key);
    cursor = seen.answer.cursor;
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(keys, ElementsAre("b=30", "c=20", "d=20", "a=10", "e=-5"));
  proxy::Request bad = SortedOf(false, 2);
  bad.list.set_cursor("nonsense");
  EXPECT_EQ(board.Do(bad).answer.error.name, "InvalidExclusiveStartKey");
}

TEST(OrderedTest, APageHoldsOneToAHundredItems) {
  Board board;
  EXPECT_EQ(board.Do(SortedOf(true, 0)).answer.error.name, "PageSizeLesser");
  EXPECT_EQ(board.Do(SortedOf(true, 1)).answer.items.size(), 1U);
  EXPECT_EQ(board.Do(SortedOf(true, 100)).answer.items.size(), 5U);
  EXPECT_EQ(board.Do(SortedOf(true, 101)).answer.error.name, "PageSizeGreater");
}

TEST(OrderedTest, ValuesHaveNoInfoAndARemovedOneIsGone) {
  Board board;
  const Seen get = board.Do(Ordered(FreshGetOf("a")));
  EXPECT_EQ(get.answer.value, "10");
  EXPECT_FALSE(get.answer.key_info.has_value());
  EXPECT_TRUE(get.answer.version.empty());
  EXPECT_EQ(board.Do(Ordered(RemoveOf("a"))).answer.value, "10");
  EXPECT_FALSE(board.Do(Ordered(FreshGetOf("a"))).answer.value.has_value());
  EXPECT_EQ(board.Do(SortedOf(true)).answer.items.size(), 4U);
  const Seen update = board.Do(Ordered(UpdateOf("b")), [](const TransformInput& input) {
    EXPECT_EQ(input.value, "30");
    EXPECT_FALSE(input.key_info.has_value());
    return Give("31");
  });
  EXPECT_EQ(update.answer.value, "31");
  EXPECT_EQ(board.Do(Ordered(IncrementOf("b", 2))).answer.value, "33");
  EXPECT_EQ(board.Do(Ordered(UpdateOf("b")), Always("1.5")).answer.error.text,
            "103: double is not allowed in data stores.");
}

TEST(OrderedTest, BudgetsAreItsOwn) {
  Board board;
  const auto budget = [&board](v1::RequestType type) { return board.Budget(type); };
  const int64_t read = budget(v1::REQUEST_TYPE_ORDERED_READ);
  const int64_t write = budget(v1::REQUEST_TYPE_ORDERED_WRITE);
  const int64_t remove = budget(v1::REQUEST_TYPE_ORDERED_REMOVE);
  const int64_t list = budget(v1::REQUEST_TYPE_GET_SORTED_ASYNC);
  board.client().Submit(Ordered(FreshGetOf("a")));
  board.client().Submit(Ordered(SetOf("a", "1")));
  board.client().Submit(Ordered(RemoveOf("a")));
  board.client().Submit(SortedOf(true));
  EXPECT_EQ(budget(v1::REQUEST_TYPE_ORDERED_READ), read - 1);
  EXPECT_EQ(budget(v1::REQUEST_TYPE_ORDERED_WRITE), write - 1);
  EXPECT_EQ(budget(v1::REQUEST_TYPE_ORDERED_REMOVE), remove - 1);
  EXPECT_EQ(budget(v1::REQUEST_TYPE_GET_SORTED_ASYNC), list - 1);
  EXPECT_EQ(budget(v1::REQUEST_TYPE_STANDARD_READ),
            120 + board.client().now() / std::chrono::seconds(1));
  board.client().Run();
}

TEST(OrderedTest, AStandardStoreHasNoSortedPages) {
  Board board;
  proxy::Request request = SortedOf(true);
  request.store.kind = v1::STORE_KIND_STANDARD;
  EXPECT_EQ(board.Do(request).answer.outcome, v1::OUTCOME_REJECTED);
}

}  // namespace
}  // namespace dstap::test
