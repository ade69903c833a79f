#include "proxy/backend/faults/fault_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace dstap::proxy {
namespace {

using Pattern = std::optional<std::string>;

bool Covers(const Pattern& wide, const Pattern& narrow) { return !wide || wide == narrow; }

bool Covers(const std::vector<v1::Method>& wide, const std::vector<v1::Method>& narrow) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::ranges::all_of(narrow, [&](v1::Method method) {
    return std::ranges::find(wide, method) != wide.end();
  });
}

bool CoversSelectors(const FaultRule& wide, const FaultRule& narrow) {
  return Covers(wide.methods, narrow.methods) && Covers(wide.step, narrow.step) &&
         Covers(wide.store, narrow.store) && Covers(wide.key, narrow.key) &&
         Covers(wide.server, narrow.server) && wide.from <= narrow.from &&
         wide.until >= narrow.until;
}

// Whether `first` takes every call that `second`, which stands behind it, could have.
bool TakesAll(const FaultRule& first, const FaultRule& second) {
  const auto is_of_a_server = [](const FaultRule& rule) {
    return rule.kind == v1::FAULT_KIND_SERVER_CRASH;
  };
  if (is_of_a_server(first) || is_of_a_server(second)) return false;
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
              fmt::format("{}: can never strike: {} stands before it and takes all its calls",
                          plan[second].where, plan[first].where)};
    }
  }
  return {};
}

}  // namespace dstap::proxy
