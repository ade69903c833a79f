// Requests of the last minute.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "proto/base/clock.h"

namespace dstap::analyzer {

// Units:  whole seconds; a window is the 60 that end with the newest one.
// Limits: what comes in more than a minute late is not counted.
class RateWindow {
 public:
  void Add(Time at, uint32_t count) {
    const int64_t second = std::chrono::floor<std::chrono::seconds>(at).count();
    if (first_ < 0) first_ = second;
    if (second > newest_) {
      const int64_t from = std::max(newest_ + 1, second - kSeconds + 1);
      for (int64_t each = from; each <= second; ++each) {
        uint32_t& old = At(each);
        total_ -= old;
        old = 0;
      }
      newest_ = second;
    } else if (second <= newest_ - kSeconds || second < 0) {
      return;
    }
    At(second) += count;
    total_ += count;
  }

  uint64_t total() const { return total_; }
  // Seconds of the window in which something was counted.
  size_t busy() const { return kSeconds - static_cast<size_t>(std::ranges::count(counts_, 0U)); }
  // The first count is at least so many seconds old.
  bool IsFull() const { return first_ >= 0 && newest_ - first_ >= kSeconds - 1; }

 private:
  static constexpr int64_t kSeconds = 60;
  uint32_t& At(int64_t second) { return counts_[static_cast<size_t>(second % kSeconds)]; }

  std::array<uint32_t, kSeconds> counts_{};
  uint64_t total_ = 0;
  int64_t first_ = -1;
  int64_t newest_ = -1;
};

}  // namespace dstap::analyzer
