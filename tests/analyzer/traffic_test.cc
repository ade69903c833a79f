#include "analyzer/views/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::Get;
using test::GetPast;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Traffic TrafficOf(const CaptureScript& script) {
  TrafficView view;
  TimelineBuilder builder({&view});
  script.Feed(builder);
  return view.traffic();
}

TEST(TrafficTest, CallsOutsideOfStepsHaveTheirOwnCount) {
  CaptureScript script;
  script.Header().Source(1, "server").Call(Get("a", 0s, 1s)).Call(GetPast("a", 0s, 1s));
  script.Begin(1s, {}).Call(Get("a", 1s, 2s)).Call(Update("a", 1s, 2s)).End(2s, 1);
  const Traffic traffic = TrafficOf(script);
  ASSERT_EQ(traffic.size(), 1U);
  EXPECT_EQ(traffic[0].source_name, "server");
  EXPECT_EQ(traffic[0].calls, 4U);
  EXPECT_EQ(traffic[0].outside_steps, 2U);
  EXPECT_THAT(traffic[0].methods,
              ElementsAre(MethodCount{"UpdateAsync", true, 1, 0},
                          MethodCount{"GetAsync", true, 2, 1}, MethodCount{"past", true, 1, 1}));
  EXPECT_EQ(traffic[0].throttling.sent, 4U);
  EXPECT_EQ(traffic[0].throttling_outside_steps.sent, 2U);
}

TEST(TrafficTest, SourcesAndRecordingsAreKeptApart) {
  CaptureScript script;
  auto second = Update("a", 1s, 2s);
  second.source = 2;
  script.Header().Source(2, "new").Source(1, "old");
  script.Call(Update("a", 1s, 2s)).Call(second);
  script.Header().Call(Update("a", 1s, 2s));
  const Traffic traffic = TrafficOf(script);
  ASSERT_EQ(traffic.size(), 3U);
  EXPECT_EQ(traffic[0].source_name, "new");
  EXPECT_EQ(traffic[1].source_name, "old");
  EXPECT_EQ(traffic[2].source_name, "");
  EXPECT_EQ(traffic[2].source, 1U);
  EXPECT_EQ(traffic[2].recording, 2U);
}

TEST(TrafficTest, OtherServicesAreCalls) {
  CaptureScript script;
  script.Header().Call(test::GoodCall(v1::METHOD_PUBLISH_ASYNC, "", "topic", 1s, 2s));
  const Traffic traffic = TrafficOf(script);
  EXPECT_THAT(traffic[0].methods, ElementsAre(MethodCount{"PublishAsync", false, 1, 1}));
  EXPECT_EQ(traffic[0].throttling.sent, 0U);
}

TEST(TrafficTest, ASourceWithoutCallsHasNoRow) {
  EXPECT_THAT(TrafficOf(CaptureScript().Header().Source(1, "server")), IsEmpty());
}

}  // namespace
}  // namespace dstap::analyzer
