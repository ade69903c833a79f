#include "analyzer/retry_policy/code_length.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dstap::analyzer {
namespace {

constexpr double kDaySeconds = 86'400;
constexpr int kDecimalsMax = 3;
// Waits that spread less about their mean are regular, whatever their distribution.
constexpr double kRegularSpread = 0.15;
constexpr double kDistributionParameterBits = 6;

double InFrames(double seconds) { return std::max(seconds, 0.0) / kFrameSeconds; }

double PowerOfTen(int decimals) { return std::pow(10.0, decimals); }

}  // namespace

double AnyWaitBits(double seconds) {
  static const double kLogOfAll = std::log(InFrames(kDaySeconds));
  return std::log2(kLogOfAll * (InFrames(seconds) + 1));
}

double RoundestIn(double low, double high) {
  for (int decimals = 0; decimals <= kDecimalsMax; ++decimals) {
    const double unit = PowerOfTen(decimals);
    // More digits than the clock allows make nothing rounder.
    const double slack = decimals <= 1 ? kSlackSeconds : 1e-9;
    const double rounded = std::floor((high + slack) * unit) / unit;
    if (rounded > 0 && rounded >= low - slack) return rounded;
  }
  return high;
}

double NumberBits(double value) {
  if (value < kShortSeconds) return 2 + std::log2(InFrames(value) + 1);
  int decimals = 0;
  for (; decimals < kDecimalsMax; ++decimals) {
    const double scaled = value * PowerOfTen(decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(scaled, 1.0)) break;
  }
  return 1 + 2 * decimals + std::log2(1 + std::abs(value) * PowerOfTen(decimals));
}

double DistributionBits(const std::vector<double>& waits) {
  const auto count = static_cast<double>(waits.size());
  double sum = 0;
  double log_sum = 0;
  for (const double wait : waits) {
    sum += InFrames(wait);
    log_sum += std::log2(InFrames(wait) + 1);
  }
  const double mean = sum / count;
  double squares = 0;
  double log_squares = 0;
  for (const double wait : waits) {
    squares += std::pow(InFrames(wait) - mean, 2);
    log_squares +=
        std::pow((std::log2(InFrames(wait) + 1) - log_sum / count) * std::numbers::ln2, 2);
  }
  static const double kBell = std::log2(std::sqrt(2 * std::numbers::pi * std::numbers::e));
  const double spread = std::max({std::sqrt(squares / count), kRegularSpread * mean, 1.0});
  const double log_spread = std::max(std::sqrt(log_squares / count), kRegularSpread);
  const double precision = std::log2(count) / 2;
  const double normal = count * (std::log2(spread) + kBell);
  const double log_normal = count * (std::log2(log_spread) + kBell) + log_sum;
  const double exponential = count * std::log2(std::numbers::e * std::max(mean, 1.0));
  // However narrow it is, a law that says the frame is better.
  constexpr double kLeastBits = 3;
  return std::max(count * kLeastBits,
                  std::min({normal + 2 * (kDistributionParameterBits + precision),
                            log_normal + 2 * (kDistributionParameterBits + precision),
                            exponential + kDistributionParameterBits + precision}));
}

}  // namespace dstap::analyzer
