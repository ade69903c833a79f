// Reads a capture, one record at a time, in file order. The bytes are described in
// docs/capture-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "proto/base/byte_source.h"
#include "proto/capture/chunk_decoder.h"
#include "proto/capture/defects.h"
#include "proto/capture/loaded_chunk.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// How a capture ends. Only kDamaged is an error.
enum class Ending : uint8_t {
  kClosed,      // Each recording's End record is there and its totals match.
  kUnfinished,  // No End record: still recording, or the recorder died. A torn last chunk is
                // normal.
  kDamaged,     // A checksum or a total does not match.
};

// Bytes [begin, end) of the file that were passed over, and why. Empty where no bytes are wrong and
// something is missing all the same: chunks in between, or records that the End row counted.
struct SkippedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  DefectId defect = DefectId::kFraming;
  uint64_t chunk = 0;  // Its sequence, or where no checksum confirms that the one expected there.
  std::string why;
};

// Errors:    kUnsupported (a newer format, an unknown codec), kDamaged (with kStop) and kRead, each
//            with the byte offset and chunk in the message.
// Ownership: owns its source.
// Threads:   not thread-safe. Two readers may read one file, also while it is being written.
// Limits:    refuses a chunk over kChunkBytesMax or kChunkCallsMax before allocating for it. Holds
//            one chunk in memory, the ids of the calls in flight, and kSkippedMax skipped ranges
//            (the last one then covers all that follow).
class CaptureReader {
 public:
  enum class OnDamage : uint8_t {
    kStop,  // Next() returns kDamaged at the first damage.
    kSkip,  // Next() goes on with the next chunk that its checksum confirms.
  };
  static constexpr size_t kSkippedMax = 1000;

  // kDamaged when the bytes are not a capture's: an empty file, another format.
  static Result<CaptureReader> Open(std::unique_ptr<ByteSource> source, OnDamage on_damage);

  CaptureReader(CaptureReader&&) noexcept;
  CaptureReader& operator=(CaptureReader&&) noexcept;
  ~CaptureReader();

  // The next record, or nothing at the end. A row Header begins a recording: ids start anew.
  // An error comes again with each later call.
  Result<std::optional<Record>> Next();

  // The next whole chunk, checked and counted as Next() does record by record; false at the end.
  // What is left of a chunk that Next() has begun is passed over. After an error `chunk` holds
  // nothing that counts.
  Result<bool> NextChunk(LoadedChunk& chunk);

  // Where the record that Next() gave last stands: its chunk's offset in the file and sequence.
  uint64_t chunk_offset() const;
  uint64_t chunk_sequence() const;
  // Which recording of the file it belongs to, from 1. One whose Header is lost counts too.
  uint64_t recording() const;
  // The unit its times were written in, nanoseconds.
  int64_t tick_ns() const;

  // All of these are final once Next() has given nothing.
  Ending ending() const;
  std::span<const SkippedRange> skipped() const;
  uint64_t torn_bytes() const;      // Of a last chunk that was not written whole.
  uint64_t unknown_fields() const;  // Of a newer dstap, passed over.
  uint64_t bytes_read() const;

 private:
  struct State;
  explicit CaptureReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dstap::capture
