// What a recording's chunks are handed to once they are filled: a file, or what stands before one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"
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

  // Empties it; memory is kept.
  void Clear();
  // About what it holds in memory.
  size_t MemoryBytes() const { return body.size() + marks.size() * sizeof(Mark); }
};

// Records that should have become part of a recording and did not.
struct Lost {
  v1::LossReason reason = v1::LOSS_REASON_UNKNOWN;
  uint64_t calls = 0;
  uint64_t rows = 0;
  std::string text;  // Nothing of this machine: it goes into the capture.
};

// Errors:  kWrite. What could not be kept is counted here; the caller only says so, and goes on.
// Threads: called from one thread at a time.
class ChunkSink {
 public:
  virtual ~ChunkSink() = default;

  // Takes the chunk's content, and leaves something to be filled again. An error may be one of an
  // earlier chunk that was not told yet.
  virtual Status Append(SealedChunk& chunk) = 0;

  // Counts what never came into a chunk; said in the file with the next one.
  virtual void Lose(Time time, Lost lost) = 0;

  // Ends the recording. What is appended afterwards is lost.
  virtual Status Close(Time time, v1::EndReason reason, std::string_view text) = 0;

  // Of what was appended; a sink that works behind its caller's back knows them once it is closed.
  virtual uint64_t calls() const = 0;
  virtual uint64_t calls_lost() const = 0;
  virtual uint64_t rows_lost() const = 0;
};

}  // namespace dstap::capture
