// Which step a call belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// Ended steps that still wait for records of calls that were issued in them. A call that was open
// for less than 50 ms has no record before its end, so it may come after its step's end.
inline constexpr size_t kWaitingStepsMax = 1024;

struct LiveStep {
  Step step;
  uint64_t ordinal = 0;   // Order of the begin rows.
  size_t held_calls = 0;  // Calls in flight that belong to it; it cannot leave before they do.
};

// The live steps of one recording: open ones, and ended ones whose calls may still come.
//
// Errors:    none; what the rows get wrong is the caller's to find (Open() gives null).
// Threads:   not thread-safe.
// Limits:    open steps, steps with a call in flight, and kWaitingStepsMax others.
class StepIndex {
 public:
  // The open step of this id, or null.
  LiveStep* Open(uint64_t id);

  // No step of this id may be open.
  LiveStep& Begin(Step step);

  // The end row of an open step, with `step.end` set.
  void End(LiveStep& step);

  // The step that the call belongs to, or null: of those its source had open when it was issued and
  // that are about it, the most particular one (a key before a store before everything), and of
  // several such the one that began last.
  LiveStep* Find(const Call& call);
  // Whether a call of that source can belong to a step.
  bool MayHave(const Source& source, Time issued) const {
    if (source.index >= by_source_.size()) return false;
    const OfSource& of = by_source_[source.index];
    return !of.open.empty() || (!of.ended.empty() && *of.ended.back()->step.end > issued);
  }

  // A call in flight was seen, and must keep its step alive; and its answer came.
  void Hold(LiveStep& step);
  void Release(LiveStep& step);

  // The ended step that has waited longest, once more than `waiting_max` do; else null.
  LiveStep* Overdue(size_t waiting_max);
  // In the order in which they began.
  std::vector<LiveStep*> AllOpen() const;
  // Forgets the step; its slot will be used again.
  void Remove(LiveStep& step);

  size_t size() const { return steps_.size() - free_slots_.size(); }

 private:
  struct OfSource {
    std::vector<LiveStep*> open;  // By begin row.
    std::deque<LiveStep*> ended;  // By end time.
  };

  std::vector<std::unique_ptr<LiveStep>> steps_;  // By slot.
  std::vector<size_t> free_slots_;
  std::unordered_map<uint64_t, LiveStep*> open_by_id_;
  std::vector<OfSource> by_source_;  // By Source::index.
  std::deque<LiveStep*> waiting_;    // Ended, without calls in flight; oldest first.
  uint64_t next_ordinal_ = 0;
};

}  // namespace dstap::analyzer
