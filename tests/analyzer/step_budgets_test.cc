#include "analyzer/views/step_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dstap::analyzer {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct Points {
  uint64_t first;
  uint64_t lowest;
  uint64_t last;

  friend bool operator==(const Points&, const Points&) = default;
};

Points PointsOf(const StepBudgets& budgets) {
  EXPECT_THAT(budgets.seen(), SizeIs(1));
  const BudgetSeen& seen = budgets.seen().at(0);
  return {seen.first, seen.lowest, seen.last};
}

Call Spending(uint64_t id, Time issued, Time completed, std::optional<uint64_t> before,
              std::optional<uint64_t> after) {
  Call call;
  call.id = id;
  call.issued = issued;
  call.completed = completed;
  call.budgets[0] = {.type = RequestType::kStandardRead, .before = before, .after = after};
  return call;
}

TEST(StepBudgetsTest, TheFirstIsThatOfTheFirstCallAlsoWhenItIsAnsweredLast) {
  StepBudgets budgets;
  budgets.Add(Spending(2, 1s, 2s, 119, 118));  // Of the same instant, and behind the first.
  budgets.Add(Spending(1, 1s, 9s, 120, 60));
  budgets.Add(Spending(3, 3s, 4s, 0, 5));
  EXPECT_EQ(PointsOf(budgets), (Points{120, 0, 60}));
}

TEST(StepBudgetsTest, OfOneInstantTheLastToBeSeenIsTheLast) {
  StepBudgets budgets;
  budgets.Add(Spending(1, 1s, 5s, 10, 9));
  budgets.Add(Spending(2, 2s, 5s, 9, 8));
  EXPECT_EQ(PointsOf(budgets), (Points{10, 8, 8}));
}

TEST(StepBudgetsTest, AQueryOfTheInstantOfACallStandsBehindIt) {
  StepBudgets budgets;
  budgets.Add(BudgetReading{.time = 1s, .type = RequestType::kStandardRead, .visible = 0});
  budgets.Add(Spending(160, 1s, 2s, 120, 1));
  EXPECT_EQ(PointsOf(budgets), (Points{120, 0, 1}));
}

TEST(StepBudgetsTest, WhatWasNotSeenIsNotZero) {
  StepBudgets budgets;
  Call call = Spending(1, 1s, 2s, {}, {});
  budgets.Add(call);
  call.budgets[0].after = 5;
  call.completed.reset();  // In flight: no answer at which anything was visible.
  budgets.Add(call);
  call.budgets[0] = {};
  budgets.Add(call);
  budgets.Add(BudgetReading{.type = RequestType::kUnknown, .visible = 3});
  EXPECT_THAT(budgets.seen(), IsEmpty());
  budgets.Add(Spending(1, 1s, 2s, {}, 4));
  EXPECT_EQ(PointsOf(budgets), (Points{4, 4, 4}));
}

TEST(StepBudgetsTest, RequestTypesAreApart) {
  StepBudgets budgets;
  Call call = Spending(1, 1s, 2s, 120, 119);
  call.budgets[1] = {.type = RequestType::kStandardWrite, .before = 7, .after = 7};
  budgets.Add(call);
  EXPECT_THAT(budgets.seen(), SizeIs(2));
  budgets.Clear();
  EXPECT_THAT(budgets.seen(), IsEmpty());
}

}  // namespace
}  // namespace dstap::analyzer
