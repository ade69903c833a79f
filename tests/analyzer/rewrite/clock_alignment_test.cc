#include "analyzer/rewrite/clock_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dstap::analyzer {
namespace {

// `earlier` published at its 0, `later` was delivered at its `later_ns`.
ClockBound Message(size_t earlier, size_t later, int64_t later_ns) {
  return {.earlier = earlier, .later = later, .earlier_ns = 0, .later_ns = later_ns};
}

TEST(ClockAlignmentTest, WithoutMessagesDatesDecideAndNobodyKnowsHowWell) {
  const ClockAlignment result = AlignClocks(std::vector<int64_t>{1000, 1500, 200}, {});
  EXPECT_EQ(result.offsets[0].start_ns, 0);
  EXPECT_EQ(result.offsets[1].start_ns, 500);
  EXPECT_EQ(result.offsets[2].start_ns, -800);
  EXPECT_FALSE(result.offsets[1].uncertainty_ns);
}

TEST(ClockAlignmentTest, TheFirstIsTheClockItself) {
  const ClockAlignment result = AlignClocks(std::vector<int64_t>{7, 7}, {});
  EXPECT_EQ(result.offsets[0].start_ns, 0);
  EXPECT_EQ(result.offsets[0].uncertainty_ns, 0);
}

TEST(ClockAlignmentTest, MessagesBothWaysGiveTheMiddleAndHalfTheWidth) {
  // 0 published at 0 what 1 got at its 100: 1 began at -100 or later. 1 published at 0 what 0 got
  // at 40: 1 began at 40 or earlier.
  const ClockAlignment result =
      AlignClocks(std::vector<int64_t>{0, 9999},
                  std::vector<ClockBound>{Message(0, 1, 100), Message(1, 0, 40)});
  EXPECT_EQ(result.offsets[1].start_ns, -30);
  EXPECT_EQ(result.offsets[1].uncertainty_ns, 70);
  EXPECT_TRUE(result.contradictions.empty());
}

TEST(ClockAlignmentTest, TheTightestMessageOfEachWayCounts) {
  const ClockAlignment result = AlignClocks(
      std::vector<int64_t>{0, 0}, std::vector<ClockBound>{Message(0, 1, 100), Message(0, 1, 10),
                                                          Message(1, 0, 40), Message(1, 0, 400)});
  EXPECT_EQ(result.offsets[1].start_ns, 15);
  EXPECT_EQ(result.offsets[1].uncertainty_ns, 25);
}

TEST(ClockAlignmentTest, MessagesOneWayMoveADateThatTheyRefute) {
  const std::vector<ClockBound> bounds = {Message(1, 0, 40)};
  EXPECT_EQ(AlignClocks(std::vector<int64_t>{0, 20}, bounds).offsets[1].start_ns, 20);
  EXPECT_EQ(AlignClocks(std::vector<int64_t>{0, 40}, bounds).offsets[1].start_ns, 40);
  const ClockAlignment moved = AlignClocks(std::vector<int64_t>{0, 41}, bounds);
  EXPECT_EQ(moved.offsets[1].start_ns, 40);
  EXPECT_FALSE(moved.offsets[1].uncertainty_ns);
  const std::vector<ClockBound> other = {Message(0, 1, 100)};
  EXPECT_EQ(AlignClocks(std::vector<int64_t>{0, -101}, other).offsets[1].start_ns, -100);
}

TEST(ClockAlignmentTest, BoundsReachThroughAThirdRecording) {
  const ClockAlignment result = AlignClocks(
      std::vector<int64_t>{0, 0, 0}, std::vector<ClockBound>{Message(0, 1, 10), Message(1, 0, 10),
                                                             Message(1, 2, 5), Message(2, 1, 5)});
  ASSERT_TRUE(result.offsets[2].uncertainty_ns);
  EXPECT_EQ(*result.offsets[2].uncertainty_ns, 15);
}

TEST(ClockAlignmentTest, PlacesAgreeWithAllBoundsTogether) {
  const std::vector<ClockBound> bounds = {Message(0, 1, 100), Message(1, 0, 0), Message(0, 2, 0),
                                          Message(2, 0, 100), Message(2, 1, 30)};
  const ClockAlignment result = AlignClocks(std::vector<int64_t>{0, 0, 0}, bounds);
  ASSERT_TRUE(result.contradictions.empty());
  ASSERT_FALSE(result.has_ring);
  for (const ClockBound& bound : bounds) {
    EXPECT_LE(result.offsets[bound.earlier].start_ns + bound.earlier_ns,
              result.offsets[bound.later].start_ns + bound.later_ns);
  }
}

TEST(ClockAlignmentTest, APairThatContradictsItselfIsSaidAndNotUsed) {
  const ClockAlignment result = AlignClocks(
      std::vector<int64_t>{0, 77}, std::vector<ClockBound>{Message(0, 1, 10), Message(1, 0, -11)});
  ASSERT_EQ(result.contradictions.size(), 1U);
  EXPECT_EQ(result.contradictions[0].by_ns, 1);
  EXPECT_EQ(result.offsets[1].start_ns, 77);
  EXPECT_FALSE(result.offsets[1].uncertainty_ns);
  // At the limit they agree.
  const ClockAlignment exact = AlignClocks(
      std::vector<int64_t>{0, 77}, std::vector<ClockBound>{Message(0, 1, 10), Message(1, 0, -10)});
  EXPECT_TRUE(exact.contradictions.empty());
  EXPECT_EQ(exact.offsets[1].start_ns, -10);
  EXPECT_EQ(exact.offsets[1].uncertainty_ns, 0);
}

TEST(ClockAlignmentTest, ARingThatContradictsItselfIsSaid) {
  const ClockAlignment result =
      AlignClocks(std::vector<int64_t>{0, 5, 6},
                  std::vector<ClockBound>{Message(0, 1, -1), Message(1, 2, -1), Message(2, 0, -1)});
  EXPECT_TRUE(result.has_ring);
  EXPECT_EQ(result.offsets[1].start_ns, 5);
  EXPECT_EQ(result.offsets[2].start_ns, 6);
}

}  // namespace
}  // namespace dstap::analyzer
