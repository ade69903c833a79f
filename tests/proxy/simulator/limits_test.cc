#include "proxy/backend/simulator/limits.h"

#include <gtest/gtest.h>

namespace dstap::proxy {
namespace {

using namespace std::chrono_literals;

constexpr size_t kKb = 1024;
constexpr size_t kMb = 1024 * kKb;
const Place kA{v1::STORE_KIND_STANDARD, "PlayerData", "global", "a"};
const Place kB{v1::STORE_KIND_STANDARD, "PlayerData", "global", "b"};

RuleProfile Rules() { return *FindRuleProfile("2026"); }

TEST(KeyThroughputTest, FourMegabytesAMinuteMayBeWrittenAndNotOneByteMore) {
  KeyThroughput throughput(Rules());
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 4 * kMb, 0s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kWrite, 1, 0s));
  EXPECT_TRUE(throughput.Take(kB, Direction::kWrite, 1, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kRead, 1, 0s));
}

TEST(KeyThroughputTest, TwentyFiveMegabytesAMinuteMayBeRead) {
  KeyThroughput throughput(Rules());
  EXPECT_TRUE(throughput.Take(kA, Direction::kRead, 25 * kMb - kKb, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kRead, kKb, 0s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kRead, 1, 0s));
}

TEST(KeyThroughputTest, EachRequestCountsInWholeKilobytes) {
  KeyThroughput throughput(Rules());
  // The documentation's example: 800 B and 1.2 KB are 3 KB together.
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 800, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 1229, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 4 * kMb - 3 * kKb, 0s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kWrite, 1, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 0, 0s));
}

TEST(KeyThroughputTest, TheWindowSlidesAndARefusedRequestDoesNotCount) {
  KeyThroughput throughput(Rules());
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 3 * kMb, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 1 * kMb, 30s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kWrite, 4 * kMb, 59s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kWrite, 3 * kMb, 60s - Time(1)));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 3 * kMb, 60s));
  EXPECT_FALSE(throughput.Take(kA, Direction::kWrite, 1, 90s - Time(1)));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 1 * kMb, 90s));
}

TEST(KeyThroughputTest, SaysWhenARequestWouldPass) {
  KeyThroughput throughput(Rules());
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 4 * kMb, 5s), Time(5s));
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 4 * kMb + 1, 5s), std::nullopt);
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 3 * kMb, 0s));
  EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 1 * kMb, 30s));
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 3 * kMb, 31s), Time(60s));
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 4 * kMb, 31s), Time(90s));
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 3 * kMb, 61s), Time(61s));
  EXPECT_EQ(throughput.OpenAt(kA, Direction::kWrite, 4 * kMb, 200s), Time(200s));
}

TEST(KeyThroughputTest, ALimitOfZeroIsNone) {
  RuleProfile rules = Rules();
  rules.key_write_kb = 0;
  KeyThroughput throughput(rules);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(throughput.Take(kA, Direction::kWrite, 4 * kMb, 0s));
  }
}

int TakeAll(ExperienceLimits& limits, v1::RequestType type, Time now) {
  int taken = 0;
  while (taken < 100'000 && limits.Take(type, now)) ++taken;
  return taken;
}

TEST(ExperienceLimitsTest, ThreeHundredWithoutPlayersAndNotOneMore) {
  ExperienceLimits limits(Rules());
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 0s), 300);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_WRITE, 0s), 300);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_ORDERED_LIST, 0s), 300);
}

TEST(ExperienceLimitsTest, RefillsByLimitOverSixtyASecond) {
  ExperienceLimits limits(Rules());
  TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 0s);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 199ms), 0);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 200ms), 1);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 1h), 300);
}

TEST(ExperienceLimitsTest, GrowsWithThePlayersOfAllServers) {
  ExperienceLimits limits(Rules());
  limits.SetPlayers(0s, 10);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 0s), 300 + 40 * 10);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_WRITE, 0s), 300 + 20 * 10);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_LIST, 0s), 300 + 2 * 10);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_ORDERED_REMOVE, 0s), 300 + 40 * 10);
  limits.SetPlayers(0s, 0);
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_STANDARD_READ, 1s), 5);
}

TEST(ExperienceLimitsTest, OffAndForOtherTypesThereIsNoLimit) {
  ExperienceLimits limits(Rules());
  EXPECT_EQ(TakeAll(limits, v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, 0s), 100'000);
  RuleProfile rules = Rules();
  rules.experience.on = 0;
  ExperienceLimits off(rules);
  EXPECT_EQ(TakeAll(off, v1::REQUEST_TYPE_STANDARD_READ, 0s), 100'000);
}

}  // namespace
}  // namespace dstap::proxy
