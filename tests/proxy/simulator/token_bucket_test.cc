#include "proxy/backend/simulator/token_bucket.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "proto/base/prng.h"
#include "proxy/backend/simulator/frames.h"

namespace dstap::proxy {
namespace {

using namespace std::chrono_literals;

TokenBucket NewServer(Time now = Time(0)) { return TokenBucket(now, 120, 60, 3); }

int TakeAll(TokenBucket& bucket, Time now) {
  int taken = 0;
  while (bucket.Open(now)) {
    bucket.Take(now);
    ++taken;
  }
  return taken;
}

TEST(TokenBucketTest, ANewServerShows120AndASecondLater121) {
  TokenBucket bucket = NewServer();
  EXPECT_EQ(bucket.Visible(0s), 120);
  EXPECT_EQ(bucket.Visible(1s - Time(1)), 120);
  EXPECT_EQ(bucket.Visible(1s), 121);
}

TEST(TokenBucketTest, OneMorePassesThanItShows) {
  TokenBucket at_start = NewServer();
  EXPECT_EQ(TakeAll(at_start, 0s), 121);
  TokenBucket later = NewServer();
  EXPECT_EQ(TakeAll(later, 1s), 122);
}

TEST(TokenBucketTest, RunningDryStartsTheRefillAnewWhateverWasLeft) {
  for (const Time start : {Time(0s), Time(1ns), Time(123'456'789ns), Time(999'999'999ns)}) {
    TokenBucket bucket = NewServer();
    TakeAll(bucket, start);
    EXPECT_EQ(bucket.Visible(start), 0);
    EXPECT_EQ(bucket.OpenAt(start), start + 1s);
    EXPECT_FALSE(bucket.Open(start + 1s - Time(1)));
    EXPECT_TRUE(bucket.Open(start + 1s));
    EXPECT_EQ(bucket.Visible(start + 2s - Time(1)), 0);
    EXPECT_EQ(bucket.Visible(start + 2s), 1);
  }
}

TEST(TokenBucketTest, FillsToThreeMinutesOfItsLimit) {
  TokenBucket bucket = NewServer();
  EXPECT_EQ(bucket.Visible(60s), 180);
  EXPECT_EQ(bucket.Visible(100h), 180);
  EXPECT_EQ(TakeAll(bucket, 100h), 181);
}

TEST(TokenBucketTest, AHigherLimitKeepsTheLevelAndRefillsFaster) {
  TokenBucket bucket = NewServer();
  TakeAll(bucket, 0s);
  bucket.SetLimit(500ms, 120);
  EXPECT_EQ(bucket.OpenAt(500ms), Time(750ms));  // Half a token is missing, at two a second.
  EXPECT_EQ(bucket.Visible(100s), 120 * 100 / 60 - 2);
  EXPECT_EQ(bucket.Visible(1000s), 360);
}

TEST(TokenBucketTest, ALowerLimitCutsTheLevelToItsCap) {
  TokenBucket bucket = NewServer();
  bucket.SetLimit(0s, 10);
  EXPECT_EQ(bucket.Visible(0s), 30);
  bucket.SetLimit(0s, 60);
  EXPECT_EQ(bucket.Visible(0s), 30);
}

TEST(TokenBucketTest, ALimitOfZeroLetsOneThroughAndNeverRefills) {
  TokenBucket bucket = NewServer();
  bucket.SetLimit(0s, 0);
  EXPECT_EQ(bucket.Visible(0s), 0);
  EXPECT_EQ(TakeAll(bucket, 0s), 1);
  EXPECT_EQ(bucket.OpenAt(1000h), std::nullopt);
}

TEST(TokenBucketTest, TheLargestLimitForYearsDoesNotOverflow) {
  TokenBucket bucket(0s, 1'000'000'000, TokenBucket::kLimitMax, 100);
  EXPECT_EQ(bucket.Visible(0s), 50'000'000);
  EXPECT_EQ(bucket.Visible(24h * 365 * 100), 50'000'000);
  bucket.SetLimit(24h * 365 * 100, TokenBucket::kLimitMax + 1);
  EXPECT_EQ(bucket.limit(), TokenBucket::kLimitMax);
}

// The same model written the way it is described: a step a frame.
class PerFrame {
 public:
  explicit PerFrame(int64_t limit) : limit_(limit), level_(limit * 2 * kToken) {}
  void Frame(Time dt) { level_ = std::min(level_ + limit_ * dt.count(), limit_ * 3 * kToken); }
  bool Open() const { return level_ >= 0; }
  void Take() {
    level_ -= kToken;
    if (level_ < 0) level_ = -kToken;
  }
  int64_t Visible() const { return std::max<int64_t>(0, level_) / kToken; }

 private:
  static constexpr int64_t kToken = 60'000'000'000;
  int64_t limit_;
  int64_t level_;
};

TEST(TokenBucketTest, SaysToTheNanosecondWhenItShowsMore) {
  TokenBucket bucket = NewServer();
  EXPECT_EQ(bucket.GrowsAt(0s), 1s);
  EXPECT_EQ(bucket.GrowsAt(1s - Time(1)), 1s);
  EXPECT_EQ(bucket.GrowsAt(1s), 2s);
  TakeAll(bucket, 2s);  // In debt: at 0 after a second, and shows 1 a second later.
  EXPECT_EQ(bucket.GrowsAt(2s), 4s);

  Prng prng(1);
  for (int i = 0; i < 1000; ++i) {
    const auto limit = static_cast<int64_t>(1 + prng.Below(600));
    TokenBucket any(0s, static_cast<int64_t>(prng.Below(200)), limit, 3);
    for (uint64_t n = prng.Below(200); n > 0; --n) any.Take(0s);
    const Time now(static_cast<int64_t>(prng.Below(5'000'000'000)));
    const std::optional<Time> grows = any.GrowsAt(now);
    if (!grows) {
      EXPECT_EQ(any.Visible(now), 3 * limit);
      continue;
    }
    EXPECT_EQ(any.Visible(*grows), any.Visible(now) + 1);
    EXPECT_EQ(any.Visible(*grows - Time(1)), any.Visible(now));
  }
}

TEST(TokenBucketTest, NeverShowsMoreThanItsCapOrWithoutARefill) {
  TokenBucket bucket = NewServer();
  EXPECT_EQ(bucket.GrowsAt(59s), 60s);
  EXPECT_EQ(bucket.Visible(60s), 180);
  EXPECT_EQ(bucket.GrowsAt(60s), std::nullopt);
  bucket.SetLimit(60s, 0);
  EXPECT_EQ(bucket.GrowsAt(61s), std::nullopt);
}

TEST(TokenBucketTest, AgreesWithAStepEveryFrameUnderRandomTraffic) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Prng prng(seed);
    const auto limit = static_cast<int64_t>(1 + prng.Below(600));
    TokenBucket bucket(Time(0), limit * 2, limit, 3);
    PerFrame model(limit);
    for (int64_t k = 1; k < 3000; ++k) {
      model.Frame(FrameTime(k) - FrameTime(k - 1));
      ASSERT_EQ(bucket.Visible(FrameTime(k)), model.Visible()) << "seed " << seed << " frame " << k;
      for (uint64_t n = prng.Below(10) == 0 ? prng.Below(60) : 0; n > 0; --n) {
        ASSERT_EQ(bucket.Open(FrameTime(k)), model.Open()) << "seed " << seed << " frame " << k;
        bucket.Take(FrameTime(k));
        model.Take();
      }
    }
  }
}

TEST(FramesTest, AreCountedFromZeroAndNeverSummed) {
  EXPECT_EQ(FrameTime(0), Time(0));
  EXPECT_EQ(FrameTime(1), Time(16'666'667));
  EXPECT_EQ(FrameTime(2), Time(33'333'333));
  EXPECT_EQ(FrameTime(3), Time(50'000'000));
  EXPECT_EQ(FrameTime(60 * 86'400 * 365), Time(86'400s * 365));
}

TEST(FramesTest, AnyTimeRoundsUpToTheNextFrame) {
  for (int64_t k = 0; k < 500; ++k) {
    const Time frame = FrameTime(k);
    EXPECT_EQ(FrameAtOrAfter(frame), frame);
    EXPECT_EQ(FrameAtOrAfter(frame + Time(1)), FrameTime(k + 1));
    EXPECT_EQ(FrameAfter(frame), FrameTime(k + 1));
    if (k > 0) {
      EXPECT_EQ(FrameAtOrAfter(frame - Time(1)), frame);
    }
  }
}

}  // namespace
}  // namespace dstap::proxy
