// Asks a filter about calls, with the rows of their sources and steps at hand.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/step_index.h"
#include "proto/filter/filter.h"

namespace dstap::analyzer {

// Ownership: the filter outlives it. Keeps copies of rows.
// Limits:    a row for each source of a recording and each live step; without a filter nothing.
class CallFilter {
 public:
  // Null: every call matches.
  explicit CallFilter(const filter::Filter* filter) : filter_(filter) {}

  void BeginRecording();
  void SetSource(const Source& source, const v1::Source& row);
  void SetPlayers(const Source& source, uint32_t players);
  void SetStep(const LiveStep& step, const v1::StepBegin& row);

  // `step` is null for a call of no step.
  bool Matches(const capture::CallRecord& call, const Source& source, const LiveStep* step) const {
    return filter_ == nullptr || Asks(call, source, step);
  }
  // It does not match, whatever its step is.
  bool RefusesWithoutStep(const capture::CallRecord& call, const Source& source) const {
    return filter_ != nullptr && !filter_->asks_for_steps() && !Asks(call, source, nullptr);
  }

 private:
  bool Asks(const capture::CallRecord& call, const Source& source, const LiveStep* step) const;
  v1::Source& RowOf(const Source& source);

  const filter::Filter* filter_;
  std::vector<v1::Source> sources_;   // By Source::index.
  std::vector<v1::StepBegin> steps_;  // By Step::slot.
};

}  // namespace dstap::analyzer
