// Appends to one capture file. The bytes are described in docs/capture-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>

#include "proto/base/byte_sink.h"
#include "proto/capture/chunk_builder.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// The life of a file:
//
// What is in the file            | what a reader may conclude
// -------------------------------|---------------------------------------------------------------
// magic, header chunk            | recording began; no reply has been sent that is not in the file
// ... calls OUTCOME_IN_FLIGHT    | asked for, and no answer seen up to here
// ... last chunk torn            | the recorder died inside a write: none of its calls was answered
// ... End, reason SIGNAL         | stopped on purpose; calls still open are in flight
// ... End, then an Index         | closed
//
// Units:      times are nanoseconds since the recording began; sizes are bytes.
// Errors:     kWrite. A write that fails is cut back to the end of the last whole chunk, and its
//             records are counted as lost; the next Commit() tries again and says what was lost. If
//             the file cannot be cut back, recording stops for good: every later record is lost.
//             A caller that serves requests reports the first error once and goes on serving.
// Ownership:  owns its sink. Keeps no reference to anything passed to Add().
// Threads:    not thread-safe; lives on the recorder's strand.
// Durability: Commit() returns once the bytes are the kernel's: they survive this process, not a
//             power cut. Close() also syncs.
// Limits:     a chunk never passes kChunkBytesMax or kChunkCallsMax; Add() past it writes the chunk
//             and starts a new one.
class CaptureWriter {
 public:
  struct Options {
    v1::Codec codec = v1::CODEC_NONE;
    int64_t tick_ns = kTickNs;
  };

  // Writes the magic number and a first chunk with `header`, to which the format version, the tool
  // and the descriptor set are added.
  static Result<CaptureWriter> Create(std::unique_ptr<ByteSink> sink, v1::Header header,
                                      Options options);

  CaptureWriter(CaptureWriter&&) = default;
  CaptureWriter& operator=(CaptureWriter&&) = default;

  // Adds a record of a call to the chunk being filled. No I/O unless the chunk is full.
  void Add(const CallRecord& call);
  // Adds a row; its after_calls and ticks are set here.
  void AddRow(Time time, v1::Row row);

  // Writes everything added so far as one chunk; nothing when nothing was added.
  Status Commit();

  // Commits, writes the End row with the totals and the index, syncs. The destructor does not do
  // this: a crash must not look like a clean end. Calls whose last record was OUTCOME_IN_FLIGHT are
  // the End's calls_in_flight.
  Status Close(Time time, v1::EndReason reason, std::string_view text = {});

  uint64_t calls_lost() const { return calls_lost_; }
  uint64_t rows_lost() const { return rows_lost_; }
  // Calls recorded so far, each once.
  uint64_t calls() const { return calls_; }

 private:
  CaptureWriter(std::unique_ptr<ByteSink> sink, Options options);

  std::unique_ptr<ByteSink> sink_;
  ChunkBuilder chunk_;
  uint64_t calls_ = 0;
  uint64_t calls_lost_ = 0;
  uint64_t rows_lost_ = 0;
};

}  // namespace dstap::capture
