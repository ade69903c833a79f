// What a generator of traffic still has to do, and where it keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "proto/base/clock.h"

namespace dstap::bench {

// What happens at an instant.
struct Event {
  enum class Kind : uint8_t { kArrival, kFollower, kInFlight, kAnswer, kRow };
  Time at{};
  uint64_t order = 0;
  Kind kind = Kind::kArrival;
  size_t index = 0;  // Of the call or the row.
};

struct IsLater {
  bool operator()(const Event& a, const Event& b) const {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }
};

// Things that are used again; addresses stay.
template <typename T>
class Pool {
 public:
  size_t New() {
    if (free_.empty()) {
      all_.emplace_back();
      return all_.size() - 1;
    }
    const size_t index = free_.back();
    free_.pop_back();
    return index;
  }
  T& operator[](size_t index) { return all_[index]; }
  void Free(size_t index) { free_.push_back(index); }

 private:
  std::deque<T> all_;
  std::vector<size_t> free_;
};

}  // namespace dstap::bench
