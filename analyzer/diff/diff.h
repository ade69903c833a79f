// What changed between two captures, or two sets of captures, step by step. Request counts are
// exact: any change is listed. Times are shown and not judged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/diff/conditions.h"
#include "analyzer/diff/subject_pairs.h"
#include "analyzer/views/report.h"

namespace dstap::analyzer {

// How far the two sides can be compared.
enum class Verdict : uint8_t {
  kComparable,        // Nothing differs that could change a count by itself.
  kWithReservations,  // Something does.
  kNothingToCompare,  // No step has a sample on both sides.
};

// Requests of one method in one sample, over all samples; {0, 0}: none sent any.
struct RequestChange {
  std::string_view name;  // As StepRow has it.
  Range before;
  Range after;

  friend bool operator==(const RequestChange&, const RequestChange&) = default;
};

// In the order in which they are printed.
enum class DiffKind : uint8_t { kRequests, kSteps, kValues, kRetries, kSizes };

struct DiffKindInfo {
  std::string_view name;  // As `--fail-on` takes it.
  std::string_view meaning;
};

inline constexpr std::array kDiffKinds = {
    DiffKindInfo{"requests", "another number of requests in a sample, or of failed ones"},
    DiffKindInfo{"steps", "a step that only one side has, or that only one side finishes well"},
    DiffKindInfo{"values", "a value seen that the other side has not seen"},
    DiffKindInfo{"retries", "tries on another schedule, or with other outcomes"},
    DiffKindInfo{"sizes", "values stored in another size"},
};
static_assert(kDiffKinds.size() == static_cast<size_t>(DiffKind::kSizes) + 1);

// One step of a pair of subjects. A null row: the step is only on the other side.
struct StepDiff {
  std::string name;
  const StepRow* before = nullptr;
  const StepRow* after = nullptr;
  const RetryRow* retries_before = nullptr;  // Null: no chain.
  const RetryRow* retries_after = nullptr;
  // Of those methods that differ, in the order of columns; and how many of them failed.
  std::vector<RequestChange> requests;
  std::vector<RequestChange> failed;
  std::array<bool, kDiffKinds.size()> differs{};

  bool Differs(DiffKind kind) const { return differs[static_cast<size_t>(kind)]; }
  // Both sides have a sample of it that ended.
  bool is_compared() const {
    return before != nullptr && after != nullptr && before->samples > 0 && after->samples > 0;
  }
};

struct SubjectDiff {
  SubjectPair pair;
  std::vector<StepDiff> steps;  // As the old side has them, then what only the new one has.
};

struct Diff {
  Verdict verdict = Verdict::kComparable;
  std::vector<Condition> conditions;
  std::vector<SubjectDiff> subjects;

  // Steps that differ in this way.
  size_t Count(DiffKind kind) const;
  size_t steps_compared() const;
  bool has_differences() const;
};

// Ownership: the result refers to both reports.
Diff DiffOf(const Report& before, const Report& after);

}  // namespace dstap::analyzer
