#include "analyzer/timeline/call_filter.h"

namespace dstap::analyzer {

void CallFilter::BeginRecording() {
  sources_.clear();
  steps_.clear();
}

v1::Source& CallFilter::RowOf(const Source& source) {
  if (sources_.size() <= source.index) sources_.resize(source.index + 1);
  return sources_[source.index];
}

void CallFilter::SetSource(const Source& source, const v1::Source& row) {
  if (filter_ != nullptr) RowOf(source) = row;
}

void CallFilter::SetPlayers(const Source& source, uint32_t players) {
  if (filter_ != nullptr) RowOf(source).set_players(players);
}

void CallFilter::SetStep(const LiveStep& step, const v1::StepBegin& row) {
  if (filter_ == nullptr || !filter_->asks_for_steps()) return;
  if (steps_.size() <= step.step.slot) steps_.resize(step.step.slot + 1);
  steps_[step.step.slot] = row;
}

bool CallFilter::Asks(const capture::CallRecord& call, const Source& source,
                      const LiveStep* step) const {
  const bool has_step = step != nullptr && step->step.slot < steps_.size();
  return filter_->Matches(
      {.call = call,
       .source = source.index < sources_.size() ? &sources_[source.index] : nullptr,
       .step = has_step ? &steps_[step->step.slot] : nullptr});
}

}  // namespace dstap::analyzer
