#include "proto/capture/totals.h"

namespace dstap::capture {

void Totals::AddCalls(const ChunkColumns& columns, size_t begin, size_t end) {
  const Column& outcomes = columns.column(v1::Calls::kOutcomeFieldNumber);
  const bool any_in_flight = !outcomes.empty() && outcomes.Visit([&](auto numbers) {
    bool any = false;
    for (size_t i = begin; i < end; ++i) any |= numbers[i] == v1::OUTCOME_IN_FLIGHT;
    return any;
  });
  if (!any_in_flight && open_.empty()) {  // Each is a call's first and last record.
    calls_ += end - begin;
    call_records_ += end - begin;
    return;
  }
  for (size_t i = begin; i < end; ++i) {
    AddCall(columns.id(i), !outcomes.empty() && outcomes[i] == v1::OUTCOME_IN_FLIGHT);
  }
}

}  // namespace dstap::capture
