// From a capture's records to the timeline, in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/timeline/call_filter.h"
#include "analyzer/timeline/convert.h"
#include "analyzer/timeline/step_index.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/timeline_visitor.h"
#include "proto/capture/capture_reader.h"

namespace dstap::analyzer {

// Feeds visitors. Files come one after the other; in each, a Header row begins a recording, whose
// ids mean nothing outside of it.
//
// Units:     times are nanoseconds since the recording began.
// Errors:    none. What does not fit together is told to the visitors as a Defect.
// Ownership: the visitors outlive the builder. Keeps no reference to a record.
// Threads:   not thread-safe. Visitors are called from inside its methods.
// Limits:    holds the sources, the calls in flight and the live steps of one recording
//            (StepIndex), whatever the number of calls and files.
class TimelineBuilder {
 public:
  // With a filter visitors are told of the calls that match as OnCall(), and of the others as
  // OnOtherCall(). It must outlive the builder; null: every call matches. Of calls that a filter of
  // `watches` selects too, they are told as OnMatch().
  explicit TimelineBuilder(std::vector<TimelineVisitor*> visitors,
                           const filter::Filter* filter = nullptr,
                           const std::vector<const filter::Filter*>& watches = {});

  void BeginFile(std::string name);
  void Add(const capture::Record& record);
  // All records that `chunk` still has.
  void AddChunk(capture::ChunkDecoder& chunk);
  // The next record belongs to another recording, whether it is a Header or that is lost.
  void NextRecording();
  // Ends the recording and the file. `end.file` is filled in.
  void EndFile(FileEnd end);

  size_t calls_held() const { return held_.size(); }
  size_t steps_held() const { return steps_.size(); }

 private:
  struct Held {
    Held(const capture::CallRecord& record, const Source& source, LiveStep* its_step)
        : call(record, source), step(its_step) {}

    HeldCall call;
    LiveStep* step;       // Null: none.
    bool matches = true;  // As far as this record tells.
    std::vector<bool> watched = {};
  };

  void AddSummaries(const SummaryColumns& columns, capture::ChunkDecoder& chunk);
  void AddCall(const capture::CallRecord& record);
  void AddRow(const v1::Row& row, Time time);
  void AddEnd(const v1::End& row);
  void BeginStep(const v1::StepBegin& row, Time time);
  void EndStep(const v1::StepEnd& row, Time time);
  void BeginRecording();
  void EndRecording();
  void Leave(LiveStep& step);
  void TellCall(const Call& call, const LiveStep* step, bool matches,
                const std::vector<bool>& watched);
  // By watch: whether it selects the call. Empty: there is none.
  std::vector<bool> WatchedBy(const capture::CallRecord& call, const Source& source,
                              const LiveStep* step) const;
  void EachFilter(auto function) {
    function(filter_);
    for (CallFilter& watch : watches_) function(watch);
  }
  Source& SourceOf(uint32_t id);
  // Null for 0.
  const Source* OptionalSourceOf(uint32_t id);
  void SawTime(Time time) { recording_.last = std::max(recording_.last, time); }

  template <typename... Parameters, typename... Arguments>
  void Tell(void (TimelineVisitor::*what)(Parameters...), const Arguments&... arguments) {
    for (TimelineVisitor* visitor : visitors_) (visitor->*what)(arguments...);
  }

  std::vector<TimelineVisitor*> visitors_;
  std::string file_;
  bool in_file_ = false;
  bool in_recording_ = false;
  uint32_t recordings_ = 0;  // Of this file.
  Recording recording_;
  std::deque<Source> sources_;  // Addresses stay.
  static constexpr uint32_t kSmallIds = 1024;
  std::vector<Source*> source_by_small_id_;  // Ids below kSmallIds: each call looks one up.
  std::unordered_map<uint32_t, Source*> source_by_id_;
  StepIndex steps_;
  CallFilter filter_;
  std::vector<CallFilter> watches_;
  bool others_are_wanted_;                                    // By a visitor.
  bool summaries_will_do_;                                    // Of calls of no step.
  std::vector<TimelineVisitor*> summary_visitors_;            // Those that want them.
  std::unordered_map<uint64_t, std::unique_ptr<Held>> held_;  // Calls in flight, by id.
  CallParts parts_;
};

}  // namespace dstap::analyzer
