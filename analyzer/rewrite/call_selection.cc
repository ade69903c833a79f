#include "analyzer/rewrite/call_selection.h"

#include <utility>

namespace dstap::analyzer {

CallSelection::CallSelection(std::optional<std::string> step, const filter::Filter* filter)
    : step_(std::move(step)), filter_(filter), builder_({this}, filter) {
  builder_.BeginFile("");
}

void CallSelection::Add(const capture::Record& record) {
  is_selected_ = false;
  if (!selects_all()) builder_.Add(record);
}

void CallSelection::EndFile() {
  if (!selects_all()) builder_.EndFile({});
}

std::vector<uint64_t> CallSelection::TakeNeverAnswered() {
  return std::exchange(never_answered_, {});
}

void CallSelection::OnStepBegin(const Step& step) {
  has_step_ = has_step_ || step.name == step_;
  if (step_names_.size() < kStepNamesMax) step_names_.insert(step.name);
}

// Told of calls that match the filter alone.
void CallSelection::OnCall(const Call& call, const Step* step) {
  const bool is_meant = !step_ || (step != nullptr && step->name == *step_);
  if (call.outcome != Outcome::kInFlight) {
    is_selected_ = is_meant;
  } else if (is_meant) {
    never_answered_.push_back(call.id);
  }
}

}  // namespace dstap::analyzer
