#include "proto/capture/standing_rows.h"

#include <algorithm>

namespace dstap::capture {

bool StandingRows::Stands(const v1::Row& row) {
  switch (row.kind_case()) {
    case v1::Row::kSource:
    case v1::Row::kStepBegin:
    case v1::Row::kStepEnd:
    case v1::Row::kLimits:
    case v1::Row::kPlayerCount:
    case v1::Row::kInjectedFault:
    case v1::Row::kClockSnapshot:
      return true;
    case v1::Row::kHeader:
    case v1::Row::kBudgetSample:
    case v1::Row::kNotice:
    case v1::Row::kMessageEvent:
    case v1::Row::kLoss:
    case v1::Row::kComment:
    case v1::Row::kAttachment:
    case v1::Row::kEnd:
    case v1::Row::kIndex:
    case v1::Row::kProvenance:
    case v1::Row::KIND_NOT_SET:
      return false;
  }
  return false;
}

void StandingRows::Apply(Time time, const v1::Row& row) {
  switch (row.kind_case()) {
    case v1::Row::kSource:
      Put({Kind::kSource, row.source().id(), 0}, time, row);
      rows_.erase({Kind::kPlayerCount, row.source().id(), 0});
      return;
    case v1::Row::kLimits:
      return Put({Kind::kLimits, row.limits().source(), 0}, time, row);
    case v1::Row::kPlayerCount:
      return Put({Kind::kPlayerCount, row.player_count().source(), 0}, time, row);
    case v1::Row::kClockSnapshot:
      return Put({Kind::kClock, row.clock_snapshot().source(), 0}, time, row);
    case v1::Row::kStepBegin:
      return Put({Kind::kStep, row.step_begin().id(), 0}, time, row);
    case v1::Row::kStepEnd:
      rows_.erase({Kind::kStep, row.step_end().id(), 0});
      return;
    case v1::Row::kInjectedFault: {
      const v1::InjectedFault& fault = row.injected_fault();
      if (fault.call() == 0) return Put({Kind::kFaultOfSource, fault.source(), 0}, time, row);
      return Put({Kind::kFaultOfCall, fault.call(), fault.id()}, time, row);
    }
    default:
      return;
  }
}

void StandingRows::Put(const Key& key, Time time, const v1::Row& row) {
  const auto [at, is_new] = rows_.try_emplace(key);
  Entry& entry = at->second;
  // A source keeps its place: readers number sources as they come.
  if (is_new || std::get<Kind>(key) != Kind::kSource) entry.order = next_order_++;
  if (is_new && std::get<Kind>(key) == Kind::kFaultOfCall) ++faults_of_calls_;
  entry.standing = {time, row};
  if (row.has_step_begin()) entry.standing.row.mutable_step_begin()->set_partial(true);
}

void StandingRows::ForgetFaultsOf(uint64_t call) {
  auto at = rows_.lower_bound({Kind::kFaultOfCall, call, 0});
  while (at != rows_.end() && std::get<0>(at->first) == Kind::kFaultOfCall &&
         std::get<1>(at->first) == call) {
    at = rows_.erase(at);
    --faults_of_calls_;
  }
}

std::vector<StandingRow> StandingRows::Rows() const {
  std::vector<const std::pair<const Key, Entry>*> sorted;
  sorted.reserve(rows_.size());
  for (const auto& entry : rows_) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, [](const auto* entry) {
    return std::pair(std::get<Kind>(entry->first) != Kind::kSource, entry->second.order);
  });
  std::vector<StandingRow> out;
  out.reserve(sorted.size());
  for (const auto* entry : sorted) out.push_back(entry->second.standing);
  return out;
}

}  // namespace dstap::capture
