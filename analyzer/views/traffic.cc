#include "analyzer/views/traffic.h"

#include <utility>

namespace dstap::analyzer {

template <typename T>
void TrafficView::Count(const T& call, bool is_in_step) {
  if (sums_.size() <= call.source->index) sums_.resize(call.source->index + 1);
  Sum& sum = sums_[call.source->index];
  sum.source = call.source;
  const size_t column = ColumnOf(call);
  ++sum.calls[column];
  if (!is_in_step) ++sum.outside[column];
  if (!IsDataStore(call.method)) return;
  const Stage stage = StageOf(call);
  sum.throttling.Add(stage);
  if (!is_in_step) sum.throttling_outside.Add(stage);
}

void TrafficView::OnCall(const Call& call, const Step* step) { Count(call, step != nullptr); }
void TrafficView::OnCallOutsideSteps(const CallSummary& call) { Count(call, false); }

void TrafficView::OnRecordingEnd(const Recording& recording) {
  for (const Sum& sum : std::exchange(sums_, {})) {
    if (sum.source == nullptr) continue;
    SourceTraffic row;
    for (const size_t column : kColumnOrder) {
      if (sum.calls[column] == 0) continue;
      row.methods.push_back({.name = NameOfColumn(column),
                             .is_data_store = IsDataStoreColumn(column),
                             .calls = sum.calls[column],
                             .outside_steps = sum.outside[column]});
      row.calls += sum.calls[column];
      row.outside_steps += sum.outside[column];
    }
    row.file = recording.file;
    row.recording = recording.number;
    row.source = sum.source->id;
    row.source_name = sum.source->name;
    row.throttling = sum.throttling;
    row.throttling_outside_steps = sum.throttling_outside;
    traffic_.push_back(std::move(row));
  }
}

}  // namespace dstap::analyzer
