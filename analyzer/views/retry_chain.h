// Tries of one thing: what a source sent more than once for one key within a step. A capture tells
// that a call was repeated, never why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/retry_policy/fit_policy.h"
#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// Of a longer chain the first and the last are kept, half each; the others are counted.
inline constexpr size_t kAttemptsKeptMax = 128;

struct Attempt {
  uint64_t call = 0;  // Its id in the recording.
  size_t column = 0;  // Its method, as method_counts.h counts it.
  Time issued{};
  std::optional<Time> completed;
  Time queued{};
  ServedBy served_by = ServedBy::kUnknown;
  Outcome outcome = Outcome::kUnknown;
  uint32_t units = 0;  // Of budgets, taken by it.
  // The least that was visible of a budget it spends, at its issue and at its answer.
  std::optional<uint32_t> budget_before = {};
  std::optional<uint32_t> budget_after = {};
};

Attempt AttemptOf(const Call& call);

enum class ChainEnd : uint8_t {
  kSucceeded,     // The last try was answered well, and the step too.
  kGaveUp,        // No more tries, although the last one or the step failed.
  kNoAnswer,      // What became of the last try is not known.
  kStepNotEnded,  // More tries may have come.
};

// Limits: kAttemptsKeptMax attempts.
class RetryChain {
 public:
  // In any order of arrival; attempts are kept in the order in which they were issued. With
  // `must_stay_small` one that is neither the first nor the last makes room for another.
  void Add(const Attempt& attempt, bool must_stay_small = false);
  // As new, with its memory.
  void Clear();

  uint64_t tries() const { return tries_; }
  const std::vector<Attempt>& attempts() const { return attempts_; }
  // Tries that are not among attempts(): they were issued before the one at left_out_before().
  uint64_t left_out() const { return tries_ - attempts_.size(); }
  size_t left_out_before() const { return gap_; }
  // Of all tries. By Outcome; and by ServedBy of those that were answered, well or not.
  const std::array<uint64_t, 7>& outcomes() const { return outcomes_; }
  const std::array<uint64_t, 3>& answered_by() const { return answered_by_; }
  // Units of budgets that all tries have taken.
  uint64_t units() const { return units_; }

  // From the first try.
  Time At(size_t attempt) const { return attempts_[attempt].issued - attempts_.front().issued; }
  // From the answer to the try before; negative: it left while that one was open. Absent for the
  // first, when there was no answer, and when the try before is left out.
  std::optional<Time> WaitBefore(size_t attempt) const;

 private:
  uint64_t tries_ = 0;
  std::vector<Attempt> attempts_;
  size_t gap_ = 0;  // 0: nothing is left out.
  uint64_t units_ = 0;
  std::array<uint64_t, 7> outcomes_{};
  std::array<uint64_t, 3> answered_by_{};
};

// What is between its tries, as far as kPlaceFittedMax.
void AppendGaps(const RetryChain& chain, std::vector<Gap>& gaps);

// How a chain of the step ended. The chain has a try.
ChainEnd EndOf(const RetryChain& chain, const Step& step);

// Whether two chains are the same tries at the same times: methods, outcomes and who answered are
// equal, and of each two tries that follow each other either the gap between their starts or the
// wait from the answer to the next start agrees within one timing step. The one holds for a
// cooldown or a call a frame, the other for a back-off, whatever the service's latency was.
bool HaveSameSchedule(const RetryChain& a, const RetryChain& b);

}  // namespace dstap::analyzer
