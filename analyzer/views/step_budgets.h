// What of its budgets a server could see in the course of a step.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// Of one request type: what was visible first, at the least, and last.
struct BudgetSeen {
  RequestType type = RequestType::kUnknown;
  uint64_t first = 0;
  uint64_t lowest = 0;
  uint64_t last = 0;
  Time first_at{};
  uint64_t first_order = 0;
  Time last_at{};
};

// Limits: an entry a request type.
class StepBudgets {
 public:
  // What the call says: before it took anything, and when it was answered.
  void Add(const Call& call);
  // What the server was told, or a recorder read.
  void Add(const BudgetReading& reading);
  void Clear() { seen_.clear(); }

  const std::vector<BudgetSeen>& seen() const { return seen_; }  // By first appearance.

 private:
  // Of one instant the lowest `order` comes first, and what is seen later comes last.
  void See(RequestType type, Time at, uint64_t order, uint64_t visible);

  std::vector<BudgetSeen> seen_;
};

}  // namespace dstap::analyzer
