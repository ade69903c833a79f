#include "analyzer/diff/diff.h"

#include <algorithm>
#include <iterator>

#include "analyzer/views/method_counts.h"

namespace dstap::analyzer {
namespace {

const StepRow* RowOf(const SubjectRows* subject, const std::string& step) {
  if (subject == nullptr) return nullptr;
  const auto found = std::ranges::find(subject->steps, step, &StepRow::name);
  return found == subject->steps.end() ? nullptr : &*found;
}

const RetryRow* RetriesOf(const Retries& retries, const SubjectRows* subject,
                          const std::string& step) {
  if (subject == nullptr) return nullptr;
  const auto found = std::ranges::find_if(retries, [&](const RetryRow& row) {
    return row.step == step && row.subject == SubjectId{subject->name, subject->version};
  });
  return found == retries.end() ? nullptr : &*found;
}

Range RangeOf(const std::vector<NamedRange>& ranges, std::string_view method) {
  const auto found = std::ranges::find(ranges, method, &NamedRange::name);
  return found == ranges.end() ? Range{} : found->range;
}

std::vector<RequestChange> Changes(const std::vector<NamedRange>& before,
                                   const std::vector<NamedRange>& after) {
  std::vector<RequestChange> changes;
  for (const size_t column : kColumnOrder) {
    const std::string_view name = NameOfColumn(column);
    const RequestChange change{name, RangeOf(before, name), RangeOf(after, name)};
    if (change.before != change.after) changes.push_back(change);
  }
  return changes;
}

bool IsTroubled(const StepRow& row) { return row.failed > 0 || row.unfinished > 0; }

bool HaveSameValues(const StepRow& before, const StepRow& after) {
  return std::ranges::equal(
      before.values_seen, after.values_seen, {}, [](const auto& seen) { return seen.first; },
      [](const auto& seen) { return seen.first; });
}

// How often each schedule came is not compared: that depends on the number of samples.
bool HasAllSchedulesOf(const RetryRow& row, const RetryRow& other) {
  return std::ranges::all_of(other.schedules, [&row](const RetrySchedule& wanted) {
    return std::ranges::any_of(row.schedules, [&wanted](const RetrySchedule& schedule) {
      return schedule.end == wanted.end && HaveSameSchedule(schedule.example, wanted.example);
    });
  });
}

bool HaveSameRetries(const RetryRow* before, const RetryRow* after) {
  if (before == nullptr || after == nullptr) return before == after;
  return (before->other_chains > 0) == (after->other_chains > 0) &&
         HasAllSchedulesOf(*before, *after) && HasAllSchedulesOf(*after, *before);
}

void Compare(StepDiff& step) {
  const auto set = [&step](DiffKind kind, bool differs) {
    step.differs[static_cast<size_t>(kind)] = differs;
  };
  if (step.before == nullptr || step.after == nullptr) return set(DiffKind::kSteps, true);
  const StepRow& before = *step.before;
  const StepRow& after = *step.after;
  set(DiffKind::kSteps, IsTroubled(before) != IsTroubled(after));
  if (!step.is_compared()) return;
  set(DiffKind::kRetries, !HaveSameRetries(step.retries_before, step.retries_after));
  step.requests = Changes(before.requests, after.requests);
  std::ranges::copy(Changes(before.services, after.services), std::back_inserter(step.requests));
  step.failed = Changes(before.failed_requests, after.failed_requests);
  set(DiffKind::kRequests, !step.requests.empty() || !step.failed.empty());
  set(DiffKind::kValues, !HaveSameValues(before, after));
  set(DiffKind::kSizes, before.written_bytes != after.written_bytes);
}

// Of both sides, as they stand on the old one and then on the new one.
std::vector<std::string> StepNamesOf(const SubjectPair& pair) {
  std::vector<std::string> names;
  for (const SubjectRows* subject : {pair.before, pair.after}) {
    if (subject == nullptr) continue;
    for (const StepRow& row : subject->steps) {
      if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
    }
  }
  return names;
}

}  // namespace

size_t Diff::Count(DiffKind kind) const {
  size_t count = 0;
  for (const SubjectDiff& subject : subjects) {
    for (const StepDiff& step : subject.steps) count += step.Differs(kind) ? 1 : 0;
  }
  return count;
}

size_t Diff::steps_compared() const {
  size_t count = 0;
  for (const SubjectDiff& subject : subjects) {
    for (const StepDiff& step : subject.steps) count += step.is_compared() ? 1 : 0;
  }
  return count;
}

bool Diff::has_differences() const {
  for (size_t kind = 0; kind < kDiffKinds.size(); ++kind) {
    if (Count(static_cast<DiffKind>(kind)) > 0) return true;
  }
  return false;
}

Diff DiffOf(const Report& before, const Report& after) {
  Diff diff;
  diff.conditions = DifferingConditions(before.overview, after.overview);
  for (const SubjectPair& pair : PairSubjects(before.steps, after.steps)) {
    SubjectDiff& subject = diff.subjects.emplace_back();
    subject.pair = pair;
    for (std::string& name : StepNamesOf(pair)) {
      StepDiff step;
      step.before = RowOf(pair.before, name);
      step.after = RowOf(pair.after, name);
      step.retries_before = RetriesOf(before.retries, pair.before, name);
      step.retries_after = RetriesOf(after.retries, pair.after, name);
      step.name = std::move(name);
      Compare(step);
      subject.steps.push_back(std::move(step));
    }
  }
  if (diff.steps_compared() == 0) {
    diff.verdict = Verdict::kNothingToCompare;
  } else if (std::ranges::any_of(diff.conditions, [](const Condition& condition) {
               return condition.may_change == Condition::MayChange::kCounts;
             })) {
    diff.verdict = Verdict::kWithReservations;
  }
  return diff;
}

}  // namespace dstap::analyzer
