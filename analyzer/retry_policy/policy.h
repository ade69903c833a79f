// What a caller's waits between tries seem to follow. Times in, a description out: nothing here
// knows of calls or captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proto/base/clock.h"

namespace dstap::analyzer {

enum class PolicyKind : uint8_t {
  kIrregular,    // Nothing fits.
  kImmediate,    // In the instant of the answer, or of the start before.
  kEachFrame,    // In the next frame.
  kFixed,        // A fixed time after the answer.
  kCooldown,     // At least a fixed time after the start of the try before.
  kLinear,       // Each time the same amount longer.
  kExponential,  // Each time longer by the same factor.
  kBudget,       // As soon as the request budget shows a request.
};

// How a random wait lies beside the delay d that it is drawn for.
enum class Jitter : uint8_t {
  kAbsent,
  kFull,          // 0 to d.
  kEqual,         // d/2 to d.
  kProportional,  // d (1 - share) to d (1 + share).
};

// What a wait is measured from.
enum class WaitFrom : uint8_t { kAnswer, kStart };

enum class FitConfidence : uint8_t { kLow, kFair, kHigh };

// One rule for some of the waits. Units: seconds.
struct Law {
  PolicyKind kind = PolicyKind::kIrregular;
  WaitFrom from = WaitFrom::kAnswer;
  Jitter jitter = Jitter::kAbsent;
  double delay = 0;      // The fixed or the first one.
  double increment = 0;  // kLinear.
  double factor = 1;     // kExponential.
  std::optional<double> cap = {};
  double share = 0;  // Jitter::kProportional.
  // With jitter: what the wait is of the delay, at the least and at the most. kIrregular: the
  // shortest and the longest wait, from `from`.
  double low = 0;
  double high = 0;

  // The delay of a chain's wait number `place`, from 1, without jitter.
  double At(uint32_t place) const;

  friend bool operator==(const Law&, const Law&) = default;
};

// Law that holds for the waits from one place in a chain, or after one kind of answer.
struct PolicyPart {
  Law law = {};
  size_t gaps = 0;
  uint32_t first_place = 1;
  std::optional<uint8_t> after = {};  // Gap::cause. Absent: the part is one by place.
};

struct Policy {
  std::vector<PolicyPart> parts = {};  // One, mostly; none: there was no gap.
  size_t gaps = 0;                     // What it rests on,
  size_t explained = 0;                // and how many of them are as the policy has them.
  // How far the explained ones are from what the policy says, as a share of the delay (of a frame
  // where that is longer); with jitter, from its range.
  double error_rms = 0;
  double error_worst = 0;
  FitConfidence confidence = FitConfidence::kLow;
  // Another law that the same gaps do not rule out.
  std::optional<Law> also = {};

  // kIrregular when there are several parts or none: ask `parts`.
  PolicyKind kind() const {
    return parts.size() == 1 ? parts.front().law.kind : PolicyKind::kIrregular;
  }
};

// What budgets say of a try.
enum class BudgetSign : uint8_t {
  kNotKnown,
  kDidNotWait,
  kOpened,  // None was visible at the answer before and one request at its start; it did not queue.
};

// From one try to the next.
struct Gap {
  Time from_start{};                // From the start of the try before.
  std::optional<Time> from_answer;  // Negative: it left while that one was open. Absent: no answer.
  uint32_t place = 1;               // In its chain; 1: before the second try.
  uint8_t cause = 0;                // What came of the try before; any numbers.
  uint32_t place_of_cause = 1;      // In the run of tries that came to the same.
  BudgetSign budget = BudgetSign::kNotKnown;
};

}  // namespace dstap::analyzer
