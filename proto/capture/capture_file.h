// Appends filled chunks to one capture file. The bytes are described in docs/capture-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/byte_sink.h"
#include "proto/capture/chunk_builder.h"
#include "proto/capture/chunk_sink.h"
#include "proto/capture/format.h"
#include "proto/capture/index_builder.h"
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
// Errors:     kWrite. A write that fails is cut back to the end of the last whole chunk, and its
//             records are counted as lost; the next Append() tries again, and writes a chunk in
//             front that says what was lost. If the file cannot be cut back, recording stops for
//             good: every later record is lost.
// Ownership:  owns its sink.
// Threads:    not thread-safe.
// Durability: Append() returns once the bytes are the kernel's: they survive this process, not a
//             power cut. Close() also syncs.
class CaptureFile final : public ChunkSink {
 public:
  struct Options {
    v1::Codec codec = v1::CODEC_NONE;
    int zstd_level = 3;
    int64_t tick_ns = kTickNs;  // Of the file's own rows; a chunk brings its own.
  };

  // Writes the magic number and a first chunk with `header`, where the sink ends. What `header`
  // leaves empty of format version, tool, tool version and descriptor set is filled in.
  static Result<std::unique_ptr<CaptureFile>> Create(std::unique_ptr<ByteSink> sink,
                                                     v1::Header header, Options options);

  Status Append(SealedChunk& chunk) override;
  void Lose(Time time, Lost lost) override;
  // Writes the End row with the totals and the index, and syncs. The destructor does not do this: a
  // crash must not look like a clean end. Calls whose last record was OUTCOME_IN_FLIGHT are the
  // End's calls_in_flight.
  Status Close(Time time, v1::EndReason reason, std::string_view text) override;

  uint64_t calls() const override { return totals_.calls(); }
  uint64_t calls_lost() const override;
  uint64_t rows_lost() const override;
  // Bytes of the file, up to the end of the last whole chunk; what stood before it is included.
  uint64_t size() const { return good_end_; }

 private:
  CaptureFile(std::unique_ptr<ByteSink> sink, Options options);

  // What a chunk is, beside its body.
  struct Content {
    uint32_t calls = 0;
    uint32_t rows = 0;
    Time first{};
    Time last{};
  };
  // Frames `body` at the end of buffer_, as the chunk with the next sequence but for `ahead`.
  void Frame(std::string_view body, uint64_t ahead);
  void FrameOwn(uint64_t ahead);
  // Buffer to kernel. What it holds is in the file, or nothing of it.
  Status Write();
  // A chunk of buffer_ that is in the file.
  void Keep(uint64_t offset, const Content& content);
  Status CutBack(const Status& write, uint64_t calls);
  Content OwnContent() const;
  // Fills own_ with a Loss row for each of unsaid_.
  void FillOwnWithLosses(Time time);
  void LosesWereSaid();

  std::unique_ptr<ByteSink> sink_;
  Options options_;
  std::optional<ZstdCompressor> zstd_;
  ChunkBuilder own_;  // Chunks of the file's own rows.
  std::string own_body_;
  std::vector<char> buffer_;      // What one write hands to the kernel.
  std::vector<char> compressed_;  // With a codec.

  uint64_t start_ = 0;     // Where the magic stands in the sink.
  uint64_t good_end_ = 0;  // The end of the last whole chunk.
  uint64_t sequence_ = 0;
  Time latest_{};   // The latest time given: when a loss is noticed.
  Status stopped_;  // Not OK: nothing is written any more.

  Totals totals_;  // Of what is in the file.
  IndexBuilder index_;
  std::vector<Lost> unsaid_;  // Not yet said by a Loss row that is in the file.
};

}  // namespace dstap::capture
