#include "analyzer/findings/rates.h"

#include <algorithm>
#include <utility>

namespace dstap::analyzer {
namespace {

constexpr std::array<std::string_view, kBudgets> kNames = {
    "StandardRead", "StandardWrite", "StandardList", "StandardRemove",
    "OrderedRead",  "OrderedWrite",  "OrderedList",  "OrderedRemove"};

constexpr std::array<Rate, kBudgets> kToday = {
    {{60, 40}, {60, 40}, {5, 2}, {60, 40}, {60, 40}, {30, 5}, {5, 2}, {30, 5}}};
// To 2025: reads of both kinds of stores were one limit, and so were writes and removals.
constexpr std::array<Rate, kBudgets> kEarlier = {
    {{60, 10}, {60, 10}, {5, 2}, {60, 10}, {60, 10}, {30, 5}, {5, 2}, {30, 5}}};

// Of one call; a BatchGetAsync takes up to 100.
constexpr uint32_t kTakenMax = 10'000;

bool IsOld(std::string_view profile) { return profile == "2020" || profile == "2023"; }

// Under the earlier rules.
Budget Merged(Budget budget) {
  switch (budget) {
    case Budget::kStandardRemove:
      return Budget::kStandardWrite;
    case Budget::kOrderedRead:
      return Budget::kStandardRead;
    case Budget::kOrderedRemove:
      return Budget::kOrderedWrite;
    default:
      return budget;
  }
}

using Two = std::array<std::optional<Budget>, 2>;

Two BudgetsOf(const Call& call) {
  const bool ordered = call.store_kind == StoreKind::kOrdered;
  const Budget read = ordered ? Budget::kOrderedRead : Budget::kStandardRead;
  const Budget write = ordered ? Budget::kOrderedWrite : Budget::kStandardWrite;
  switch (call.method) {
    case Method::kGetAsync:
    case Method::kGetVersionAsync:
    case Method::kGetVersionAtTimeAsync:
      return {read, std::nullopt};
    case Method::kBatchGetAsync:
      return {Budget::kOrderedRead, std::nullopt};
    case Method::kSetAsync:
    case Method::kIncrementAsync:
    case Method::kCreateEntry:
      return {write, std::nullopt};
    case Method::kUpdateAsync:
      if (call.outcome == Outcome::kCancelled) return {read, std::nullopt};
      return {read, write};
    case Method::kRemoveAsync:
      return {ordered ? Budget::kOrderedRemove : Budget::kStandardRemove, std::nullopt};
    case Method::kListDataStoresAsync:
    case Method::kListKeysAsync:
    case Method::kListVersionsAsync:
      return {Budget::kStandardList, std::nullopt};
    case Method::kGetSortedAsync:
      return {Budget::kOrderedList, std::nullopt};
    default:
      return {};
  }
}

}  // namespace

std::string_view NameOf(Budget budget) { return kNames[static_cast<size_t>(budget)]; }

std::optional<Budget> BudgetOf(RequestType type) {
  switch (type) {
    case RequestType::kGetAsync:
    case RequestType::kGetVersionAsync:
    case RequestType::kStandardRead:
      return Budget::kStandardRead;
    case RequestType::kSetIncrementAsync:
    case RequestType::kStandardWrite:
      return Budget::kStandardWrite;
    case RequestType::kGetSortedAsync:
    case RequestType::kOrderedList:
      return Budget::kOrderedList;
    case RequestType::kSetIncrementSortedAsync:
    case RequestType::kOrderedWrite:
      return Budget::kOrderedWrite;
    case RequestType::kListAsync:
    case RequestType::kStandardList:
      return Budget::kStandardList;
    case RequestType::kStandardRemove:
      return Budget::kStandardRemove;
    case RequestType::kOrderedRead:
      return Budget::kOrderedRead;
    case RequestType::kOrderedRemove:
      return Budget::kOrderedRemove;
    default:
      return std::nullopt;
  }
}

Rate DefaultRate(std::string_view profile, Budget budget) {
  return (IsOld(profile) ? kEarlier : kToday)[static_cast<size_t>(budget)];
}

std::array<Cost, 2> CostsOf(const Call& call, std::string_view profile, bool never_left,
                            bool is_local) {
  std::array<Cost, 2> costs;
  bool is_recorded = false;
  for (size_t i = 0; i < 2; ++i) {
    if (call.budgets[i].type == RequestType::kUnknown) continue;
    is_recorded = true;
    costs[i] = {BudgetOf(call.budgets[i].type), std::min(call.budgets[i].taken, kTakenMax)};
  }
  if (is_recorded) return costs;
  if (never_left) return costs;
  const Two budgets = BudgetsOf(call);
  const bool has_keys = call.method == Method::kBatchGetAsync && call.list != nullptr;
  for (size_t i = 0; i < 2; ++i) {
    if (!budgets[i]) continue;
    const bool is_read =
        *budgets[i] == Budget::kStandardRead || *budgets[i] == Budget::kOrderedRead;
    if (is_local && is_read) continue;
    costs[i] = {
        IsOld(profile) ? Merged(*budgets[i]) : *budgets[i],
        has_keys ? static_cast<uint32_t>(std::min<size_t>(call.list->keys.size(), kTakenMax)) : 1};
  }
  return costs;
}

}  // namespace dstap::analyzer
