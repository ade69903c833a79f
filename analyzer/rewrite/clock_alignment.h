// Puts recordings of several machines onto one clock, and says how well that is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dstap::analyzer {

// Something at `earlier_ns` of recording `earlier` was the cause of something at `later_ns` of
// recording `later`: a message was published, and delivered.
struct ClockBound {
  size_t earlier = 0;
  size_t later = 0;
  int64_t earlier_ns = 0;
  int64_t later_ns = 0;
};

struct ClockOffset {
  // Time 0 of the recording, on the clock of the first.
  int64_t start_ns = 0;
  // By how much that may be wrong in either direction. Absent: the bounds do not tell.
  std::optional<int64_t> uncertainty_ns;
};

struct ClockAlignment {
  std::vector<ClockOffset> offsets;  // As many as starts.
  // Pairs of recordings whose bounds contradict each other, and by how much. Their bounds were not
  // used.
  struct Contradiction {
    size_t a = 0;
    size_t b = 0;
    int64_t by_ns = 0;
  };
  std::vector<Contradiction> contradictions;
  // Bounds that agree two by two contradict each other in a ring; none was used.
  bool has_ring = false;
};

// `starts` are the recordings' time 0 as their machines' dates have it. A recording that bounds
// hold from both sides is put midway between them; one that they hold from one side stays where its
// date puts it, or is moved to the bound. What a date is worth nobody knows.
//
// Units: nanoseconds; of `starts` since any common instant.
// Limits: works with the cube of the number of recordings.
ClockAlignment AlignClocks(std::span<const int64_t> starts, std::span<const ClockBound> bounds);

}  // namespace dstap::analyzer
