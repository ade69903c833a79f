// What an End row says about a recording, counted record by record.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "proto/capture/chunk_columns.h"
#include "proto/capture/records.h"

namespace dstap::capture {

// Limits: memory grows with the calls that are in flight, not with the recording.
class Totals {
 public:
  // A record of a call. The first one of a call counts it; one in flight leaves it open until
  // another comes.
  void AddCall(uint64_t id, bool in_flight) {
    ++call_records_;
    if (in_flight) {
      if (open_.insert(id).second) ++calls_;
    } else if (open_.empty() || open_.erase(id) == 0) {
      ++calls_;
    }
  }

  // The calls [begin, end) of a chunk.
  void AddCalls(const ChunkColumns& columns, size_t begin, size_t end);

  void AddRow(const v1::Row& row) {
    AddRows(1);
    if (row.has_loss()) AddLost(row.loss().calls(), row.loss().rows());
  }

  void AddRows(uint64_t rows) { rows_ += rows; }

  void AddLost(uint64_t calls, uint64_t rows) {
    calls_lost_ += calls;
    rows_lost_ += rows;
  }

  bool IsOpen(uint64_t id) const { return !open_.empty() && open_.contains(id); }
  uint64_t calls() const { return calls_; }
  uint64_t calls_in_flight() const { return open_.size(); }
  uint64_t call_records() const { return call_records_; }
  uint64_t rows() const { return rows_; }
  uint64_t calls_lost() const { return calls_lost_; }
  uint64_t rows_lost() const { return rows_lost_; }

  // Whether `end`, which is not counted itself, says the same.
  bool Match(const v1::End& end) const {
    return end.calls() == calls_ && end.calls_in_flight() == open_.size() &&
           end.call_records() == call_records_ && end.rows() == rows_ &&
           end.calls_lost() == calls_lost_ && end.rows_lost() == rows_lost_;
  }

 private:
  std::unordered_set<uint64_t> open_;
  uint64_t calls_ = 0;
  uint64_t call_records_ = 0;
  uint64_t rows_ = 0;
  uint64_t calls_lost_ = 0;
  uint64_t rows_lost_ = 0;
};

}  // namespace dstap::capture
