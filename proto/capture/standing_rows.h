// What a reader that starts in the middle of a recording must be told first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "proto/capture/records.h"

namespace dstap::capture {

struct StandingRow {
  Time time{};  // Of the row in its recording.
  v1::Row row;  // `ticks` and `after_calls` are the chunk's it stood in: a writer sets them anew.
};

// Follows the rows of one recording and keeps those that still stand: what later records refer to,
// or go by, that was said before them.
//
// | row                          | stands until |
// |------------------------------|-----------------------------------------------------------------|
// | Source                       | another of its id | | Limits                       | another of
// its source                                           | | PlayerCount                  | another
// of its source, or a Source, which counts players itself | | ClockSnapshot                |
// another of its source                                           | | StepBegin | its StepEnd | |
// InjectedFault with a call    | the call's outcome, which names the fault                       |
// | InjectedFault without a call | another of its source: a crash is what befalls all calls after |
//
// The others are about their own instant (BudgetSample, Notice, MessageEvent, Comment, Attachment,
// Loss) or about the file (Header, End, Index, Provenance). A subscription would stand, but nothing
// says when it ends.
//
// Ownership: owns copies of what stands.
// Threads:   not thread-safe.
// Limits:    memory grows with the sources, the open steps and the faults of open calls, not with
//            the recording. No allocation for rows and calls that change nothing.
class StandingRows {
 public:
  // Whether Apply() would do anything with it.
  static bool Stands(const v1::Row& row);

  void Apply(Time time, const v1::Row& row);
  // Only a call's outcome changes anything.
  void Apply(const CallRecord& call) {
    if (faults_of_calls_ != 0 && call.outcome != v1::OUTCOME_IN_FLIGHT) ForgetFaultsOf(call.id);
  }

  // Sources in the order of their first rows, then the others in the order of theirs: times may go
  // back. Given to a reader in this order they leave it where the recording had brought it. Steps
  // are marked as partial: what belongs to them stands in front of where this reader starts.
  std::vector<StandingRow> Rows() const;
  size_t size() const { return rows_.size(); }

 private:
  enum class Kind : uint8_t {
    kSource,
    kLimits,
    kPlayerCount,
    kClock,
    kStep,
    kFaultOfCall,
    kFaultOfSource,
  };
  // Kind, what it is about (a source, step or call), and which of several about the same.
  using Key = std::tuple<Kind, uint64_t, uint64_t>;
  struct Entry {
    uint64_t order = 0;
    StandingRow standing;
  };

  void Put(const Key& key, Time time, const v1::Row& row);
  void ForgetFaultsOf(uint64_t call);

  std::map<Key, Entry> rows_;
  uint64_t next_order_ = 0;
  size_t faults_of_calls_ = 0;
};

}  // namespace dstap::capture
