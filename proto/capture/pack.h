// Makes a capture small: few large chunks, compressed, one record a call.
#pragma once

#include <cstdint>
#include <string>

#include "proto/base/byte_sink.h"
#include "proto/capture/recording_reader.h"
#include "proto/capture/rewrite_writer.h"

namespace dstap::capture {

struct PackOptions {
  int zstd_level = RewriteWriter::kZstdLevel;
  size_t chunk_bytes = kChunkBytesPacked;
};

struct PackResult {
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
  uint64_t records_folded = 0;  // OUTCOME_IN_FLIGHT, of calls of which a later record is there.
  uint64_t torn_bytes = 0;      // Of a last chunk that was not written whole: left out.
};

// Writes what `open` gives, read twice, to `to`. Recordings, records, their order and the headers
// stay as they are, but for records of calls in flight that a later one of the same call follows.
// Each recording that had an End gets one, with its reason, text and time, and totals that are
// right; no End is made up. The same records give the same bytes, and packing what is packed
// changes nothing.
//
// Errors: kDamaged and kUnsupported as RecordingReader; kRead when the two passes differ; those of
//         source and sink.
// Limits: one chunk, and memory for the calls that are open at one time.
Result<PackResult> Pack(const OpenSource& open, ByteSink& to, const PackOptions& options);

struct PackFileOptions {
  PackOptions pack = {};
  // The caller is the file's writer and holds its lock.
  bool is_locked = false;
};

// Packs the file at `path` in its place, by a sibling "PATH.part" that is read again before it
// takes the name: at every moment a good capture is under the name.
//
// Errors: as Pack(), and as WholeFile; the file is then as it was. Each names the file.
Result<PackResult> PackFile(const std::string& path, const PackFileOptions& options);

}  // namespace dstap::capture
