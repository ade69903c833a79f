// Turns the columns of one chunk back into records.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"
#include "proto/capture/chunk_columns.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// A call or a row. Both, and what they refer to, live until whoever gave them is asked for the
// next.
struct Record {
  const CallRecord* call = nullptr;
  const v1::Row* row = nullptr;
  Time time{};  // A row's; a call's is in the call.
};

// Makes records of one chunk after another, kBatch calls at a time from whole columns.
//
// Errors:    as ChunkColumns: all of a chunk is checked before its first record is given out.
// Ownership: refers to the bytes given to Load(), which must outlive the chunk's records.
// Threads:   not thread-safe.
// Limits:    as ChunkColumns. No allocation per call.
class ChunkDecoder {
 public:
  // `body` is a serialized Records.
  Status Load(std::string_view body);
  // Forgets the chunk.
  void Clear();

  // The chunk's next record in file order; false at its end.
  bool Next(Record& record) {
    if (next_row_ < columns_.rows().size() &&
        columns_.rows()[next_row_].after_calls() <= next_call_) {
      GiveRow(record);
      return true;
    }
    if (next_call_ == columns_.calls()) return false;
    if (next_call_ >= batch_end_) DecodeBatch();
    record = {.call = &batch_[next_call_++ - batch_begin_]};
    return true;
  }

  // Calls [next_call(), calls_end()) are the chunk's next records; there may be none.
  size_t next_call() const { return next_call_; }
  size_t calls_end() const {
    return next_row_ < columns_.rows().size() ? columns_.rows()[next_row_].after_calls()
                                              : columns_.calls();
  }
  // Passes over some of them: to whoever took what it needs from columns() they cost nothing.
  void SkipTo(size_t call) { next_call_ = call; }

  // The chunk's first row, or nullptr.
  const v1::Row* first_row() const {
    return columns_.rows().empty() ? nullptr : &columns_.rows().front();
  }
  const ChunkColumns& columns() const { return columns_; }
  uint64_t unknown_fields() const { return columns_.unknown_fields(); }
  int64_t tick_ns() const { return columns_.tick_ns(); }

 private:
  static constexpr size_t kBatch = 256;

  void GiveRow(Record& record);
  void DecodeBatch();
  void DecodeNames();
  void DecodeTimes();
  void DecodeRuns();
  void DecodeOutcome();
  void DecodeValues();
  void DecodeBudgets();
  template <typename F>
  void ForColumn(int field, F set);
  Time AtTicks(uint64_t ticks) const {
    return Time(static_cast<int64_t>(ticks) * columns_.tick_ns());
  }

  ChunkColumns columns_;
  size_t next_row_ = 0;
  size_t next_call_ = 0;
  size_t batch_begin_ = 0;
  size_t batch_end_ = 0;
  size_t batch_size_ = kBatch;  // Of the last batch; small where many calls are passed over.
  size_t next_run_ = 0;
  std::vector<CallRecord> batch_;
  std::vector<TransformRun> batch_runs_;
  std::vector<v1::ListArguments> batch_lists_;
};

}  // namespace dstap::capture
