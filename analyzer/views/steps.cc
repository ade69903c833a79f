#include "analyzer/views/steps.h"

#include <algorithm>
#include <array>
#include <bit>

namespace dstap::analyzer {
namespace {

std::optional<TimeRange> RangeOf(std::vector<Time> times) {
  if (times.empty()) return std::nullopt;
  std::ranges::sort(times);
  const Time upper = times[times.size() / 2];
  const Time lower = times[(times.size() - 1) / 2];
  return TimeRange{.median = lower + (upper - lower) / 2,
                   .min = times.front(),
                   .max = times.back(),
                   .count = times.size()};
}

void Widen(Range& range, uint64_t value, bool is_first) {
  range.min = is_first ? value : std::min(range.min, value);
  range.max = is_first ? value : std::max(range.max, value);
}

void Widen(std::optional<Range>& range, Range other) {
  if (!range) range = other;
  *range = {std::min(range->min, other.min), std::max(range->max, other.max)};
}

bool HasFailed(const Call& call) {
  return call.outcome == Outcome::kDropped || call.outcome == Outcome::kRejected ||
         call.outcome == Outcome::kFailed;
}

bool HasCalls(const StepRow& row) {
  return !row.requests.empty() || !row.services.empty() || !row.unfinished_requests.empty();
}

// A row for each step and subject; only pairs of one step are compared.
void FindTies(StepsTable& table) {
  for (const std::string& name : table.step_names) {
    std::vector<std::pair<size_t, StepRow*>> rows;
    for (size_t i = 0; i < table.subjects.size(); ++i) {
      for (StepRow& row : table.subjects[i].steps) {
        if (row.name == name && row.seconds) rows.emplace_back(i, &row);
      }
    }
    for (const auto& [index, row] : rows) {
      for (const auto& [other_index, other] : rows) {
        const Time apart = row->seconds->median - other->seconds->median;
        if (index != other_index && std::chrono::abs(apart) <= kTieWithin) {
          row->tie.push_back(other_index);
        }
      }
    }
  }
}

}  // namespace

bool StepRow::is_same_in_every_sample() const {
  const auto is_one = [](const NamedRange& named) { return named.range.min == named.range.max; };
  return std::ranges::all_of(requests, is_one) && std::ranges::all_of(services, is_one);
}

const SubjectRows* FindSubject(const StepsTable& table, const SubjectId& id) {
  for (const SubjectRows& rows : table.subjects) {
    if (rows.name == id.name && rows.version == id.version) return &rows;
  }
  return nullptr;
}

size_t StepsView::IndexOfStep(const std::string& name) {
  const auto [at, is_new] = step_index_.emplace(name, step_names_.size());
  if (is_new) step_names_.push_back(name);
  return at->second;
}

void StepsView::OnStepBegin(const Step& step) {
  IndexOfStep(step.name);
  if (live_.size() <= step.slot) live_.resize(step.slot + 1);
  live_[step.slot].Clear();
  if (open_.size() <= step.source->index) open_.resize(step.source->index + 1);
  std::vector<const Step*>& open = open_[step.source->index];
  std::erase_if(open, [](const Step* other) { return other->end.has_value(); });
  open.push_back(&step);
}

void StepsView::Sample::Clear() {
  columns = 0;
  calls = {};
  failed = {};
  local = {};
  failed_calls = 0;
  throttling = {};
  longest_queue = {};
  written_bytes.reset();
  budgets.Clear();
}

// A budget is the server's: it belongs to every step that is open there.
void StepsView::OnBudget(const BudgetReading& reading) {
  if (reading.source->index >= open_.size()) return;
  for (const Step* step : open_[reading.source->index]) {
    if (!step->end) live_[step->slot].budgets.Add(reading);
  }
}

void StepsView::OnCall(const Call& call, const Step* step) {
  if (step == nullptr) return;
  Sample& sample = live_[step->slot];
  ++sample.calls[ColumnOf(call)];
  sample.columns |= uint64_t{1} << ColumnOf(call);
  if (!IsDataStore(call.method)) return;
  if (HasFailed(call)) {
    ++sample.failed_calls;
    ++sample.failed[ColumnOf(call)];
  }
  const Stage stage = StageOf(call);
  if (stage == Stage::kLocal) ++sample.local[ColumnOf(call)];
  sample.throttling.Add(stage);
  if (call.written && call.outcome == Outcome::kOk) {
    Widen(sample.written_bytes, {call.written->bytes, call.written->bytes});
  }
  sample.longest_queue = std::max(sample.longest_queue, call.queued);
  sample.budgets.Add(call);
}

void StepsView::OnStepEnd(const Step& step) {
  std::erase(open_[step.source->index], &step);
  if (step.partial) return;
  const std::optional<Library>& library = step.source->library;
  Subject& subject = subjects_[SubjectOf(step)];
  if (library && library->is_model) subject.is_model = true;
  Sum& sum = subject.steps[IndexOfStep(step.name)];
  const Sample& sample = live_[step.slot];
  if (step.end) {
    AddEnded(step, sample, sum);
    return;
  }
  ++sum.unfinished;
  for (size_t i = 0; i < kMethodColumns; ++i) sum.unfinished_calls[i] += sample.calls[i];
}

void StepsView::AddEnded(const Step& step, const Sample& sample, Sum& sum) {
  const bool is_first = sum.samples == 0;
  ++sum.samples;
  if (!step.ok) ++sum.failed;
  static_assert(kMethodColumns <= 64);
  sum.columns |= sample.columns;
  for (uint64_t columns = sum.columns; columns != 0; columns &= columns - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(columns));
    Widen(sum.calls[i], sample.calls[i], is_first);
    Widen(sum.failed_by_method[i], sample.failed[i], is_first);
    Widen(sum.local[i], sample.local[i], is_first);
  }
  Widen(sum.failed_calls, sample.failed_calls, is_first);
  if (sample.written_bytes) Widen(sum.written_bytes, *sample.written_bytes);
  if (step.ok && !step.expected.empty()) {
    ++sum.last_save.samples;
    if (step.observed == step.expected) ++sum.last_save.seen;
  }
  sum.throttling += sample.throttling;
  sum.longest_queue = std::max(sum.longest_queue, sample.longest_queue);
  for (const BudgetSeen& seen : sample.budgets.seen()) {
    const auto [at, is_new] =
        sum.budgets.try_emplace(seen.type, BudgetRange{.type = seen.type, .lowest = seen.lowest});
    Widen(at->second.first, seen.first, is_new);
    Widen(at->second.last, seen.last, is_new);
    at->second.lowest = std::min(at->second.lowest, seen.lowest);
  }
  if (*step.end >= step.begin) {
    (step.ok ? sum.times : sum.failed_times).push_back(*step.end - step.begin);
  }
  if (step.observed.empty()) return;
  if (const auto seen = sum.values_seen.find(step.observed); seen != sum.values_seen.end()) {
    ++seen->second;
  } else if (sum.values_seen.size() < kValuesSeenMax) {
    sum.values_seen.emplace(step.observed, 1);
  } else {
    ++sum.values_other;
  }
}

