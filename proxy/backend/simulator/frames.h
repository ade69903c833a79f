// The frames of a game server: 60 a second, and what a script can see happens on them.
#pragma once

#include <cstdint>

#include "proto/base/clock.h"

namespace dstap::proxy {

inline constexpr int64_t kFramesPerSecond = 60;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;

// Frame k is at round(k * 10^9 / 60) ns. Always from k: frames whose lengths are summed drift, and
// then a caller that retries every frame gets one try too many at some starting points.
constexpr Time FrameTime(int64_t k) {
  const int64_t part = k % kFramesPerSecond;
  return Time(k / kFramesPerSecond * kNsPerSecond +
              (part * kNsPerSecond + kFramesPerSecond / 2) / kFramesPerSecond);
}

// The first frame at or after `t`; `t` must not be negative.
constexpr Time FrameAtOrAfter(Time t) {
  const int64_t ns = t.count();
  int64_t k =
      ns / kNsPerSecond * kFramesPerSecond + ns % kNsPerSecond * kFramesPerSecond / kNsPerSecond;
  while (FrameTime(k) < t) ++k;
  return FrameTime(k);
}

// The first frame later than `t`.
constexpr Time FrameAfter(Time t) { return FrameAtOrAfter(t + Time(1)); }

}  // namespace dstap::proxy
