#include "analyzer/views/step_budgets.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dstap::analyzer {

void StepBudgets::Add(const Call& call) {
  for (const BudgetUse& use : call.budgets) {
    if (use.type == RequestType::kUnknown) continue;
    if (use.before) See(use.type, call.issued, call.id, *use.before);
    if (use.after && call.completed) See(use.type, *call.completed, call.id, *use.after);
  }
}

void StepBudgets::Add(const BudgetReading& reading) {
  if (reading.type == RequestType::kUnknown) return;
  // A query stands behind the calls that its instant had sent so far.
  See(reading.type, reading.time, std::numeric_limits<uint64_t>::max(), reading.visible);
}

void StepBudgets::See(RequestType type, Time at, uint64_t order, uint64_t visible) {
  auto seen = std::ranges::find(seen_, type, &BudgetSeen::type);
  if (seen == seen_.end()) {
    seen_.push_back({.type = type,
                     .first = visible,
                     .lowest = visible,
                     .last = visible,
                     .first_at = at,
                     .first_order = order,
                     .last_at = at});
    return;
  }
  // Calls come in the order of their answers, so the first to be issued may come late.
  if (std::pair(at, order) < std::pair(seen->first_at, seen->first_order)) {
    seen->first = visible;
    seen->first_at = at;
    seen->first_order = order;
  }
  if (at >= seen->last_at) {
    seen->last = visible;
    seen->last_at = at;
  }
  seen->lowest = std::min(seen->lowest, visible);
}

}  // namespace dstap::analyzer
