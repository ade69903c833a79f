#include "proxy/backend/faults/fault_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/base/prng.h"

namespace dstap::proxy {
namespace {

// Keeps these draws apart from those of latencies, which come from the same seed.
constexpr uint64_t kFaultDraws = 0x6661'756C'7473;  // "faults"

bool Matches(const std::optional<std::string>& pattern, std::string_view text) {
  return !pattern || MatchesPattern(*pattern, text);
}

}  // namespace

FaultSelector::FaultSelector(FaultPlan plan, uint64_t seed)
    : plan_(std::move(plan)),
      seed_(Mix64(seed ^ kFaultDraws)),
      asks_for_steps_(
          std::ranges::any_of(plan_, [](const FaultRule& rule) { return rule.step.has_value(); })),
      progress_(plan_.size()) {}

void FaultSelector::NameSource(SourceId source, std::string_view name) {
  names_[source] = name;
  for (size_t i = 0; i < plan_.size(); ++i) {
    if (Matches(plan_[i].server, name)) progress_[i].server_came = true;
  }
}

void FaultSelector::BeginStep(const v1::StepBegin& step) {
  steps_.Begin(step);
  for (size_t i = 0; i < plan_.size(); ++i) {
    if (Matches(plan_[i].step, step.name())) progress_[i].step_began = true;
  }
}

std::vector<std::string> FaultSelector::NeverStruck() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < plan_.size(); ++i) {
    const FaultRule& rule = plan_[i];
    const Progress& progress = progress_[i];
    if (progress.struck > 0 || (!rule.step && !rule.server)) continue;
    std::string why = progress.seen > 0 ? "none of its calls had its number or its chance"
                                        : "there was no call for it";
    if (rule.step && !progress.step_began) why = fmt::format("no step was called {}", *rule.step);
    if (rule.server && !progress.server_came) {
      why = fmt::format("no server was called {}", *rule.server);
    } else if (rule.kind == v1::FAULT_KIND_SERVER_CRASH) {
      why = "the run was over, or the server had crashed, before its instant";
    }
    lines.push_back(fmt::format("{} never struck: {}", rule.where, why));
  }
  return lines;
}

const FaultRule* FaultSelector::Select(CallId call, Time now, const Request& request) {
  const std::string_view step = asks_for_steps_ ? steps_.NameFor(request) : std::string_view();
  const FaultRule* chosen = nullptr;
  for (size_t i = 0; i < plan_.size(); ++i) {
    const FaultRule& rule = plan_[i];
    if (!Selects(rule, now, request, step)) continue;
    Progress& progress = progress_[i];
    const uint64_t number = ++progress.seen;
    if (chosen != nullptr || number < rule.first_call || number > rule.last_call) continue;
    if (progress.struck == rule.count || !Draw(i, call)) continue;
    ++progress.struck;
    chosen = &rule;
  }
  return chosen;
}

bool FaultSelector::Selects(const FaultRule& rule, Time now, const Request& request,
                            std::string_view step) const {
  if (rule.kind == v1::FAULT_KIND_SERVER_CRASH) return false;
  if (now < rule.from || now >= rule.until) return false;
  if (!rule.methods.empty() &&
      std::ranges::find(rule.methods, request.method) == rule.methods.end()) {
    return false;
  }
  if (rule.step && step.empty()) return false;
  return Matches(rule.step, step) && Matches(rule.store, request.store.name) &&
         Matches(rule.key, request.key) && IsAbout(rule, request.source);
}

bool FaultSelector::IsAbout(const FaultRule& rule, SourceId source) const {
  if (!rule.server) return true;
  const auto found = names_.find(source);
  return MatchesPattern(*rule.server, found == names_.end() ? "" : found->second);
}

bool FaultSelector::Draw(size_t rule, CallId call) const {
  const double probability = plan_[rule].probability;
  return probability >= 1 || Prng(Mix64(Mix64(seed_ ^ rule) ^ call)).Unit() < probability;
}

}  // namespace dstap::proxy
