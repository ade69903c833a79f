#include "analyzer/render/format.h"

#include <gtest/gtest.h>

namespace dstap::analyzer {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(FormatTest, SecondsAreRoundedToThreeDecimals) {
  EXPECT_EQ(FormatSeconds(0s), "0.000");
  EXPECT_EQ(FormatSeconds(83'333'333ns), "0.083");
  EXPECT_EQ(FormatSeconds(82'499'999ns), "0.082");
  EXPECT_EQ(FormatSeconds(82'500'000ns), "0.083");
  EXPECT_EQ(FormatSeconds(999'500'000ns), "1.000");
  EXPECT_EQ(FormatSeconds(3600s), "3600.000");
  EXPECT_EQ(FormatSeconds(-1500ms), "-1.500");
  EXPECT_EQ(FormatSeconds(-83ms), "-0.083");
  EXPECT_EQ(FormatSeconds(-400us), "0.000");
}

TEST(FormatTest, TheNumberIsTheTextsNumber) {
  EXPECT_EQ(SecondsNumber(83'333'333ns), 0.083);
  EXPECT_EQ(SecondsNumber(100ms), 0.1);
  EXPECT_EQ(SecondsNumber(-1500ms), -1.5);
}

TEST(FormatTest, OneSampleIsMarkedRangeOnly) {
  EXPECT_EQ(FormatTimes({.median = 83ms, .min = 67ms, .max = 100ms, .count = 5}),
            "0.083 (0.067 to 0.100)");
  EXPECT_EQ(FormatTimes({.median = 83ms, .min = 83ms, .max = 83ms, .count = 2}),
            "0.083 (0.083 to 0.083)");
  EXPECT_EQ(FormatTimes({.median = 83ms, .min = 83ms, .max = 83ms, .count = 1}),
            "0.083 (range only)");
}

TEST(FormatTest, RangesReadAsWords) {
  EXPECT_EQ(FormatRange({1, 1}), "1");
  EXPECT_EQ(FormatRange({1, 2}), "1 or 2");
  EXPECT_EQ(FormatRange({0, 3}), "0 to 3");
  EXPECT_EQ(FormatRequests({{"UpdateAsync", {1, 2}}, {"past", {1, 1}}}),
            "1 or 2 UpdateAsync, 1 GetAsync past the cache");
  EXPECT_EQ(FormatRequests({}), "none");
}

TEST(FormatTest, AGapSaysWhatItIsMadeOf) {
  Throttling counts;
  EXPECT_EQ(FormatGap(counts), "0");
  counts.Add(Stage::kInFlight);
  counts.Add(Stage::kUnknown);
  counts.Add(Stage::kUnknown);
  counts.Add(Stage::kRejected);
  EXPECT_EQ(FormatGap(counts), "4 (1 in flight, 1 rejected, 2 unknown)");
}

}  // namespace
}  // namespace dstap::analyzer
