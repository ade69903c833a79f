// Appends to one capture file. The bytes are described in docs/capture-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/base/byte_sink.h"
#include "proto/capture/chunk_builder.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/format.h"
#include "proto/capture/index_builder.h"
#include "proto/capture/records.h"
#include "proto/capture/totals.h"
#include "proto/capture/zstd_codec.h"

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
    int zstd_level = 3;
    int64_t tick_ns = kTickNs;
  };

  // Writes the magic number and a first chunk with `header`, where the sink ends. What `header`
  // leaves empty of format version, tool, tool version and descriptor set is filled in.
  static Result<CaptureWriter> Create(std::unique_ptr<ByteSink> sink, v1::Header header,
                                      Options options);
  static Result<CaptureWriter> Create(std::unique_ptr<ByteSink> sink, v1::Header header) {
    return Create(std::move(sink), std::move(header), Options());
  }

  CaptureWriter(CaptureWriter&&) = default;
  CaptureWriter& operator=(CaptureWriter&&) = default;

  // Adds a record of a call to the chunk being filled. No I/O unless the chunk is full; an error
  // then is the next Commit()'s.
  void Add(const CallRecord& call);
  // Adds a row; its after_calls and ticks are set here.
  void AddRow(Time time, v1::Row row);

  // Writes everything added so far as one chunk; nothing when nothing was added.
  Status Commit();

  // Commits, writes the End row with the totals and the index, syncs. The destructor does not do
  // this: a crash must not look like a clean end. Calls whose last record was OUTCOME_IN_FLIGHT are
  // the End's calls_in_flight. What is added afterwards is lost.
  Status Close(Time time, v1::EndReason reason, std::string_view text = {});

  // Calls in the file so far, each once: what is committed.
  uint64_t calls() const { return totals_.calls(); }
  // Records of calls, and rows, that should be in the file and are not, those that clients said
  // they dropped (rows Loss) included.
  uint64_t calls_lost() const {
    return totals_.calls_lost() + pending_reported_.calls + unsaid_.calls;
  }
  uint64_t rows_lost() const { return totals_.rows_lost() + pending_reported_.rows + unsaid_.rows; }

 private:
  CaptureWriter(std::unique_ptr<ByteSink> sink, Options options);

  Status WriteChunk(bool with_magic = false);
  std::string_view Serialize(bool with_magic);
  // What a chunk that was written, or could not be, means for the totals.
  void KeepPending();
  void LosePending(v1::LossReason reason, std::string_view text);
  // Empties the chunk being filled, and begins it with what was lost.
  void StartChunk();
  Status CutBack(const Status& write);
  // Adds by `add`, which says false when the chunk is full. False: it fits into no chunk.
  template <typename F>
  bool AddOrStartAnother(F add);
  void LoseTooLarge(uint64_t calls, uint64_t rows);

  std::unique_ptr<ByteSink> sink_;
  Options options_;
  std::optional<ZstdCompressor> zstd_;
  ChunkBuilder chunk_;
  std::vector<char> buffer_;      // Grows to the largest chunk's size and stays.
  std::vector<char> raw_buffer_;  // With a codec: what is compressed.

  uint64_t start_ = 0;     // Where the magic stands in the sink.
  uint64_t good_end_ = 0;  // The end of the last whole chunk.
  uint64_t sequence_ = 0;
  Time latest_{};  // The latest time given: when a loss is noticed.
  Status deferred_;
  Status stopped_;  // Not OK: nothing is written any more.

  Totals totals_;  // Of what is in the file.
  IndexBuilder index_;

  // What was added to the chunk being filled: (id, in flight) of each call, rows, and what clients
  // reported as lost in rows Loss.
  struct Lost {
    uint64_t calls = 0;
    uint64_t rows = 0;
  };
  std::vector<std::pair<uint64_t, bool>> pending_calls_;
  uint64_t pending_rows_ = 0;
  Lost pending_reported_;

  // Lost, and not yet said by a Loss row that is in the file.
  Lost unsaid_;
  v1::LossReason unsaid_reason_ = v1::LOSS_REASON_UNKNOWN;
  std::string unsaid_text_;
};

}  // namespace dstap::capture
