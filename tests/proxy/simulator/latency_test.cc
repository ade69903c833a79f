#include "proxy/backend/simulator/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dstap::proxy {
namespace {

using namespace std::chrono_literals;

RuleProfile Rules() { return *FindRuleProfile("2026"); }

std::vector<Time> Draws(const RuleProfile& rules, const LatencyRules& latency, size_t count,
                        uint64_t seed = 1) {
  const LatencyModel model(rules, seed);
  std::vector<Time> draws;
  for (uint64_t i = 1; i <= count; ++i) draws.push_back(model.Draw(latency, {1, i, 0}));
  std::sort(draws.begin(), draws.end());
  return draws;
}

double Milliseconds(Time time) { return static_cast<double>(time.count()) / 1e6; }

TEST(LatencyTest, TenThousandDrawsStayInTheirClipsAroundTheirMedians) {
  RuleProfile rules = Rules();
  rules.tail_permille = 0;
  for (const LatencyRules& latency :
       {rules.read_stored, rules.read_missing, rules.write, rules.list}) {
    const std::vector<Time> draws = Draws(rules, latency, 10'000);
    EXPECT_GE(draws.front(), Time(latency.low_us * 1000));
    EXPECT_LE(draws.back(), Time(latency.high_us * 1000));
    const double median = Milliseconds(draws[draws.size() / 2]);
    EXPECT_NEAR(median, static_cast<double>(latency.median_us) / 1000, median * 0.02);
    // It is spread out, and not all at the clips.
    EXPECT_LT(draws[draws.size() / 20], draws[draws.size() / 2] * 9 / 10);
    EXPECT_GT(draws[draws.size() * 19 / 20], draws[draws.size() / 2] * 11 / 10);
    EXPECT_LT(std::count(draws.begin(), draws.end(), draws.front()), 400);
    EXPECT_LT(std::count(draws.begin(), draws.end(), draws.back()), 400);
  }
}

TEST(LatencyTest, OneInTwoHundredIsThreeTimesAsSlow) {
  RuleProfile rules = Rules();
  rules.write.sigma_permille = 0;
  const std::vector<Time> draws = Draws(rules, rules.write, 10'000);
  const auto slow = std::count(draws.begin(), draws.end(), Time(600ms));
  EXPECT_EQ(std::count(draws.begin(), draws.end(), Time(200ms)), 10'000 - slow);
  EXPECT_GT(slow, 25);
  EXPECT_LT(slow, 80);
}

TEST(LatencyTest, ADrawDependsOnSeedSourceRequestAndPartAlone) {
  const RuleProfile rules = Rules();
  const LatencyModel model(rules, 7);
  const Time first = model.Draw(rules.write, {1, 1, 0});
  EXPECT_EQ(LatencyModel(rules, 7).Draw(rules.write, {1, 1, 0}), first);
  EXPECT_NE(LatencyModel(rules, 8).Draw(rules.write, {1, 1, 0}), first);
  EXPECT_NE(model.Draw(rules.write, {2, 1, 0}), first);
  EXPECT_NE(model.Draw(rules.write, {1, 2, 0}), first);
  EXPECT_NE(model.Draw(rules.write, {1, 1, 1}), first);
}

TEST(LatencyTest, TheseDrawsAreTheSameOnEveryMachine) {
  const RuleProfile rules = Rules();
  const LatencyModel model(rules, 1);
  EXPECT_EQ(model.Draw(rules.read_stored, {1, 1, 0}), Time(22'678'000));
  EXPECT_EQ(model.Draw(rules.write, {1, 1, 1}), Time(233'033'000));
  EXPECT_EQ(model.Draw(rules.write, {2, 99, 3}), Time(181'427'000));
}

TEST(LatencyTest, AFactorOfTheRunStretchesEverything) {
  RuleProfile rules = Rules();
  const Time plain = LatencyModel(rules, 1).Draw(rules.write, {1, 1, 0});
  rules.run_factor_permille = 1500;
  EXPECT_EQ(LatencyModel(rules, 1).Draw(rules.write, {1, 1, 0}), plain * 3 / 2);
  rules.run_factor_permille = 1000;
  rules.run_factor_drawn = 1;
  for (uint64_t seed = 1; seed < 100; ++seed) {
    RuleProfile undrawn = rules;
    undrawn.run_factor_drawn = 0;
    const Time base = LatencyModel(undrawn, seed).Draw(rules.write, {1, 1, 0});
    const Time drawn = LatencyModel(rules, seed).Draw(rules.write, {1, 1, 0});
    EXPECT_GE(drawn, base * 850 / 1000);
    EXPECT_LE(drawn, base * 1500 / 1000);
  }
}

TEST(LatencyTest, ExpFixedIsTheExponential) {
  constexpr double kOne = 1 << 30;
  for (double x = -3; x <= 3; x += 0.01) {
    const double got = static_cast<double>(ExpFixed(static_cast<int64_t>(x * kOne))) / kOne;
    EXPECT_NEAR(got, std::exp(x), std::exp(x) * 1e-6) << x;
  }
}

}  // namespace
}  // namespace dstap::proxy
