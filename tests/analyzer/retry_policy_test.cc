// The fitter against policies whose parameters are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "analyzer/render/policy_text.h"
#include "analyzer/retry_policy/fit_policy.h"
#include "proto/base/prng.h"

namespace dstap::analyzer {
namespace {

constexpr double kFrame = 1.0 / 60;

Time TimeOf(double seconds) {
  return Time(static_cast<int64_t>(std::llround(seconds * 1e6)) * 1000);
}

// One policy, the service it meets, and the chains that come of it.
class World {
 public:
  explicit World(uint64_t seed) : random_(Mix64(seed)) {
    is_framed_ = random_.Below(4) != 0;
    latency_low_ = 0.03 + 0.2 * random_.Unit();
    latency_spread_ = 0.1 + 0.3 * random_.Unit();
  }

  double Between(double low, double high) { return low + (high - low) * random_.Unit(); }
  int Below(int bound) { return static_cast<int>(random_.Below(static_cast<uint64_t>(bound))); }

  // As a programmer writes it down: with few digits, mostly.
  double Parameter(double low, double high) {
    const double unit = std::array{1.0, 0.5, 0.1, 0.01, 0.001}[static_cast<size_t>(Below(5))];
    return std::max(std::round(Between(low, high) / unit) * unit, low);
  }

  // Things happen in frames, or where frames are not seen, a moment later.
  double Happens(double at) {
    if (!is_framed_) return at + 0.002 * random_.Unit();
    return std::ceil(at / kFrame - 1e-6) * kFrame;
  }

  // `wait(place, start, answer)` gives when the next try starts, before frames.
  template <typename Next>
  void Chains(int chains, int gaps, Next next, BudgetSign budget = BudgetSign::kNotKnown) {
    for (int c = 0; c < chains; ++c) {
      double start = Happens(Between(1, 1000));
      for (uint32_t place = 1; place <= static_cast<uint32_t>(gaps); ++place) {
        const double answer = Happens(start + latency_low_ + latency_spread_ * random_.Unit());
        const double wanted = next(place, start, answer);
        const double then = wanted == answer ? answer : Happens(wanted);
        gaps_.push_back({.from_start = TimeOf(then) - TimeOf(start),
                         .from_answer = TimeOf(then) - TimeOf(answer),
                         .place = place,
                         .place_of_cause = place,
                         .budget = budget});
        start = then;
      }
    }
  }

  double Normal() {
    return std::sqrt(-2 * std::log(1 - random_.Unit())) * std::cos(2 * M_PI * random_.Unit());
  }

  const std::vector<Gap>& gaps() const { return gaps_; }

