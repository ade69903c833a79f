#include "proxy/backend/simulator/request_queue.h"

#include <gmock/gmock.h>

namespace dstap::proxy {
namespace {

constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;
constexpr auto kWrite = v1::REQUEST_TYPE_STANDARD_WRITE;
constexpr auto kRemove = v1::REQUEST_TYPE_STANDARD_REMOVE;

bool Always(CallId /*call*/) { return true; }

TEST(RequestQueueTest, HoldsAsManyAsItWasMadeFor) {
  RequestQueue queue(3);
  queue.Push(1, kRead);
  queue.Push(2, kRead);
  EXPECT_FALSE(queue.full());
  queue.Push(3, kRead);
  EXPECT_TRUE(queue.full());
  EXPECT_TRUE(RequestQueue(0).full());
}

TEST(RequestQueueTest, FirstComeFirstServed) {
  RequestQueue queue(30);
  for (CallId call = 1; call <= 3; ++call) queue.Push(call, kRead);
  EXPECT_EQ(queue.PopReady(kRead, Always), 1U);
  EXPECT_EQ(queue.PopReady(kRead, Always), 2U);
  EXPECT_EQ(queue.PopReady(kRead, Always), 3U);
  EXPECT_EQ(queue.PopReady(kRead, Always), std::nullopt);
}

TEST(RequestQueueTest, AThrottledHeadIsPassedOverAndKeepsItsPlace) {
  RequestQueue queue(30);
  for (CallId call = 1; call <= 3; ++call) queue.Push(call, kRead);
  EXPECT_EQ(queue.PopReady(kRead, [](CallId call) { return call != 1; }), 2U);
  EXPECT_EQ(queue.PopReady(kRead, Always), 1U);
}

TEST(RequestQueueTest, TypesShareThePlacesButNotTheOrder) {
  RequestQueue queue(3);
  queue.Push(1, kRemove);
  queue.Push(2, kWrite);
  queue.Push(3, kWrite);
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.PopReady(kWrite, Always), 2U);
  EXPECT_THAT(queue.Waiting(kWrite), testing::ElementsAre(3));
  EXPECT_THAT(queue.Waiting(kRemove), testing::ElementsAre(1));
}

TEST(RequestQueueTest, ARemovedCallFreesItsPlace) {
  RequestQueue queue(1);
  queue.Push(1, kRead);
  queue.Remove(2);
  EXPECT_TRUE(queue.full());
  queue.Remove(1);
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
}  // namespace dstap::proxy
