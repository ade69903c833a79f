// What a recording's chunks are handed to once they are filled: a file, or what stands before one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"
#include "proto/capture/sealed_chunk.h"

namespace dstap::capture {

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