 private:
  Prng random_;
  bool is_framed_;
  double latency_low_;
  double latency_spread_;
  std::vector<Gap> gaps_;
};

double AtRandom(World& world, Law law, uint32_t place) {
  return law.At(place) * world.Between(law.low, law.high);
}

void SetRange(World& world, Law& law) {
  law.jitter = std::array{Jitter::kFull, Jitter::kEqual,
                          Jitter::kProportional}[static_cast<size_t>(world.Below(3))];
  law.low = law.jitter == Jitter::kEqual ? 0.5 : 0;
  law.high = 1;
  if (law.jitter != Jitter::kProportional) return;
  law.share = world.Parameter(0.1, 0.25);
  law.low = 1 - law.share;
  law.high = 1 + law.share;
}

// Waits that follow nothing: neither spread evenly, which is jitter, nor narrowly. With few gaps an
// even spread shows nothing either.
void AddNoise(World& world) {
  const double mean = world.Between(0.5, 15);
  const double sigma = world.Between(0.6, 1.2);
  const int family = world.Below(4);
  const bool is_even = family == 3;
  const int chains = is_even ? 1 : 1 + world.Below(10);
  world.Chains(chains, 4 + world.Below(8), [&](uint32_t, double, double answer) {
    switch (family) {
      case 0:
        return answer - mean * std::log(1 - world.Between(0, 1));
      case 1:
        return answer + mean * std::exp(sigma * world.Normal());
      case 2:
        return answer + mean * (world.Below(3) == 0 ? world.Between(2, 6) : world.Between(0, 1));
      default:
        return answer + mean * world.Between(0, 2);
    }
  });
}

struct Kind {
  const char* name;
  Law (*make)(World& world);
};

// At least as many gaps as a law has parameters, and one.
int FewGaps(World& world) { return 3 + world.Below(6); }
int FewChains(World& world) { return 1 + world.Below(6); }

void AddChains(World& world, const Law& law, int chains, int gaps) {
  world.Chains(chains, gaps, [&](uint32_t place, double, double answer) {
    return answer + (law.jitter == Jitter::kAbsent ? law.At(place) : AtRandom(world, law, place));
  });
}

constexpr std::array kKinds = {
    Kind{"immediate",
         [](World& world) {
           world.Chains(FewChains(world), FewGaps(world),
                        [](uint32_t, double, double answer) { return answer; });
           return Law{.kind = PolicyKind::kImmediate};
         }},
    Kind{"each frame",
         [](World& world) {
           world.Chains(FewChains(world), FewGaps(world),
                        [](uint32_t, double, double answer) { return answer + 0.9 * kFrame; });
           return Law{.kind = PolicyKind::kEachFrame};
         }},
    Kind{"fixed",
         [](World& world) {
           const Law law{.kind = PolicyKind::kFixed, .delay = world.Parameter(0.2, 30)};
           AddChains(world, law, FewChains(world), FewGaps(world));
           return law;
         }},
    Kind{"cooldown",
         [](World& world) {
           const Law law{.kind = PolicyKind::kCooldown,
                         .from = WaitFrom::kStart,
                         .delay = world.Parameter(1, 20)};
           world.Chains(FewChains(world), FewGaps(world),
                        [&](uint32_t, double start, double) { return start + law.delay; });
           return law;
         }},
    Kind{"linear",
         [](World& world) {
           const Law law{.kind = PolicyKind::kLinear,
                         .delay = world.Parameter(0.3, 10),
                         .increment = world.Parameter(0.3, 5)};
           AddChains(world, law, FewChains(world), 4 + world.Below(5));
           return law;
         }},
    Kind{"exponential",
         [](World& world) {
           const Law law{.kind = PolicyKind::kExponential,
                         .delay = world.Parameter(0.3, 4),
                         .factor = world.Parameter(1.3, 3)};
           AddChains(world, law, FewChains(world), 4 + world.Below(5));
           return law;
         }},
    Kind{"exponential up to a cap",
         [](World& world) {
           Law law{.kind = PolicyKind::kExponential,
                   .delay = world.Parameter(0.3, 4),
                   .factor = world.Parameter(1.3, 3)};
           law.cap = law.At(4) * (1 + (law.factor - 1) * world.Between(0.2, 0.8));
           AddChains(world, law, FewChains(world), 6 + world.Below(4));
           return law;
         }},
    Kind{"fixed with jitter",
         [](World& world) {
           Law law{.kind = PolicyKind::kFixed, .delay = world.Parameter(1, 20)};
           SetRange(world, law);
           AddChains(world, law, 25 + world.Below(10), 6);
           return law;
         }},
    Kind{"exponential with jitter",
         [](World& world) {
           Law law{.kind = PolicyKind::kExponential,
                   .delay = world.Parameter(0.5, 4),
                   .factor = world.Parameter(1.5, 3)};
           SetRange(world, law);
           AddChains(world, law, 30 + world.Below(10), 6);
           return law;
         }},
    Kind{"linear with jitter",
         [](World& world) {
           Law law{.kind = PolicyKind::kLinear, .delay = world.Parameter(1, 5)};
           law.increment = law.delay * world.Between(0.5, 2);
           SetRange(world, law);
           AddChains(world, law, 30 + world.Below(10), 6);
           return law;
         }},
    Kind{"budget",
         [](World& world) {
           const auto when = [&](uint32_t, double, double answer) {
             return answer + 0.1 - 3 * std::log(1 - world.Between(0, 1));
           };
           world.Chains(FewChains(world), FewGaps(world), when, BudgetSign::kOpened);
           return Law{.kind = PolicyKind::kBudget};
         }},
    Kind{"noise", [](World& world) {
           AddNoise(world);
           return Law{};
         }}};

bool IsNear(double fitted, double real) {
  return std::abs(fitted - real) <= std::max(0.05 * real, kFrame);
}

bool HasTheParametersOf(const Law& fitted, const Law& real) {
  if (!IsNear(fitted.delay, real.delay) || !IsNear(fitted.increment, real.increment)) return false;
  if (std::abs(fitted.factor - real.factor) > 0.05 * real.factor) return false;
  if (std::abs(fitted.share - real.share) > 0.05) return false;
  if (fitted.cap.has_value() != real.cap.has_value()) return false;
  return !real.cap || IsNear(*fitted.cap, *real.cap);
}

bool IsOfTheKindOf(const Policy& policy, const Law& real) {
  if (policy.parts.size() != 1) return false;
  const Law& fitted = policy.parts[0].law;
  if (fitted.kind != real.kind || fitted.jitter != real.jitter) return false;
  return real.kind == PolicyKind::kIrregular || fitted.from == real.from;
}

// Also of each kind alone, so that none hides behind the others. Seeds differ by their kind: the
// same share of each.
TEST(RetryPolicyTest, OfAThousandRandomPoliciesNineteenOfTwentyAreFound) {
  std::array<int, kKinds.size()> all{};
  std::array<int, kKinds.size()> found{};
  std::array<int, kKinds.size()> near{};
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const size_t kind = seed % kKinds.size();
    World world(seed);
    const Law real = kKinds[kind].make(world);
    const Policy policy = FitPolicy(world.gaps());
    ++all[kind];
    if (!IsOfTheKindOf(policy, real)) continue;
    ++found[kind];
    near[kind] +=
        real.kind == PolicyKind::kIrregular || HasTheParametersOf(policy.parts[0].law, real);
  }
  for (size_t kind = 0; kind < kKinds.size(); ++kind) {
    SCOPED_TRACE(kKinds[kind].name);
    EXPECT_GE(found[kind] * 20, all[kind] * 19);
    EXPECT_GE(near[kind] * 20, all[kind] * 19);
  }
}

// Chains with these waits after the answer, to the frame; answers take longer and longer.
std::vector<Gap> Waits(const std::vector<std::vector<double>>& chains) {
  std::vector<Gap> gaps;
  double latency = 0.1;
  for (const std::vector<double>& chain : chains) {
    uint32_t place = 0;
    for (const double about : chain) {
      const double wait = std::round(about / kFrame) * kFrame;
      latency += 0.05;
      ++place;
      gaps.push_back({.from_start = TimeOf(wait + latency),
                      .from_answer = TimeOf(wait),
                      .place = place,
                      .place_of_cause = place});
    }
  }
  return gaps;
}

const Law& OnlyLaw(const Policy& policy) {
  EXPECT_EQ(policy.parts.size(), 1U);
  return policy.parts.at(0).law;
}

TEST(RetryPolicyTest, NoGapsAreNoPolicy) {
  const Policy policy = FitPolicy({});
  EXPECT_TRUE(policy.parts.empty());
  EXPECT_EQ(policy.confidence, FitConfidence::kLow);
  EXPECT_EQ(FormatPolicy(policy), "not known");
}

TEST(RetryPolicyTest, OneGapIsADelayAndNothingMoreIsClaimed) {
  for (const double wait : {5.017, 0.383, 0.033, 287.0}) {
    const Policy policy = FitPolicy(Waits({{wait}}));
    EXPECT_EQ(policy.kind(), PolicyKind::kFixed) << wait;
    EXPECT_NEAR(OnlyLaw(policy).delay, wait, kFrame + 1e-3);
    EXPECT_EQ(policy.confidence, FitConfidence::kLow);
    EXPECT_FALSE(policy.also);
  }
  const Policy policy = FitPolicy(Waits({{5.017}}));
  EXPECT_EQ(FormatPolicy(policy), "fixed 5 s after the answer");
  EXPECT_EQ(FormatFit(policy), "one gap, off by 0.3 %; confidence low");
}

TEST(RetryPolicyTest, OneGapInEachOfManyChainsSaysNothingOfTheNextGap) {
  const Policy policy = FitPolicy(Waits(std::vector(20, std::vector{5.017})));
  EXPECT_EQ(FormatPolicy(policy), "fixed 5 s after the answer");
  EXPECT_EQ(policy.confidence, FitConfidence::kFair);
}

TEST(RetryPolicyTest, TwoGapsAreNoGrowth) {
  const Policy policy = FitPolicy(Waits({{1, 2}}));
  EXPECT_EQ(FormatPolicy(policy), "fixed 1 s, from gap 2 on fixed 2 s after the answer");
  EXPECT_EQ(policy.confidence, FitConfidence::kLow);
  EXPECT_EQ(FitPolicy(Waits({{0.38, 2.91}})).kind(), PolicyKind::kIrregular);
}

TEST(RetryPolicyTest, ThreeGapsThatDoubleAreExponentialAndThreeThatAddUpLinear) {
  const Policy doubles = FitPolicy(Waits({{1, 2, 4}}));
  EXPECT_EQ(FormatPolicy(doubles), "exponential 1 s x 2, after the answer");
  EXPECT_EQ(doubles.confidence, FitConfidence::kFair);
  EXPECT_EQ(FormatPolicy(FitPolicy(Waits({{1, 2, 3}}))),
            "linear 1 s + 1 s each time after the answer");
}

TEST(RetryPolicyTest, ABackOffWithACapIsKnownFromOneChain) {
  const Policy policy = FitPolicy(Waits({{1, 2, 4, 8.017, 16, 20, 20.017, 20}}));
  EXPECT_EQ(FormatPolicy(policy), "exponential 1 s x 2, at most 20 s, after the answer");
  EXPECT_EQ(policy.confidence, FitConfidence::kHigh);
  EXPECT_EQ(policy.gaps, 8U);
  EXPECT_EQ(policy.explained, 8U);
  EXPECT_NEAR(policy.error_worst, 0.017 / 8, 1e-4);
  EXPECT_LT(policy.error_rms, policy.error_worst);
}

TEST(RetryPolicyTest, FiveThenTenIsTwoDelaysAndNotAGrowth) {
  const Policy policy = FitPolicy(Waits({{5.017, 10.017, 10.033, 10.017, 10.017}}));
  EXPECT_EQ(FormatPolicy(policy), "fixed 5 s, from gap 2 on fixed 10 s after the answer");
  ASSERT_EQ(policy.parts.size(), 2U);
  EXPECT_EQ(policy.parts[0].gaps, 1U);
  EXPECT_EQ(policy.parts[1].gaps, 4U);
  EXPECT_EQ(policy.parts[1].first_place, 2U);
  EXPECT_EQ(policy.kind(), PolicyKind::kIrregular);
}

TEST(RetryPolicyTest, AfterSomethingThatVariesTheRestCanBeRegular) {
  const Policy policy =
      FitPolicy(Waits({{0.61, 2.05, 2.05}, {0.36, 2.05, 2.05}, {0.45, 2.05, 2.05}}));
  EXPECT_EQ(FormatPolicy(policy),
            "irregular, 0.367 s to 0.617 s, from gap 2 on fixed 2.05 s after the answer");
  EXPECT_EQ(policy.explained, 6U);
}

TEST(RetryPolicyTest, WhatCameOfTheTryBeforeCanDecide) {
  constexpr uint8_t kOk = 1, kCancelled = 2;
  std::vector<Gap> gaps = Waits({{0}, {1, 1, 1, 0}, {1, 0}, {0}, {1, 1, 0}});
  for (Gap& gap : gaps) gap.cause = *gap.from_answer == Time{} ? kOk : kCancelled;
  for (Gap& gap : gaps) {
    if (gap.cause == kOk) gap.place_of_cause = 1;
  }
  EXPECT_EQ(FormatPolicy(FitPolicy(gaps)),
            "after ok: immediate after the answer; after cancelled: fixed 1 s after the answer");
}

TEST(RetryPolicyTest, ACooldownIsMetAtOnceWhenTheAnswerTookLonger) {
  std::vector<Gap> gaps = Waits({{6.8, 6.75, 6.7, 6.65, 6.6}});
  for (Gap& gap : gaps) gap.from_start = TimeOf(421 * kFrame);
  EXPECT_EQ(FormatPolicy(FitPolicy(gaps)), "cooldown 7 s from start to start");
  gaps.push_back({.from_start = TimeOf(30.83), .from_answer = Time{}, .place = 6});
  const Policy policy = FitPolicy(gaps);
  EXPECT_EQ(FormatPolicy(policy), "cooldown 7 s from start to start");
  EXPECT_EQ(policy.explained, 6U);
  gaps.back().from_answer = TimeOf(19.37);
  EXPECT_EQ(FitPolicy(gaps).explained, 5U);
}

TEST(RetryPolicyTest, WithoutAnswersTriesCanStillBeRegularFromStartToStart) {
  std::vector<Gap> gaps = Waits({{1, 1, 1, 1}});
  for (Gap& gap : gaps) {
    gap.from_answer.reset();
    gap.from_start = TimeOf(10);
  }
  EXPECT_EQ(FormatPolicy(FitPolicy(gaps)), "cooldown 10 s from start to start");
}

TEST(RetryPolicyTest, TriesOfOneInstantAreSentAtTheSameTime) {
  std::vector<Gap> gaps = Waits({{1, 1, 1}});
  for (Gap& gap : gaps) {
    gap.from_answer = TimeOf(-0.25);
    gap.from_start = Time{};
  }
  EXPECT_EQ(FormatPolicy(FitPolicy(gaps)), "at the same time");
}

TEST(RetryPolicyTest, WhatBothEndsAllowIsSaid) {
  std::vector<Gap> gaps = Waits({std::vector(60, 0.0)});
  for (Gap& gap : gaps) gap.from_start = TimeOf(kFrame);
  const Policy policy = FitPolicy(gaps);
  EXPECT_EQ(FormatPolicy(policy), "immediate after the answer");
  ASSERT_TRUE(policy.also);
  EXPECT_EQ(FormatLaw(*policy.also), "once a frame from start to start");
  EXPECT_EQ(policy.confidence, FitConfidence::kFair);
  gaps = Waits({std::vector(60, 0.0)});
  EXPECT_FALSE(FitPolicy(gaps).also);
  EXPECT_EQ(FitPolicy(gaps).confidence, FitConfidence::kHigh);
}

TEST(RetryPolicyTest, BudgetThatOpensExplainsWhatTimesDoNot) {
  std::vector<Gap> gaps = Waits({{3.1, 0.4, 9.7, 1.9, 2.2}});
  EXPECT_EQ(FitPolicy(gaps).kind(), PolicyKind::kIrregular);
  for (Gap& gap : gaps) gap.budget = BudgetSign::kOpened;
  EXPECT_EQ(FormatPolicy(FitPolicy(gaps)), "waits for budget");
  for (Gap& gap : gaps) gap.budget = BudgetSign::kDidNotWait;
  EXPECT_EQ(FitPolicy(gaps).kind(), PolicyKind::kIrregular);
  // A delay fits as well: both are said.
  gaps = Waits({{1, 1, 1, 1, 1}});
  for (Gap& gap : gaps) gap.budget = BudgetSign::kOpened;
  const Policy both = FitPolicy(gaps);
  EXPECT_TRUE(both.also);
  EXPECT_NE(both.confidence, FitConfidence::kHigh);
}

TEST(RetryPolicyTest, OneGapOfFiveMayBeAnExceptionAndTwoMayNot) {
  EXPECT_EQ(FormatPolicy(FitPolicy(Waits({{1, 1, 3.37, 1, 1}}))), "fixed 1 s after the answer");
  EXPECT_EQ(FormatFit(FitPolicy(Waits({{1, 1, 3.37, 1, 1}}))),
            "4 of 5 gaps, exact; confidence fair");
  EXPECT_EQ(FitPolicy(Waits({{1, 7.53, 3.37, 1, 1}})).kind(), PolicyKind::kIrregular);
}

TEST(RetryPolicyTest, TwoDelaysByTurnsOrByChanceAreNoJitter) {
  std::vector<double> turns;
  for (int i = 0; i < 30; ++i) turns.insert(turns.end(), {6, 1});
  EXPECT_EQ(FormatPolicy(FitPolicy(Waits({turns, turns}))),
            "irregular, 1 s to 6 s after the answer");
  World world(1);
  std::vector<std::vector<double>> chains(30, std::vector<double>(6));
  for (std::vector<double>& chain : chains) {
    for (double& wait : chain) wait = world.Below(2) == 0 ? 1 : 6;
  }
  EXPECT_EQ(FitPolicy(Waits(chains)).kind(), PolicyKind::kIrregular);
}

TEST(RetryPolicyTest, ACapIsSeenTwiceOrItIsNone) {
  EXPECT_EQ(FormatPolicy(FitPolicy(Waits({{1, 2, 4, 8, 16, 20}}))),
            "exponential 1 s x 2, from gap 6 on fixed 20 s after the answer");
  EXPECT_EQ(FormatPolicy(FitPolicy(Waits({{1, 2, 4, 8, 16, 20, 20}}))),
            "exponential 1 s x 2, at most 20 s, after the answer");
}

TEST(RetryPolicyTest, ACooldownShowsInHalfOfTheGapsOrItIsNone) {
  const auto kind_with = [](size_t late) {
    std::vector<Gap> gaps = Waits({{6.8, 6.7}});
    for (Gap& gap : gaps) gap.from_start = TimeOf(7);
    for (uint32_t i = 0; i < late; ++i) {
      gaps.push_back({.from_start = TimeOf(9.13 + 7.3 * i), .from_answer = Time{}, .place = 3 + i});
    }
    return FitPolicy(gaps).kind();
  };
  EXPECT_EQ(kind_with(2), PolicyKind::kCooldown);
  EXPECT_NE(kind_with(3), PolicyKind::kCooldown);
}

// Eight chains in which the wait at each place is `of_place`, and five per cent more or less.
template <typename OfPlace>
std::vector<Gap> VaryingWaits(OfPlace of_place) {
  World world(7);
  std::vector<std::vector<double>> chains(8, std::vector<double>(30));
  for (std::vector<double>& chain : chains) {
    double place = 0;
    for (double& wait : chain) wait = of_place(++place) * world.Between(0.95, 1.05);
  }
  return Waits(chains);
}

TEST(RetryPolicyTest, WaitsThatGrowAndVaryAreLinearOrExponentialAsTheyGrowOrIrregular) {
  const Law law = OnlyLaw(FitPolicy(VaryingWaits([](double place) { return place; })));
  EXPECT_EQ(law.kind, PolicyKind::kLinear);
  EXPECT_EQ(law.jitter, Jitter::kProportional);
  EXPECT_NEAR(law.increment, 1, 0.05);
  EXPECT_EQ(FitPolicy(VaryingWaits([](double place) { return std::pow(1.3, place); })).kind(),
            PolicyKind::kExponential);
  EXPECT_EQ(FitPolicy(VaryingWaits([](double place) { return std::pow(place, 1.5); })).kind(),
            PolicyKind::kIrregular);
}

TEST(RetryPolicyTest, GapsPastTheLimitsAreLeftOut) {
  std::vector<Gap> gaps = Waits(std::vector(kGapsFittedMax, std::vector{1.0}));
  EXPECT_EQ(FitPolicy(gaps).gaps, kGapsFittedMax);
  gaps.push_back(gaps.back());
  EXPECT_EQ(FitPolicy(gaps).gaps, kGapsFittedMax);
  gaps = Waits({std::vector(kPlaceFittedMax + 1, 1.0)});
  EXPECT_EQ(FitPolicy(gaps).gaps, kPlaceFittedMax);
}

TEST(RetryPolicyTest, HostileTimesAreJustIrregular) {
  std::vector<Gap> gaps;
  for (const int64_t time : {INT64_MIN, INT64_MAX, int64_t{0}, int64_t{-1}, int64_t{1} << 60}) {
    gaps.push_back({.from_start = Time(time), .from_answer = Time(time), .place = 1});
    gaps.push_back({.from_start = Time(time), .place = UINT32_MAX, .cause = 255});
    gaps.push_back({.from_start = Time(time), .from_answer = Time(-time / 2), .place = 0});
  }
  EXPECT_EQ(FitPolicy(gaps).kind(), PolicyKind::kIrregular);
}

}  // namespace
}  // namespace dstap::analyzer
