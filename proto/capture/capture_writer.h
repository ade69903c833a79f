// Turns records into chunks, and hands them on.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "proto/base/byte_sink.h"
#include "proto/capture/capture_file.h"
#include "proto/capture/chunk_builder.h"
#include "proto/capture/chunk_sink.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// Units:      times are nanoseconds since the recording began; sizes are bytes.
// Errors:     kWrite, as the sink says. A caller that serves requests reports the first error once
//             and goes on serving.
// Ownership:  owns its sink. Keeps no reference to anything passed to Add().
// Threads:    not thread-safe; lives on the recorder's strand.
// Durability: the sink's. Over a CaptureFile, Commit() returns once the bytes are the kernel's.
// Limits:     a chunk never passes kChunkBytesMax, Options::chunk_bytes_max or kChunkCallsMax;
//             Add() past it hands the chunk on and starts a new one.
class CaptureWriter {
 public:
  struct Options {
    v1::Codec codec = v1::CODEC_NONE;
    int zstd_level = 3;
    int64_t tick_ns = kTickNs;
    // A chunk that has about so many bytes is handed on without waiting for a commit; larger is
    // only one with a single record.
    size_t chunk_bytes_max = kChunkBytesMax;
    // Chunks bring along their rows that stand; see SealedChunk.
    bool has_standing_rows = false;
  };

  // A writer into a new CaptureFile.
  static Result<CaptureWriter> Create(std::unique_ptr<ByteSink> sink, v1::Header header,
                                      Options options);
  static Result<CaptureWriter> Create(std::unique_ptr<ByteSink> sink, v1::Header header) {
    return Create(std::move(sink), std::move(header), Options());
  }
  // Of `options` the file's own ones are `sink`'s business.
  CaptureWriter(std::unique_ptr<ChunkSink> sink, Options options);

  CaptureWriter(CaptureWriter&&) = default;
  CaptureWriter& operator=(CaptureWriter&&) = default;

  // Adds a record of a call to the chunk being filled. No I/O unless the chunk is full; an error
  // then is the next Commit()'s.
  void Add(const CallRecord& call);
  // Adds a row; its after_calls and ticks are set here.
  void AddRow(Time time, v1::Row row);
  // The call added last is what a flight recorder waits for.
  void Trigger() { sealed_.triggers = true; }

  // Hands on everything added so far as one chunk; nothing when nothing was added.
  Status Commit();

  // Commits and ends the recording. The destructor does not do this: a crash must not look like a
  // clean end. What is added afterwards is lost.
  Status Close(Time time, v1::EndReason reason, std::string_view text = {});

  // Calls in the file so far, each once: what is committed.
  uint64_t calls() const { return sink_->calls(); }
  // Records of calls, and rows, that should be in the file and are not, those that clients said
  // they dropped (rows Loss) included.
  uint64_t calls_lost() const { return sink_->calls_lost() + sealed_.reported_calls; }
  uint64_t rows_lost() const { return sink_->rows_lost() + sealed_.reported_rows; }

 private:
  // Adds by `add`, which says false when the chunk is full. False: it fits into no chunk.
  template <typename F>
  bool AddOrStartAnother(F add);
  Status HandOn();
  void LoseTooLarge(Time time, uint64_t calls, uint64_t rows);

  std::unique_ptr<ChunkSink> sink_;
  Options options_;
  ChunkBuilder chunk_;
  SealedChunk sealed_;  // What is known of the chunk being filled; its body when it is handed on.
  Status deferred_;
};

}  // namespace dstap::capture
