#include "analyzer/contracts/contract_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/contracts/order.h"
#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/retry_identity.h"
#include "analyzer/views/steps.h"
#include "proto/filter/glob.h"

namespace dstap::analyzer {
namespace {

constexpr Time kMinute{60'000'000'000};
constexpr size_t kKindsShown = 8;

filter::Glob PatternOf(std::string_view text) {
  std::vector<bool> is_wild(text.size());
  for (size_t i = 0; i < text.size(); ++i) is_wild[i] = text[i] == '*' || text[i] == '?';
  return {text, is_wild};
}

std::string RequestsText(const MethodCounts& counts) {
  std::vector<NamedRange> requests;
  for (const size_t column : kColumnOrder) {
    if (!IsDataStoreColumn(column) || counts[column] == 0) continue;
    requests.push_back({NameOfColumn(column), {counts[column], counts[column]}});
  }
  return FormatRequests(requests);
}

}  // namespace

uint64_t ContractChecked::samples() const {
  uint64_t sum = 0;
  for (const StepCheck& step : steps) sum += step.samples;
  return sum;
}

bool ContractChecked::is_broken() const {
  return !everywhere.breaches.empty() ||
         std::ranges::any_of(steps, [](const StepCheck& step) { return step.broken > 0; });
}

// Holds one ended sample against its step's contract.
class ContractCheck::Judge {
 public:
  Judge(ContractCheck& check, const Step& step, Sample& sample)
      : check_(check),
        step_(step),
        sample_(sample),
        promised_(check.contract_.steps[*sample.contract]),
        into_(check.checked_.steps[*sample.contract]) {}

  void Run();

 private:
  void Break(std::string_view promise, std::string expected, std::string seen,
             std::vector<uint64_t> calls);
  void Result();
  void Requests();
  void Order();
  void Tries();
  void Times();
  void Budget();
  void Never();
  // Between tries of one key that follow each other; `from` is the time that it counts from.
  void Between(std::string_view promise, const Bounds& bounds, const SeenCall& before,
               const SeenCall& call, std::optional<Time> from);

  std::vector<uint64_t> CallsOf(auto predicate) const {
    std::vector<uint64_t> ids;
    for (const SeenCall& call : sample_.calls) {
      if (predicate(call)) ids.push_back(call.id);
    }
    return ids;
  }

