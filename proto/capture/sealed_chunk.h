// A filled chunk on its way into a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/capture/chunk_builder.h"
#include "proto/capture/standing_rows.h"

namespace dstap::capture {

// A chunk that nothing is added to any more, before it has a place in a file: what it says can be
// written into any recording that the same header begins.
struct SealedChunk {
  struct Mark {
    uint64_t id = 0;
    bool in_flight = false;
  };

  std::string body;         // Serialized Records; at most kChunkBytesMax.
  std::vector<Mark> marks;  // One for each record of a call, in order.
  uint32_t rows = 0;
  // Lowest issued or row time, highest completed or row time.
  Time first{};
  Time last{};
  // What clients reported as lost in rows Loss.
  uint64_t reported_calls = 0;
  uint64_t reported_rows = 0;
  // Its rows that a part which begins later must begin with; empty where nobody asked for them.
  std::vector<StandingRow> standing;
  // A call in it is what a flight recorder waits for.
  bool triggers = false;

  // Takes the records of `chunk`, which is empty afterwards. The marks and what is reported or
  // stands are the caller's to add.
  void Take(ChunkBuilder& chunk);
  // Empties it; memory is kept.
  void Clear();
  // Lets `follower` see its rows and calls.
  void ApplyTo(StandingRows& follower) const;
  // About what it holds in memory.
  size_t MemoryBytes() const { return body.size() + marks.size() * sizeof(Mark); }
};

}  // namespace dstap::capture
