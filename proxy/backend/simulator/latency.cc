#include "proxy/backend/simulator/latency.h"

#include <algorithm>

#include "proto/base/prng.h"

namespace dstap::proxy {
namespace {

__extension__ using Int128 = __int128;

constexpr int64_t kOne = int64_t{1} << 30;

// A standard normal number in units of 2^-30, nearly: the sum of twelve uniform numbers, less six.
// It needs no logarithm, and its ends (plus and minus six) are far outside every clip.
int64_t NearlyNormal(Prng& prng) {
  int64_t sum = 0;
  for (int i = 0; i < 6; ++i) {
    const uint64_t bits = prng.Next();
    sum += static_cast<int64_t>(bits >> 34) + static_cast<int64_t>((bits & 0xFFFF'FFFF) >> 2);
  }
  return sum - 6 * kOne;
}

}  // namespace

int64_t ExpFixed(int64_t x) {
  // e^x = (e^(x/16))^16, and for a small y the series ends soon.
  x = std::clamp(x, -8 * kOne, 8 * kOne);
  const int64_t y = x / 16;
  Int128 term = kOne;
  Int128 sum = kOne;
  for (int n = 1; n <= 12; ++n) {
    term = term * y / kOne / n;
    sum += term;
  }
  for (int i = 0; i < 4; ++i) sum = sum * sum / kOne;
  return static_cast<int64_t>(sum);
}

LatencyModel::LatencyModel(const RuleProfile& rules, uint64_t seed)
    : seed_(Mix64(seed)),
      factor_permille_(rules.run_factor_permille),
      tail_permille_(rules.tail_permille),
      tail_times_(rules.tail_times) {
  if (rules.run_factor_drawn != 0) {
    Prng prng(Mix64(seed_));
    factor_permille_ = factor_permille_ * (850 + static_cast<int64_t>(prng.Below(651))) / 1000;
  }
}

Time LatencyModel::Draw(const LatencyRules& rules, LatencyDraw draw) const {
  // Each number is spread over 64 bits before the next comes in, so neighbours share nothing.
  Prng prng(Mix64(Mix64(Mix64(seed_ ^ draw.source) ^ draw.request) ^ draw.part));
  const int64_t x = NearlyNormal(prng) * rules.sigma_permille / 1000;
  const auto drawn_us = static_cast<int64_t>(Int128{rules.median_us} * ExpFixed(x) / kOne);
  int64_t us = std::min(std::max(drawn_us, rules.low_us), rules.high_us);
  if (static_cast<int64_t>(prng.Below(1000)) < tail_permille_) us *= tail_times_;
  return Time(static_cast<int64_t>(Int128{us} * factor_permille_));  // us * permille = ns
}

}  // namespace dstap::proxy
