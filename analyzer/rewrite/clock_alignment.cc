#include "analyzer/rewrite/clock_alignment.h"

#include <algorithm>
#include <limits>

namespace dstap::analyzer {
namespace {

// Wide, so that sums of a few never overflow.
__extension__ using Wide = __int128;
constexpr Wide kUnbounded = static_cast<Wide>(std::numeric_limits<int64_t>::max()) * 1000;

// start[i] - start[j] <= at(i, j), for all i and j.
class Bounds {
 public:
  explicit Bounds(size_t count) : count_(count), most_(count * count, kUnbounded) {
    for (size_t i = 0; i < count; ++i) at(i, i) = 0;
  }

  Wide& at(size_t i, size_t j) { return most_[i * count_ + j]; }
  bool Has(size_t i, size_t j) { return at(i, j) < kUnbounded; }
  void Tighten(size_t i, size_t j, Wide most) { at(i, j) = std::min(at(i, j), most); }

  // What follows from all of them together. False: they contradict each other.
  bool Close() {
    for (size_t k = 0; k < count_; ++k) {
      for (size_t i = 0; i < count_; ++i) {
        for (size_t j = 0; j < count_; ++j) {
          if (Has(i, k) && Has(k, j)) Tighten(i, j, at(i, k) + at(k, j));
        }
      }
    }
    for (size_t i = 0; i < count_; ++i) {
      if (at(i, i) < 0) return false;
    }
    return true;
  }

 private:
  size_t count_;
  std::vector<Wide> most_;
};

// Between its bounds to the first, which is at 0.
Wide Place(Bounds& bounds, size_t i, Wide date) {
  const bool has_most = bounds.Has(i, 0);
  const bool has_least = bounds.Has(0, i);
  const Wide most = bounds.at(i, 0);
  const Wide least = -bounds.at(0, i);
  if (has_most && has_least) return least + (most - least) / 2;
  if (has_most) return std::min(date, most);
  return has_least ? std::max(date, least) : date;
}

}  // namespace

ClockAlignment AlignClocks(std::span<const int64_t> starts, std::span<const ClockBound> bounds) {
  const size_t count = starts.size();
  ClockAlignment result;
  Bounds all(count);
  for (const ClockBound& bound : bounds) {
    all.Tighten(bound.earlier, bound.later, static_cast<Wide>(bound.later_ns) - bound.earlier_ns);
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a + 1; b < count; ++b) {
      if (!all.Has(a, b) || !all.Has(b, a) || all.at(a, b) + all.at(b, a) >= 0) continue;
      result.contradictions.push_back({a, b, static_cast<int64_t>(-(all.at(a, b) + all.at(b, a)))});
      all.at(a, b) = all.at(b, a) = kUnbounded;
    }
  }
  Bounds closed = all;
  if (!closed.Close()) {
    result.has_ring = true;
    closed = Bounds(count);
  }
  Bounds fixed = closed;
  for (size_t i = 0; i < count; ++i) {
    const Wide date = static_cast<Wide>(starts[i]) - starts[0];
    const Wide place = Place(fixed, i, date);
    ClockOffset& offset = result.offsets.emplace_back();
    offset.start_ns = static_cast<int64_t>(place);
    if (closed.Has(i, 0) && closed.Has(0, i)) {
      offset.uncertainty_ns =
          static_cast<int64_t>(std::max(closed.at(i, 0) - place, place + closed.at(0, i)));
    }
    // What comes later must agree with this, too.
    fixed.Tighten(i, 0, place);
    fixed.Tighten(0, i, -place);
    fixed.Close();
  }
  return result;
}

}  // namespace dstap::analyzer
