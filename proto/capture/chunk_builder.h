// Turns records into the columns of one chunk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/capture/format.h"
#include "proto/capture/records.h"
#include "proto/capture/string_table.h"

namespace dstap::capture {

// Fills one chunk after another.
//
// Units:     times are nanoseconds and become whole ticks, each rounded to the nearest. Durations
//            are differences of rounded times, so that a reader gets every instant back as rounded.
// Errors:    none. A time before 0 or before the call's issue is moved there: a record that makes
//            no sense never stops a recording.
// Ownership: keeps no reference to anything passed in.
// Threads:   not thread-safe.
// Limits:    kChunkBytesMax, kChunkCallsMax, kChunkRowsMax: Add() refuses what would pass them. No
//            allocation per call once it has held a chunk as large.
class ChunkBuilder {
 public:
  // A chunk takes no more records when it has about `bytes_max` bytes, unless it is empty.
  explicit ChunkBuilder(int64_t tick_ns, size_t bytes_max = kChunkBytesMax);

  // False when the record does not fit any more; nothing was added then. A record that does not fit
  // into an empty chunk fits into none.
  bool Add(const CallRecord& call);
  // Sets the row's after_calls and ticks.
  bool AddRow(Time time, v1::Row&& row);

  bool empty() const { return calls() == 0 && rows() == 0; }
  uint32_t calls() const { return records_.calls().count(); }
  uint32_t rows() const { return static_cast<uint32_t>(records_.row_size()); }

  // Lowest issued or row time and highest completed (else issued) or row time, as a reader will get
  // them. Both 0 while empty.
  Time first() const { return Time(first_ticks_ * tick_ns_); }
  Time last() const { return Time(last_ticks_ * tick_ns_); }

  // Bytes of the serialized Records. Must be called before WriteTo(), with nothing added between.
  size_t ByteSize() const { return records_.ByteSizeLong(); }
  void WriteTo(char* at) const;

  // Empties it; memory is kept.
  void Clear();

 private:
  bool Fits(size_t bytes);
  void Cover(int64_t first_ticks, int64_t last_ticks);
  int64_t Ticks(Time time) const;
  int64_t Base(int64_t ticks);

  void AddNames(const CallRecord& call, int row);
  void AddTimes(const CallRecord& call, int row);
  void AddRuns(const CallRecord& call, int row, int64_t issued_ticks);
  void AddOutcome(const CallRecord& call, int row);
  void AddValues(const CallRecord& call, int row);
  void AddBudgets(const CallRecord& call, int row);
  uint32_t InternList(const v1::ListArguments& list);

  int64_t tick_ns_;
  size_t bytes_max_;
  v1::Records records_;
  size_t bytes_bound_ = 0;  // At least what ByteSize() would say, paddings of columns included.
  StringTable names_;
  StringTable keys_;
  StringTable texts_;
  StringTable values_;
  StringTable identities_;
  StringTable lists_;
  StringTable::Strings list_strings_;  // list_arguments, serialized: what `lists_` compares.
  std::string list_scratch_;

  uint64_t previous_id_ = 0;
  int64_t previous_issued_ = 0;  // Ticks.
  int64_t first_ticks_ = 0;
  int64_t last_ticks_ = 0;
};

}  // namespace dstap::capture
