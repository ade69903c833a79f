// Saves what is good of a damaged or unfinished capture.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "proto/base/byte_sink.h"
#include "proto/base/byte_source.h"
#include "proto/base/status.h"
#include "proto/capture/capture_reader.h"

namespace dstap::capture {

// What was found, what was written, what is lost. Sums over all recordings of the file.
struct Recovery {
  // Of the capture that was read.
  Ending was = Ending::kClosed;
  std::vector<SkippedRange> skipped;
  uint64_t torn_bytes = 0;
  uint64_t unknown_fields = 0;
  uint64_t recordings_without_header = 0;
  uint64_t recordings_without_end = 0;
  uint64_t recordings_without_records = 0;  // Begun there, and nothing of them is good.

  // Written: the good records, End and Index rows not counted.
  uint64_t recordings = 0;
  uint64_t calls = 0;  // Each once.
  uint64_t call_records = 0;
  uint64_t rows = 0;
  uint64_t rows_added = 0;  // Rows Loss and Comment, and new Headers.

  // Records that are lost to damage by the count of the End rows that could be read.
  uint64_t calls_lost = 0;
  uint64_t rows_lost = 0;
  // Places where records may be missing that no End row counts.
  uint64_t places_not_counted = 0;
  // Good records that fit into no chunk (only another tool writes such), counted as lost too.
  uint64_t records_too_large = 0;
  // Records whose times had to be rounded: chunks of one recording had different units.
  uint64_t records_rounded = 0;

  // The capture was closed, and every record of it was written.
  bool nothing_was_lost() const {
    return was == Ending::kClosed && records_too_large == 0 && records_rounded == 0;
  }
};

// Appends to `sink` a closed capture of the good records of `reader`, which must be one that skips
// damage. Each recording stays one, with its own Header (or a new one that says no more than is
// known) and an End row with new totals. In place of what was passed over stands a row Loss, at the
// end of each recording that was not whole a row Comment that says what was done. Calls in flight
// stay in flight.
//
// Errors: kDamaged when there is no good record; the reader's; kWrite. What `sink` then holds is
//         worth nothing.
Result<Recovery> Recover(CaptureReader& reader, ByteSink& sink);

// Reads what Recover() wrote from `source` and compares.
//
// Errors: kWrite, when it is not the closed capture that `recovery` says; kRead.
Status CheckRecovered(std::unique_ptr<ByteSource> source, const Recovery& recovery);

}  // namespace dstap::capture
