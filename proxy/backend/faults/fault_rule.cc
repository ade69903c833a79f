#include "proxy/backend/faults/fault_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace dstap::proxy {
namespace {

using Pattern = std::optional<std::string>;

// A step's * is any step, and there are calls without one.
enum class Everything { kHasIt, kMayLackIt };

bool Covers(const Pattern& wide, const Pattern& narrow, Everything everything) {
  if (!wide || wide == narrow) return true;
  return *wide == "*" && (narrow || everything == Everything::kHasIt);
}

bool Covers(const std::vector<v1::Method>& wide, const std::vector<v1::Method>& narrow) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::ranges::all_of(narrow, [&](v1::Method method) {
    return std::ranges::find(wide, method) != wide.end();
  });
}

bool CoversSelectors(const FaultRule& wide, const FaultRule& narrow) {
  using enum Everything;
  return Covers(wide.methods, narrow.methods) && Covers(wide.step, narrow.step, kMayLackIt) &&
         Covers(wide.store, narrow.store, kHasIt) && Covers(wide.key, narrow.key, kHasIt) &&
         Covers(wide.server, narrow.server, kHasIt) && wide.from <= narrow.from &&
         wide.until >= narrow.until;
}

// Whether `first` takes every call that `second`, which stands behind it, could have.
bool TakesAll(const FaultRule& first, const FaultRule& second) {
  const bool crashes = first.kind == v1::FAULT_KIND_SERVER_CRASH;
  if (crashes != (second.kind == v1::FAULT_KIND_SERVER_CRASH)) return false;
  if (crashes) {
    // A later one still has the servers that start in between.
    return first.delay == second.delay && Covers(first.server, second.server, Everything::kHasIt);
  }
  if (first.probability < 1 || first.count != FaultRule::kEvery) return false;
  if (!CoversSelectors(first, second)) return false;
  if (first.first_call == 1 && first.last_call == FaultRule::kEvery) return true;
  // Numbers are the same calls only where both count the same.
  return CoversSelectors(second, first) && first.first_call <= second.first_call &&
         first.last_call >= second.last_call;
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;  // The last * seen, and how far it reaches.
  size_t reach = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reach = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++reach;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Status CheckTogether(const FaultPlan& plan) {
  if (plan.size() > kFaultRulesMax) {
    return {ErrorCode::kUsage,
            fmt::format("{} fault rules are more than {}", plan.size(), kFaultRulesMax)};
  }
  for (size_t second = 1; second < plan.size(); ++second) {
    for (size_t first = 0; first < second; ++first) {
      if (!TakesAll(plan[first], plan[second])) continue;
      return {ErrorCode::kUsage,
              fmt::format("{}: can never strike: {} stands before it and takes all its {}",
                          plan[second].where, plan[first].where,
                          plan[second].kind == v1::FAULT_KIND_SERVER_CRASH ? "servers" : "calls")};
    }
  }
  return {};
}

}  // namespace dstap::proxy
