// Turns records into the columns of one chunk.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/capture/format.h"
#include "proto/capture/packed_column.h"
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
  uint32_t calls() const { return calls_; }
  uint32_t rows() const { return rows_; }

  // Lowest issued or row time and highest completed (else issued) or row time, as a reader will get
  // them. Both 0 while empty.
  Time first() const { return Time(first_ticks_ * tick_ns_); }
  Time last() const { return Time(last_ticks_ * tick_ns_); }

  // Bytes of the serialized Records: as protobuf would write them.
  size_t ByteSize() const;
  void WriteTo(char* at) const;

  // Empties it; memory is kept.
  void Clear();

 private:
  bool Fits(size_t bytes);
  void Cover(int64_t first_ticks, int64_t last_ticks);
  int64_t Ticks(Time time) const;
  int64_t Base(int64_t ticks);

  void AddNames(const CallRecord& call);
  void AddTimes(const CallRecord& call);
  void AddRuns(const CallRecord& call, int64_t issued_ticks);
  void AddOutcome(const CallRecord& call);
  void AddValues(const CallRecord& call);
  void AddBudgets(const CallRecord& call);
  uint32_t InternList(const v1::ListArguments& list);
  // The call that is being added has `number` in the column of this field.
  void Put(int field, uint64_t number) { columns_[static_cast<size_t>(field)].Put(calls_, number); }
  void PutText(int field, StringTable& table, StringTable::Last& last, std::string_view text) {
    Put(field, text.empty() ? 0 : table.Intern(text, last));
  }
  size_t CallsSize() const;
  std::array<const StringTable*, 5> Tables() const {
    return {&names_, &keys_, &texts_, &values_, &identities_};
  }

  static constexpr size_t kColumnsEnd = 46;  // Highest field number of Calls, plus 1.

  int64_t tick_ns_;
  size_t bytes_max_;
  int64_t base_ticks_ = 0;
  uint32_t calls_ = 0;
  uint32_t rows_ = 0;
  size_t runs_ = 0;
  size_t bytes_bound_ = 0;  // At least what ByteSize() would say, paddings of columns included.
  StringTable names_;
  StringTable keys_;
  StringTable texts_;
  StringTable values_;
  StringTable identities_;
  StringTable lists_;                              // list_arguments, serialized.
  std::array<PackedColumn, kColumnsEnd> columns_;  // By field number.
  std::vector<char> row_bytes_;                    // Rows, serialized, with tags and lengths.
  std::string list_scratch_;
  struct {
    StringTable::Last caller, store, scope, key, error_name, error_text, version;
  } last_;

  uint64_t previous_id_ = 0;
  int64_t previous_issued_ = 0;  // Ticks.
  int64_t first_ticks_ = 0;
  int64_t last_ticks_ = 0;
};

}  // namespace dstap::capture
