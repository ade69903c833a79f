// The step of a call is what the analyzer will say it was.
#include "proxy/backend/faults/open_steps.h"

#include <gtest/gtest.h>

#include "tests/proxy/simulator/client.h"

namespace dstap::proxy {
namespace {

v1::StepBegin Step(uint64_t id, std::string name, SourceId source = 1) {
  v1::StepBegin step;
  step.set_id(id);
  step.set_name(std::move(name));
  step.set_source(source);
  return step;
}

v1::StepBegin StepAbout(uint64_t id, std::string name, std::string key) {
  v1::StepBegin step = Step(id, std::move(name));
  v1::StoreKey& about = *step.add_about();
  about.set_store("PlayerData");
  about.set_key(std::move(key));
  return step;
}

TEST(OpenStepsTest, ACallOutsideOfStepsHasNone) {
  OpenSteps steps;
  EXPECT_EQ(steps.NameFor(test::GetOf("a")), "");
  steps.Begin(Step(1, "other", 2));
  EXPECT_EQ(steps.NameFor(test::GetOf("a")), "");
  EXPECT_EQ(steps.NameFor(test::GetOf("a", 2)), "other");
  steps.End(1);
  steps.End(99);
  EXPECT_EQ(steps.NameFor(test::GetOf("a", 2)), "");
}

TEST(OpenStepsTest, AKeyGoesBeforeAStoreAndAStoreBeforeEverything) {
  OpenSteps steps;
  steps.Begin(StepAbout(1, "key", "a"));
  steps.Begin(StepAbout(2, "store", ""));
  steps.Begin(Step(3, "everything"));
  EXPECT_EQ(steps.NameFor(test::GetOf("a")), "key");
  EXPECT_EQ(steps.NameFor(test::GetOf("b")), "store");
  Request elsewhere = test::GetOf("a");
  elsewhere.store.name = "Other";
  EXPECT_EQ(steps.NameFor(elsewhere), "everything");
  elsewhere = test::GetOf("a");
  elsewhere.store.scope = "other";
  EXPECT_EQ(steps.NameFor(elsewhere), "everything");
}

TEST(OpenStepsTest, OfTwoAlikeTheOneThatBeganLastHasTheCall) {
  OpenSteps steps;
  steps.Begin(Step(1, "first"));
  steps.Begin(Step(2, "second"));
  EXPECT_EQ(steps.NameFor(test::GetOf("a")), "second");
  steps.End(2);
  EXPECT_EQ(steps.NameFor(test::GetOf("a")), "first");
}

TEST(OpenStepsTest, AKeyOverAllScopesIsTheSameKey) {
  OpenSteps steps;
  steps.Begin(StepAbout(1, "key", "a"));
  Request request = test::GetOf("global/a");
  EXPECT_EQ(steps.NameFor(request), "");
  request.store.all_scopes = true;
  EXPECT_EQ(steps.NameFor(request), "key");
  request.key = "global/ab";
  EXPECT_EQ(steps.NameFor(request), "");
}

}  // namespace
}  // namespace dstap::proxy
