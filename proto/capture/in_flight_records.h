// Which records of calls in flight are still needed, once a whole file is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "proto/capture/records.h"

namespace dstap::capture {

// A call's record OUTCOME_IN_FLIGHT says nothing any more when another record of the same id
// follows. A first pass over a file finds those that stay; a second pass asks for each.
//
// Ownership: keeps numbers only.
// Threads:   not thread-safe.
// Limits:    memory grows with the calls that are open at one time, and those never answered.
class InFlightRecords {
 public:
  // First pass: each record of a call, in file order, and the begin of each recording, whose ids
  // mean nothing to the one before. Done() after the last.
  void BeginRecording();
  void Add(const CallRecord& call) {
    const uint64_t number = records_++;
    if (call.outcome == v1::OUTCOME_IN_FLIGHT) {
      open_.insert_or_assign(call.id, number);
    } else if (!open_.empty()) {
      open_.erase(call.id);
    }
  }
  void Done();
  // Of the first pass: records of calls.
  uint64_t records() const { return records_; }

  // Second pass: the same records in the same order. False: `call`'s record is to be left out.
  bool Stays(const CallRecord& call) {
    const uint64_t number = asked_++;
    if (call.outcome != v1::OUTCOME_IN_FLIGHT) return true;
    if (next_ == stay_.size() || stay_[next_] != number) return false;
    ++next_;
    return true;
  }
  // Of the second pass.
  uint64_t asked() const { return asked_; }

 private:
  std::unordered_map<uint64_t, uint64_t> open_;  // Id, number of its latest record.
  std::vector<uint64_t> stay_;                   // Numbers, rising.
  uint64_t records_ = 0;
  uint64_t asked_ = 0;
  size_t next_ = 0;
};

}  // namespace dstap::capture
