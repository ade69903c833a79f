#include "analyzer/views/retry_chain.h"

#include <algorithm>
#include <limits>

#include "analyzer/views/method_counts.h"
#include "analyzer/views/steps.h"

namespace dstap::analyzer {
namespace {

bool WasAnswered(Outcome outcome) {
  return outcome == Outcome::kOk || outcome == Outcome::kCancelled || outcome == Outcome::kFailed;
}

void KeepLeast(std::optional<uint64_t> seen, std::optional<uint32_t>& least) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  if (!seen) return;
  const auto value = static_cast<uint32_t>(std::min(*seen, kMost));
  least = least ? std::min(*least, value) : value;
}

BudgetSign BudgetSignOf(const Attempt& before, const Attempt& attempt) {
  if (!before.budget_after || !attempt.budget_before) return BudgetSign::kNotKnown;
  const bool opened =
      *before.budget_after == 0 && *attempt.budget_before == 1 && attempt.queued == Time{};
  return opened ? BudgetSign::kOpened : BudgetSign::kDidNotWait;
}

bool AreClose(Time a, Time b) { return std::chrono::abs(a - b) <= kTieWithin; }

}  // namespace

Attempt AttemptOf(const Call& call) {
  Attempt attempt{.call = call.id,
                  .column = ColumnOf(call),
                  .issued = call.issued,
                  .completed = call.completed,
                  .queued = call.queued,
                  .served_by = call.served_by,
                  .outcome = call.outcome};
  for (const BudgetUse& budget : call.budgets) {
    if (budget.type == RequestType::kUnknown) continue;
    attempt.units += budget.taken;
    KeepLeast(budget.before, attempt.budget_before);
    KeepLeast(budget.after, attempt.budget_after);
  }
  return attempt;
}

void RetryChain::Add(const Attempt& attempt, bool must_stay_small) {
  ++tries_;
  units_ += attempt.units;
  ++outcomes_[static_cast<size_t>(attempt.outcome)];
  if (WasAnswered(attempt.outcome)) ++answered_by_[static_cast<size_t>(attempt.served_by)];
  // Calls come in the order of their answers, so the place is nearly always the end.
  auto place = attempts_.end();
  const auto is_later = [&attempt](const Attempt& other) {
    return other.issued != attempt.issued ? other.issued > attempt.issued
                                          : other.call > attempt.call;
  };
  while (place != attempts_.begin() && is_later(*std::prev(place))) --place;
  if (gap_ > static_cast<size_t>(place - attempts_.begin())) ++gap_;
  attempts_.insert(place, attempt);
  const size_t kept = attempts_.size();
  if (kept <= kAttemptsKeptMax && (!must_stay_small || kept <= 2)) return;
  if (gap_ == 0) gap_ = std::min(kAttemptsKeptMax / 2, kept - 2);
  attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(gap_));
}

void RetryChain::Clear() {
  tries_ = 0;
  attempts_.clear();
  gap_ = 0;
  units_ = 0;
  outcomes_ = {};
  answered_by_ = {};
}

std::optional<Time> RetryChain::WaitBefore(size_t attempt) const {
  if (attempt == 0 || attempt == gap_) return std::nullopt;
  if (!attempts_[attempt - 1].completed) return std::nullopt;
  return attempts_[attempt].issued - *attempts_[attempt - 1].completed;
}

void AppendGaps(const RetryChain& chain, std::vector<Gap>& gaps) {
  uint32_t place_of_cause = 0;
  for (size_t i = 1; i < chain.attempts().size(); ++i) {
    const Attempt& before = chain.attempts()[i - 1];
    const bool goes_on = i > 1 && before.outcome == chain.attempts()[i - 2].outcome;
    place_of_cause = goes_on ? place_of_cause + 1 : 1;
    // Behind the ones that are left out no place is known.
    if (i > kPlaceFittedMax || (chain.left_out() > 0 && i >= chain.left_out_before())) return;
    gaps.push_back({.from_start = chain.attempts()[i].issued - before.issued,
                    .from_answer = chain.WaitBefore(i),
                    .place = static_cast<uint32_t>(i),
                    .cause = static_cast<uint8_t>(before.outcome),
                    .place_of_cause = place_of_cause,
                    .budget = BudgetSignOf(before, chain.attempts()[i])});
  }
}

ChainEnd EndOf(const RetryChain& chain, const Step& step) {
  if (!step.end) return ChainEnd::kStepNotEnded;
  switch (chain.attempts().back().outcome) {
    case Outcome::kUnknown:
    case Outcome::kInFlight:
      return ChainEnd::kNoAnswer;
    case Outcome::kOk:
    case Outcome::kCancelled:
      return step.ok ? ChainEnd::kSucceeded : ChainEnd::kGaveUp;
    case Outcome::kDropped:
    case Outcome::kRejected:
    case Outcome::kFailed:
      return ChainEnd::kGaveUp;
  }
  return ChainEnd::kNoAnswer;
}

bool HaveSameSchedule(const RetryChain& a, const RetryChain& b) {
  const size_t kept = a.attempts().size();
  if (a.tries() != b.tries() || kept != b.attempts().size()) return false;
  if (a.outcomes() != b.outcomes() || a.answered_by() != b.answered_by()) return false;
  for (size_t i = 0; i < kept; ++i) {
    const Attempt& of_a = a.attempts()[i];
    const Attempt& of_b = b.attempts()[i];
    if (of_a.column != of_b.column || of_a.outcome != of_b.outcome ||
        of_a.served_by != of_b.served_by) {
      return false;
    }
    if (i == 0) continue;
    const Time gap_of_a = of_a.issued - a.attempts()[i - 1].issued;
    const Time gap_of_b = of_b.issued - b.attempts()[i - 1].issued;
    if (AreClose(gap_of_a, gap_of_b)) continue;
    const std::optional<Time> wait_of_a = a.WaitBefore(i);
    const std::optional<Time> wait_of_b = b.WaitBefore(i);
    if (!wait_of_a || !wait_of_b || !AreClose(*wait_of_a, *wait_of_b)) return false;
  }
  return true;
}

}  // namespace dstap::analyzer