  ContractCheck& check_;
  const Step& step_;
  Sample& sample_;
  const StepContract& promised_;
  StepCheck& into_;
  bool is_broken_ = false;
};

void ContractCheck::Judge::Break(std::string_view promise, std::string expected, std::string seen,
                                 std::vector<uint64_t> calls) {
  is_broken_ = true;
  Breach breach{.promise = std::string(promise),
                .expected = std::move(expected),
                .seen = std::move(seen),
                .samples = 1,
                .file = check_.file_,
                .recording = check_.recording_,
                .source = step_.source->id,
                .sample = step_.sample,
                .subject = SubjectOf(step_)};
  breach.more_calls = calls.size() - std::min(calls.size(), kCallsNamedMax);
  calls.resize(calls.size() - breach.more_calls);
  breach.calls = std::move(calls);
  check_.Add(breach, into_);
}

void ContractCheck::Judge::Run() {
  ++into_.samples;
  std::ranges::sort(sample_.calls, {},
                    [](const SeenCall& call) { return std::pair(call.issued, call.id); });
  Result();
  Requests();
  if (sample_.calls_left_out == 0) {
    Order();
    Tries();
  } else if (!promised_.order.empty() || promised_.tries || promised_.gap || promised_.wait) {
    ++into_.too_long;
  }
  Times();
  Budget();
  Never();
  if (is_broken_) ++into_.broken;
}

void ContractCheck::Judge::Result() {
  if (promised_.ends_well && *promised_.ends_well != step_.ok) {
    Break("result", *promised_.ends_well ? "ok" : "failed",
          step_.ok ? "ok" : "failed: " + ShortText(step_.text), {});
  }
  if (promised_.sees_last_save && step_.ok && !step_.expected.empty() &&
      step_.expected != step_.observed) {
    Break("last_save", ShortText(step_.expected), ShortText(step_.observed), {});
  }
}

void ContractCheck::Judge::Requests() {
  uint64_t total = 0;
  for (const size_t column : kColumnOrder) {
    const uint64_t count = sample_.counts[column];
    if (IsDataStoreColumn(column)) total += count;
    if (!promised_.requests) continue;
    const auto promise = std::ranges::find(*promised_.requests, column, &RequestPromise::column);
    const bool is_named = promise != promised_.requests->end();
    if (!is_named && !IsDataStoreColumn(column)) continue;
    const Bounds allowed = is_named ? promise->count : Bounds{.min = 0, .max = 0};
    if (allowed.Has(count)) continue;
    const std::string_view label = MethodLabel(NameOfColumn(column));
    Break("requests", fmt::format("{} {}", ShowBounds(allowed, BoundsUnit::kCount), label),
          fmt::format("{} {}", count, label),
          CallsOf([&](const SeenCall& call) { return call.column == column; }));
  }
  if (promised_.total && !promised_.total->Has(total)) {
    Break("total", ShowBounds(*promised_.total, BoundsUnit::kCount) + " requests",
          RequestsText(sample_.counts),
          CallsOf([](const SeenCall& call) { return IsDataStoreColumn(call.column); }));
  }
}

void ContractCheck::Judge::Order() {
  if (promised_.order.empty()) return;
  std::vector<size_t> columns;
  std::vector<uint64_t> ids;
  for (const SeenCall& call : sample_.calls) {
    if (!IsDataStoreColumn(call.column)) continue;
    columns.push_back(call.column);
    ids.push_back(call.id);
  }
  const std::optional<size_t> left = LeavesOrder(promised_.order, columns);
  if (!left) return;
  std::string seen = ShowColumns(columns, kKindsShown);
  if (*left < columns.size()) {
    seen += fmt::format("; call {} is out of order", ids[*left]);
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(*left));
  } else {
    seen += "; then nothing more";
  }
  Break("order", ShowOrder(promised_.order), std::move(seen), std::move(ids));
}

void ContractCheck::Judge::Between(std::string_view promise, const Bounds& bounds,
                                   const SeenCall& before, const SeenCall& call,
                                   std::optional<Time> from) {
  if (!from) return;  // It had no answer: there is no wait to measure.
  const Time passed = call.issued - *from;
  if (passed.count() >= 0 && bounds.Has(static_cast<uint64_t>(passed.count()))) return;
  Break(promise, ShowBounds(bounds, BoundsUnit::kTime), FormatShortSeconds(passed) + " s",
        {before.id, call.id});
}

void ContractCheck::Judge::Tries() {
  if (!promised_.tries && !promised_.gap && !promised_.wait) return;
  std::map<std::string_view, std::vector<const SeenCall*>> chains;
  for (const SeenCall& call : sample_.calls) {
    if (!call.what.empty()) chains[call.what].push_back(&call);
  }
  // By their first tries.
  std::vector<const std::vector<const SeenCall*>*> in_order;
  for (const auto& [what, chain] : chains) in_order.push_back(&chain);
  std::ranges::sort(in_order, {}, [](const auto* chain) {
    return std::pair(chain->front()->issued, chain->front()->id);
  });
  for (const auto* chain : in_order) {
    if (promised_.tries && !promised_.tries->Has(chain->size())) {
      std::vector<uint64_t> ids;
      for (const SeenCall* call : *chain) ids.push_back(call->id);
      Break("tries", ShowBounds(*promised_.tries, BoundsUnit::kCount) + " of one key",
            fmt::format("{}", chain->size()), std::move(ids));
    }
    for (size_t i = 1; i < chain->size(); ++i) {
      const SeenCall& before = *(*chain)[i - 1];
      const SeenCall& call = *(*chain)[i];
      if (promised_.gap) Between("gap", *promised_.gap, before, call, before.issued);
      if (promised_.wait) Between("wait", *promised_.wait, before, call, before.completed);
    }
  }
}

void ContractCheck::Judge::Times() {
  const Time took = *step_.end - step_.begin;
  const auto judge = [&](std::string_view promise, const std::optional<Bounds>& bounds, Time time) {
    if (!bounds || bounds->Has(static_cast<uint64_t>(std::max<int64_t>(time.count(), 0)))) return;
    Break(promise, ShowBounds(*bounds, BoundsUnit::kTime), FormatShortSeconds(time) + " s", {});
  };
  judge("time", promised_.time, took);
  if (sample_.data) {
    judge("time_to_data", promised_.time_to_data, *sample_.data - step_.begin);
  } else if (promised_.time_to_data && promised_.time_to_data->max) {
    Break("time_to_data", ShowBounds(*promised_.time_to_data, BoundsUnit::kTime),
          "no value was read", {});
  }
}

void ContractCheck::Judge::Budget() {
  const auto taken = [&](RequestType type) {
    const auto found = sample_.taken.find(type);
    return found == sample_.taken.end() ? uint64_t{0} : found->second;
  };
  for (const BudgetPromise& promise : promised_.budget) {
    if (promise.amount.Has(taken(promise.type))) continue;
    Break("budget",
          fmt::format("{} of {}", ShowBounds(promise.amount, BoundsUnit::kCount),
                      NameOf(promise.type)),
          fmt::format("{}", taken(promise.type)), {});
  }
  for (const BudgetPromise& promise : promised_.budget_percent) {
    const uint64_t per_player = check_.PerPlayer(*step_.source, promise.type);
    if (per_player == 0) continue;  // The capture does not tell.
    // A step of less than a minute is judged as if it were its minute's only one.
    const Time time = std::max(*step_.end - step_.begin, kMinute);
    const double granted = static_cast<double>(per_player) * static_cast<double>(time.count()) /
                           static_cast<double>(kMinute.count());
    const auto percent =
        static_cast<uint64_t>(100.0 * static_cast<double>(taken(promise.type)) / granted + 0.5);
    if (promise.amount.Has(percent)) continue;
    Break("budget_percent",
          fmt::format("{} of one player's {}", ShowBounds(promise.amount, BoundsUnit::kPercent),
                      NameOf(promise.type)),
          fmt::format("{} %: {} of {:.1f}", percent, taken(promise.type), granted), {});
  }
}

void ContractCheck::Judge::Never() {
  for (auto& [rule, calls] : sample_.never) {
    const NeverRule& never = check_.contract_.never[rule];
    const size_t count = calls.size();
    Break("never",
          "no " + never.calls.text() +
              (never.because.empty() ? "" : fmt::format(" ({})", never.because)),
          fmt::format("{} call{}", count, count == 1 ? "" : "s"), std::move(calls));
  }
}

ContractCheck::ContractCheck(const Contract& contract) : contract_(contract) {
  checked_.contract = contract.name;
  checked_.library = contract.library;
  for (const StepContract& step : contract.steps) {
    step_index_.emplace(step.name, checked_.steps.size());
    checked_.steps.push_back({.name = step.name});
  }
}

std::vector<const filter::Filter*> ContractCheck::Watches(const Contract& contract) {
  std::vector<const filter::Filter*> filters;
  for (const NeverRule& never : contract.never) filters.push_back(&never.calls);
  return filters;
}

bool ContractCheck::IsAbout(const SubjectId& subject) {
  const auto [at, is_new] = is_about_.try_emplace(subject, true);
  if (is_new && !contract_.library.empty()) {
    const bool has_version = contract_.library.find('@') != std::string::npos;
    at->second = PatternOf(contract_.library)
                     .Matches(has_version ? subject.name + "@" + subject.version : subject.name);
  }
  return at->second;
}

void ContractCheck::Add(const Breach& breach, StepCheck& into) const {
  const auto same = std::ranges::find_if(into.breaches, [&](const Breach& known) {
    return known.promise == breach.promise && known.expected == breach.expected &&
           known.seen == breach.seen;
  });
  if (same != into.breaches.end()) {
    ++same->samples;
  } else if (into.breaches.size() < kBreachesMax) {
    into.breaches.push_back(breach);
  } else {
    ++into.other_breaches;
  }
}

void ContractCheck::OnRecordingBegin(const Recording& recording) {
  file_ = recording.file;
  recording_ = recording.number;
  per_player_.clear();
}

void ContractCheck::OnLimits(const LimitsInForce& limits) {
  const size_t index = limits.source->index;
  if (per_player_.size() <= index) per_player_.resize(index + 1);
  for (const Limit& limit : limits.limits) per_player_[index][limit.type] = limit.per_player;
}

uint64_t ContractCheck::PerPlayer(const Source& source, RequestType type) const {
  if (source.index >= per_player_.size()) return 0;
  const auto found = per_player_[source.index].find(type);
  return found == per_player_[source.index].end() ? 0 : found->second;
}

void ContractCheck::OnStepBegin(const Step& step) {
  if (live_.size() <= step.slot) live_.resize(step.slot + 1);
  Sample& sample = live_[step.slot];
  sample = {};
  if (!IsAbout(SubjectOf(step))) return;
  const auto found = step_index_.find(step.name);
  if (found == step_index_.end()) {
    steps_not_promised_.insert(step.name);
  } else {
    sample.contract = found->second;
  }
}

void ContractCheck::OnCall(const Call& call, const Step* step) {
  if (step == nullptr || !IsAbout(SubjectOf(*step))) return;
  ++checked_.calls;
  Sample& sample = live_[step->slot];
  if (!sample.contract) return;
  const size_t column = ColumnOf(call);
  ++sample.counts[column];
  for (const BudgetUse& use : call.budgets) {
    if (use.taken > 0) sample.taken[use.type] += use.taken;
  }
  if (call.outcome == Outcome::kOk && call.read && call.completed) {
    sample.data = std::min(sample.data.value_or(*call.completed), *call.completed);
  }
  if (sample.calls.size() >= kCallsOfSampleMax) {
    ++sample.calls_left_out;
    return;
  }
  SeenCall& seen = sample.calls.emplace_back(SeenCall{
      .id = call.id, .column = column, .issued = call.issued, .completed = call.completed});
  if (IsTriedAgain(call.method)) IdentityOf(call, seen.what);
}

void ContractCheck::OnMatch(size_t watch, const Call& call, const Step* step) {
  const NeverRule& rule = contract_.never[watch];
  if (rule.step) {
    if (step == nullptr || live_[step->slot].contract != rule.step) return;
    auto& never = live_[step->slot].never;
    const auto found = std::ranges::find(never, watch, &decltype(Sample::never)::value_type::first);
    (found != never.end() ? *found : never.emplace_back(watch, std::vector<uint64_t>()))
        .second.push_back(call.id);
    return;
  }
  const SubjectId subject =
      step != nullptr ? SubjectOf(*step) : SubjectOf(Step{.source = call.source});
  if (!IsAbout(subject)) return;
  const std::string expected =
      "no " + rule.calls.text() + (rule.because.empty() ? "" : fmt::format(" ({})", rule.because));
  const auto known = std::ranges::find(checked_.everywhere.breaches, expected, &Breach::expected);
  if (known != checked_.everywhere.breaches.end()) {
    ++known->samples;
    if (known->file != file_ || known->recording != recording_) return;
    if (known->calls.size() < kCallsNamedMax) {
      known->calls.push_back(call.id);
    } else {
      ++known->more_calls;
    }
    return;
  }
  checked_.everywhere.breaches.push_back({.promise = "never",
                                          .expected = expected,
                                          .seen = "",
                                          .samples = 1,
                                          .file = file_,
                                          .recording = recording_,
                                          .source = call.source->id,
                                          .sample = step == nullptr ? 0 : step->sample,
                                          .subject = subject,
                                          .calls = {call.id}});
}

void ContractCheck::OnStepEnd(const Step& step) {
  Sample& sample = live_[step.slot];
  if (sample.contract) {
    if (step.end && !step.partial) {
      Judge(*this, step, sample).Run();
    } else {
      ++checked_.steps[*sample.contract].unfinished;
    }
  }
  sample = {};
}

ContractChecked ContractCheck::Take() {
  for (Breach& breach : checked_.everywhere.breaches) {
    breach.seen = fmt::format("{} call{}", breach.samples, breach.samples == 1 ? "" : "s");
  }
  checked_.steps_not_promised.assign(steps_not_promised_.begin(), steps_not_promised_.end());
  for (const auto& [subject, is_about] : is_about_) {
    if (is_about) continue;
    checked_.others.push_back(subject.version.empty() ? subject.name
                                                      : subject.name + "@" + subject.version);
  }
  return std::move(checked_);
}

}  // namespace dstap::analyzer
