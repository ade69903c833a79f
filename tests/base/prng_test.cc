#include "proto/base/prng.h"

#include <gtest/gtest.h>

#include <array>

namespace dstap {
namespace {

// SplitMix64's published first outputs for seed 1234567: captures of a seed must not change with a
// compiler, a library or a refactoring.
TEST(PrngTest, GivesTheNumbersOfSplitMix64) {
  Prng prng(1234567);
  EXPECT_EQ(prng.Next(), 6457827717110365317U);
  EXPECT_EQ(prng.Next(), 3203168211198807973U);
  EXPECT_EQ(prng.Next(), 9817491932198370423U);
}

TEST(PrngTest, BelowStaysBelowAndReachesEveryNumber) {
  Prng prng(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) ++seen.at(prng.Below(7));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(prng.Below(1), 0U);
}

TEST(PrngTest, UnitIsAtLeastZeroAndBelowOne) {
  Prng prng(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double u = prng.Unit();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(PrngTest, NeighbouringSeedsShareNothing) {
  int equal_bits = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    equal_bits += __builtin_popcountll(~(Prng(seed).Next() ^ Prng(seed + 1).Next()));
  }
  EXPECT_NEAR(equal_bits, 64 * 32, 64 * 4);
}

}  // namespace
}  // namespace dstap
