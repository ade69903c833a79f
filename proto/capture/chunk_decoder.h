// Turns the columns of one chunk back into records.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// A call or a row. Both, and what they refer to, live until whoever gave them is asked for the
// next.
struct Record {
  const CallRecord* call = nullptr;
  const v1::Row* row = nullptr;
  Time time{};  // A row's; a call's is in the call.
};

// Decodes one chunk after another. Load() checks all of a chunk before the first record is given
// out; records are then made from whole columns, kBatch calls at a time.
//
// Errors:    kDamaged: bytes whose checksum is right and that still make no sense.
// Ownership: refers to the bytes given to Load(), which must outlive the chunk's records.
// Threads:   not thread-safe.
// Limits:    refuses, before allocating for it, a count that the bytes cannot hold, and more than
//            kChunkCallsMax calls, kChunkRowsMax rows or strings in a table. No allocation per
//            call.
class ChunkDecoder {
 public:
  // `body` is a serialized Records.
  Status Load(std::string_view body);
  // Forgets the chunk.
  void Clear();

  // The chunk's next record in file order; false at its end.
  bool Next(Record& record) {
    if (next_row_ < rows_used_ && rows_[next_row_].after_calls() <= next_call_) {
      GiveRow(record);
      return true;
    }
    if (next_call_ == count_) return false;
    if (next_call_ == batch_end_) DecodeBatch();
    record = {.call = &batch_[next_call_++ - batch_begin_]};
    return true;
  }

  uint32_t calls() const { return count_; }
  // The chunk's first row, or nullptr.
  const v1::Row* first_row() const { return rows_used_ == 0 ? nullptr : &rows_[0]; }
  // Fields of this chunk that this version does not know, nested ones included.
  uint64_t unknown_fields() const { return unknown_fields_; }

 private:
  static constexpr size_t kBatch = 256;
  static constexpr size_t kColumnsEnd = 46;  // Highest field number of Calls, plus 1.
  enum Table : uint8_t { kNames, kKeys, kTexts, kValues, kIdentities, kTables };

  void GiveRow(Record& record);
  Status LoadRecords(std::string_view body);
  Status LoadRow(std::string_view bytes);
  Status LoadCalls(std::string_view bytes);
  Status LoadColumn(uint32_t field, std::string_view packed);
  Status CheckIndexes();
  Status CheckTimes();
  Status CheckRuns() const;
  bool TimeFits(uint64_t after, int64_t ticks) const;

  void DecodeBatch();
  void DecodeNames();
  void DecodeTimes();
  void DecodeRuns();
  void DecodeOutcome();
  void DecodeValues();
  void DecodeBudgets();
  template <typename F>
  void ForColumn(uint32_t field, F set);
  std::string_view Text(Table table, uint64_t index) const {
    return index == 0 ? std::string_view() : tables_[table][static_cast<size_t>(index) - 1];
  }
  Time AtTicks(int64_t ticks) const { return Time(ticks * tick_ns_); }

  int64_t tick_ns_ = 1;
  int64_t base_ticks_ = 0;
  int64_t max_ticks_ = 0;  // The last tick that is a Time.
  uint32_t count_ = 0;
  uint64_t unknown_fields_ = 0;
  std::array<std::vector<std::string_view>, kTables> tables_;
  std::vector<std::string_view> list_arguments_;  // Serialized.
  // By field number; empty, or one number a call (a run, for the columns of runs). id_delta and
  // issued_delta hold sums once loaded, and issued_delta is never empty then.
  std::array<std::vector<uint64_t>, kColumnsEnd> columns_;
  std::vector<v1::Row> rows_;  // The first rows_used_ are this chunk's.
  size_t rows_used_ = 0;

  size_t next_row_ = 0;
  size_t next_call_ = 0;
  size_t batch_begin_ = 0;
  size_t batch_end_ = 0;
  size_t next_run_ = 0;
  std::vector<CallRecord> batch_;
  std::vector<TransformRun> batch_runs_;
  std::vector<v1::ListArguments> batch_lists_;
};

}  // namespace dstap::capture
