#include "analyzer/timeline/step_index.h"

#include <gtest/gtest.h>

#include <string>

namespace dstap::analyzer {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class StepIndexTest : public testing::Test {
 protected:
  StepIndexTest() { other_.index = 1; }

  LiveStep& Begin(uint64_t id, std::vector<StoreKey> about, Time begin = 1s) {
    Step step;
    step.id = id;
    step.source = &source_;
    step.about = std::move(about);
    step.begin = begin;
    return steps_.Begin(std::move(step));
  }

  void End(LiveStep& live, Time end) {
    live.step.end = end;
    steps_.End(live);
  }

  Call CallOf(std::string_view store, std::string_view key, Time issued = 5s) const {
    Call call;
    call.source = &source_;
    call.store = store;
    call.key = key;
    call.issued = issued;
    return call;
  }

  // 0: none.
  uint64_t Find(const Call& call) {
    const LiveStep* live = steps_.Find(call);
    return live == nullptr ? 0 : live->step.id;
  }

  Source source_;
  Source other_;
  StepIndex steps_;
};

TEST_F(StepIndexTest, StepsThatAreOpenAtOnceAreToldApartByKey) {
  Begin(1, {{"S", "", "a"}});
  Begin(2, {{"S", "", "b"}, {"T", "", "b2"}});
  EXPECT_EQ(Find(CallOf("S", "a")), 1U);
  EXPECT_EQ(Find(CallOf("S", "b")), 2U);
  EXPECT_EQ(Find(CallOf("T", "b2")), 2U);
  EXPECT_EQ(Find(CallOf("T", "a")), 0U);
  EXPECT_EQ(Find(CallOf("S", "")), 0U);
}

TEST_F(StepIndexTest, AKeyLeftEmptyIsTheWholeStore) {
  Begin(1, {{"S", "", ""}});
  EXPECT_EQ(Find(CallOf("S", "anything")), 1U);
  EXPECT_EQ(Find(CallOf("S", "")), 1U);
  EXPECT_EQ(Find(CallOf("T", "anything")), 0U);
}

TEST_F(StepIndexTest, AStepAboutNothingIsAboutEveryCallOfItsSource) {
  Begin(1, {});
  EXPECT_EQ(Find(CallOf("S", "a")), 1U);
  Call call = CallOf("S", "a");
  call.source = &other_;
  EXPECT_EQ(Find(call), 0U);
}

TEST_F(StepIndexTest, TheMostParticularStepHasTheCallWhateverTheOrder) {
  Begin(1, {{"S", "", "a"}});
  Begin(2, {{"S", "", ""}});
  Begin(3, {});
  EXPECT_EQ(Find(CallOf("S", "a")), 1U);
  EXPECT_EQ(Find(CallOf("S", "b")), 2U);
  EXPECT_EQ(Find(CallOf("T", "b")), 3U);
}

TEST_F(StepIndexTest, OfTwoEquallyParticularStepsTheLaterHasTheCall) {
  Begin(1, {{"S", "", "a"}});
  LiveStep& second = Begin(2, {{"S", "", "a"}}, 2s);
  EXPECT_EQ(Find(CallOf("S", "a")), 2U);
  EXPECT_EQ(Find(CallOf("S", "a", 1500ms)), 1U);
  End(second, 3s);
  EXPECT_EQ(Find(CallOf("S", "a", 2500ms)), 2U);
  EXPECT_EQ(Find(CallOf("S", "a", 3s)), 1U);
}

TEST_F(StepIndexTest, TheDefaultScopeHasTwoNames) {
  Begin(1, {{"S", "", "a"}});
  Call call = CallOf("S", "a");
  call.scope = "global";
  EXPECT_EQ(Find(call), 1U);
  call.scope = "other";
  EXPECT_EQ(Find(call), 0U);
}

TEST_F(StepIndexTest, OverAllScopesAKeyCarriesItsScope) {
  Begin(1, {{"S", "team", "a"}});
  Call call = CallOf("S", "team/a");
  call.all_scopes = true;
  EXPECT_EQ(Find(call), 1U);
  call.key = "global/a";
  EXPECT_EQ(Find(call), 0U);
  call.all_scopes = false;
  call.scope = "team";
  call.key = "team/a";
  EXPECT_EQ(Find(call), 0U);
}

TEST_F(StepIndexTest, ABatchBelongsToTheStepOfOneOfItsKeys) {
  Begin(1, {{"S", "", "b"}});
  ListArguments list;
  list.keys = {"a", "b"};
  Call call = CallOf("S", "");
  call.list = &list;
  EXPECT_EQ(Find(call), 1U);
  list.keys = {"a"};
  EXPECT_EQ(Find(call), 0U);
}

TEST_F(StepIndexTest, KeysNeedNotBeText) {
  const std::string key("\xFF\x00\x80", 3);
  Begin(1, {{"\xC3", "", key}});
  EXPECT_EQ(Find(CallOf("\xC3", key)), 1U);
  EXPECT_EQ(Find(CallOf("\xC3", key.substr(0, 1))), 0U);
}

TEST_F(StepIndexTest, EndedStepsAreFoundByTheTimeTheyWereOpenIn) {
  LiveStep& first = Begin(1, {}, 1s);
  End(first, 2s);
  LiveStep& second = Begin(2, {}, 3s);
  End(second, 4s);
  LiveStep& third = Begin(3, {}, 4s);
  End(third, 2500ms);  // A clock that was set back.
  EXPECT_EQ(Find(CallOf("S", "a", 1s)), 1U);
  EXPECT_EQ(Find(CallOf("S", "a", 2s - 1ns)), 1U);
  EXPECT_EQ(Find(CallOf("S", "a", 2s)), 0U);
  EXPECT_EQ(Find(CallOf("S", "a", 3s)), 2U);
}

TEST_F(StepIndexTest, AStepIsOverdueOnceMoreThanTheLimitWait) {
  for (uint64_t id = 1; id <= 4; ++id) End(Begin(id, {}), 2s);
  EXPECT_EQ(steps_.Overdue(4), nullptr);
  LiveStep* overdue = steps_.Overdue(3);
  ASSERT_NE(overdue, nullptr);
  EXPECT_EQ(overdue->step.id, 1U);
}

TEST_F(StepIndexTest, AStepWithACallInFlightIsNotOverdue) {
  LiveStep& held = Begin(1, {});
  steps_.Hold(held);
  End(held, 2s);
  End(Begin(2, {}), 3s);
  EXPECT_EQ(steps_.Overdue(0)->step.id, 2U);
  EXPECT_EQ(steps_.Overdue(1), nullptr);
  steps_.Release(held);
  EXPECT_EQ(steps_.Overdue(1)->step.id, 2U);
}

TEST_F(StepIndexTest, SlotsAreUsedAgain) {
  LiveStep& first = Begin(1, {});
  Begin(2, {});
  EXPECT_EQ(first.step.slot, 0U);
  End(first, 2s);
  steps_.Remove(first);
  EXPECT_EQ(steps_.size(), 1U);
  EXPECT_EQ(Begin(3, {}).step.slot, 0U);
  EXPECT_EQ(Begin(4, {}).step.slot, 2U);
}

}  // namespace
}  // namespace dstap::analyzer
