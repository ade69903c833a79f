#include "analyzer/views/traffic.h"

#include <utility>

namespace dstap::analyzer {

void TrafficView::OnCall(const Call& call, const Step* step) {
  if (sums_.size() <= call.source->index) sums_.resize(call.source->index + 1);
  Sum& sum = sums_[call.source->index];
  if (sum.source_name != call.source->name) sum.source_name = call.source->name;
  sum.source = call.source->id;
  const size_t column = ColumnOf(call);
  ++sum.calls[column];
  if (step == nullptr) ++sum.outside[column];
  if (!IsDataStore(call.method)) return;
  const Stage stage = StageOf(call);
  sum.throttling.Add(stage);
  if (step == nullptr) sum.throttling_outside.Add(stage);
}

void TrafficView::OnRecordingEnd(const Recording& recording) {
  for (Sum& sum : std::exchange(sums_, {})) {
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
    if (row.calls == 0) continue;
    row.file = recording.file;
    row.recording = recording.number;
    row.source = sum.source;
    row.source_name = std::move(sum.source_name);
    row.throttling = sum.throttling;
    row.throttling_outside_steps = sum.throttling_outside;
    traffic_.push_back(std::move(row));
  }
}

}  // namespace dstap::analyzer
