// Seeded random numbers, the same on every machine and with every standard library.
#pragma once

#include <cstdint>

namespace dstap {

__extension__ using Uint128 = unsigned __int128;

// SplitMix64's output function: spreads any 64 bits. Used to make independent seeds from a seed
// and a counter.
constexpr uint64_t Mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// A small generator (SplitMix64). Not for secrets. Copying it copies its future.
class Prng {
 public:
  explicit constexpr Prng(uint64_t seed) : state_(seed) {}

  // Uniform over all 64 bits.
  constexpr uint64_t Next() {
    const uint64_t out = Mix64(state_);
    state_ += 0x9E3779B97F4A7C15U;
    return out;
  }

  // Uniform in [0, bound); `bound` must be > 0. The bias is below bound / 2^64.
  constexpr uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<Uint128>(Next()) * bound) >> 64);
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  constexpr double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

}  // namespace dstap