StepRow StepsView::RowOf(std::string name, const Sum& sum) {
  StepRow row;
  row.name = std::move(name);
  row.samples = sum.samples;
  row.failed = sum.failed;
  for (const size_t column : kColumnOrder) {
    const std::string_view column_name = NameOfColumn(column);
    if (sum.calls[column].max > 0) {
      (IsDataStoreColumn(column) ? row.requests : row.services)
          .push_back({column_name, sum.calls[column]});
    }
    if (sum.failed_by_method[column].max > 0) {
      row.failed_requests.push_back({column_name, sum.failed_by_method[column]});
    }
    if (sum.local[column].max > 0) row.local_requests.push_back({column_name, sum.local[column]});
    if (sum.unfinished_calls[column] > 0) {
      row.unfinished_requests.push_back({column_name, sum.unfinished_calls[column]});
    }
  }
  row.failed_calls = sum.failed_calls;
  row.seconds = RangeOf(sum.times);
  row.failed_seconds = RangeOf(sum.failed_times);
  row.values_seen.assign(sum.values_seen.begin(), sum.values_seen.end());
  row.values_other = sum.values_other;
  row.last_save = sum.last_save;
  row.written_bytes = sum.written_bytes;
  row.throttling = sum.throttling;
  if (sum.throttling.queued > 0 || sum.longest_queue > Time{}) {
    row.longest_queue = sum.longest_queue;
  }
  for (const auto& [type, budget] : sum.budgets) row.budgets.push_back(budget);
  row.unfinished = sum.unfinished;
  return row;
}

StepsTable StepsView::Table(bool only_with_calls) const {
  StepsTable table;
  table.step_names = step_names_;
  std::map<std::string, int> versions;
  for (const auto& [id, subject] : subjects_) ++versions[id.name];
  for (const auto& [id, subject] : subjects_) {
    SubjectRows& rows = table.subjects.emplace_back();
    rows.name = id.name;
    rows.version = id.version;
    rows.label = versions[rows.name] == 1 || rows.version.empty() ? rows.name
                                                                  : rows.name + " " + rows.version;
    rows.is_model = subject.is_model;
    for (const auto& [step, sum] : subject.steps) {
      StepRow row = RowOf(step_names_[step], sum);
      if (only_with_calls && !HasCalls(row)) {
        ++table.left_out;
        continue;
      }
      rows.steps.push_back(std::move(row));
    }
  }
  FindTies(table);
  return table;
}

}  // namespace dstap::analyzer
