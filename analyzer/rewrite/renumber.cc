#include "analyzer/rewrite/renumber.h"

namespace dstap::analyzer {
namespace {

uint64_t Moved(uint64_t id, uint64_t by) { return id == 0 ? 0 : id + by; }

uint32_t SourceOf(uint32_t id, const Renumbering& by) {
  const auto found = by.sources.find(id);
  return found == by.sources.end() ? id : found->second;
}

uint64_t MessageOf(const v1::MessageEvent& event, const Renumbering& by) {
  if (!by.shared.empty()) {
    const auto found = by.shared.find({event.topic(), event.message()});
    if (found != by.shared.end()) return found->second;
  }
  return Moved(event.message(), by.messages);
}

}  // namespace

capture::CallRecord Renumbered(const capture::CallRecord& call, const Renumbering& by,
                               std::vector<capture::TransformRun>& runs) {
  capture::CallRecord out = call;
  out.id = Moved(call.id, by.calls);
  out.source = SourceOf(call.source, by);
  out.fault = Moved(call.fault, by.faults);
  out.issued += by.shift;
  if (out.admitted) *out.admitted += by.shift;
  if (out.completed) *out.completed += by.shift;
  runs.assign(call.transform_runs.begin(), call.transform_runs.end());
  for (capture::TransformRun& run : runs) run.started += by.shift;
  out.transform_runs = runs;
  return out;
}

void Renumber(const Renumbering& by, v1::Row& row) {
  const auto set_source = [&by](auto& message) {
    message.set_source(SourceOf(message.source(), by));
  };
  switch (row.kind_case()) {
    case v1::Row::kSource:
      row.mutable_source()->set_id(SourceOf(row.source().id(), by));
      return;
    case v1::Row::kStepBegin:
      row.mutable_step_begin()->set_id(Moved(row.step_begin().id(), by.steps));
      return set_source(*row.mutable_step_begin());
    case v1::Row::kStepEnd:
      row.mutable_step_end()->set_id(Moved(row.step_end().id(), by.steps));
      return;
    case v1::Row::kBudgetSample:
      return set_source(*row.mutable_budget_sample());
    case v1::Row::kLimits:
      return set_source(*row.mutable_limits());
    case v1::Row::kPlayerCount:
      return set_source(*row.mutable_player_count());
    case v1::Row::kNotice:
      row.mutable_notice()->set_call(Moved(row.notice().call(), by.calls));
      return set_source(*row.mutable_notice());
    case v1::Row::kMessageEvent:
      row.mutable_message_event()->set_message(MessageOf(row.message_event(), by));
      return set_source(*row.mutable_message_event());
    case v1::Row::kInjectedFault:
      row.mutable_injected_fault()->set_id(Moved(row.injected_fault().id(), by.faults));
      row.mutable_injected_fault()->set_call(Moved(row.injected_fault().call(), by.calls));
      return set_source(*row.mutable_injected_fault());
    case v1::Row::kClockSnapshot:
      return set_source(*row.mutable_clock_snapshot());
    case v1::Row::kProvenance:
      for (uint32_t& source : *row.mutable_provenance()->mutable_sources()) {
        source = SourceOf(source, by);
      }
      return;
    case v1::Row::kHeader:
    case v1::Row::kLoss:
    case v1::Row::kComment:
    case v1::Row::kAttachment:
    case v1::Row::kEnd:
    case v1::Row::kIndex:
    case v1::Row::KIND_NOT_SET:
      return;
  }
}

}  // namespace dstap::analyzer
