// Writes recordings that were read from other captures: compressed, in chunks of one size, one
// after the other into one sink.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/base/byte_sink.h"
#include "proto/capture/capture_writer.h"
#include "proto/capture/chunk_decoder.h"
#include "proto/capture/format.h"
#include "proto/capture/totals.h"

namespace dstap::capture {

// Whether every time in the record is a whole number of the usual ticks (kTickNs): if not, it is
// kept only by a writer whose tick is a nanosecond.
bool HasWholeTicks(const Record& record);

// Unlike a recorder, who serves on when its disk is full, whoever rewrites a capture stops at the
// first record that cannot be kept.
//
// Units:     times are nanoseconds since the recording began.
// Errors:    kWrite, the sink's own words; kLimit for a record that fits into no chunk.
// Ownership: refers to the sink, which must outlive it. Syncs nothing.
// Threads:   not thread-safe.
// Promises:  the bytes depend on the records and the options alone.
class RewriteWriter {
 public:
  struct Options {
    int zstd_level = kZstdLevel;
    // Of a chunk's records before they are compressed; about.
    size_t chunk_bytes = kChunkBytesPacked;
    int64_t tick_ns = kTickNs;
  };
  // Of recorded traffic 3% smaller than level 3, and a quarter as fast: 50 MB a second of what is
  // compressed. From 13 on it is a tenth smaller still, and a fifth as fast again.
  static constexpr int kZstdLevel = 9;

  RewriteWriter(ByteSink& sink, const Options& options);

  // Begins a recording. The one before it has ended or is left unfinished.
  Status Begin(const v1::Header& header);
  Status Add(const CallRecord& call);
  Status AddRow(Time time, v1::Row row);
  // Ends the recording: End with its totals, Index.
  Status End(Time time, v1::EndReason reason, std::string_view text);
  // Writes what was added and leaves the recording unfinished.
  Status Leave();

  // Of the recording that was begun last.
  const Totals& totals() const { return totals_; }

 private:
  class Sink;

  // Writes the chunk when it has `cost` more than it should.
  Status Added(size_t cost);
  Status Commit();
  Status Check() const;

  ByteSink& sink_;
  Options options_;
  std::optional<CaptureWriter> writer_;
  Totals totals_;

  // How full the chunk is. Its size is known only once it is written, so what records cost is
  // estimated, and the estimate corrected by each chunk.
  Status sink_error_;
  uint64_t chunk_size_ = 0;  // Of the chunk that was written last.
  double size_of_cost_ = 0.5;
  size_t cost_ = 0;
};

}  // namespace dstap::capture
