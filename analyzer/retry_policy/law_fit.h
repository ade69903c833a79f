// One law and some waits: whether they agree, and how short a description that makes.
#pragma once

#include <span>
#include <vector>

#include "analyzer/retry_policy/policy.h"

namespace dstap::analyzer {

// A gap, measured from one end. Units: seconds.
struct Wait {
  double seconds = 0;
  bool is_known = false;  // False: there is nothing to measure it from.
  bool is_late = false;   // From the start: the answer before came only now.
  uint32_t place = 1;
  double any_bits = 0;  // What it takes to say it with no law at all.
  BudgetSign budget = BudgetSign::kNotKnown;
};

struct Waits {
  WaitFrom from = WaitFrom::kAnswer;
  std::vector<Wait> list;
};

struct LawFit {
  Law law = {};
  double bits = 0;  // Of the law and of all waits with it.
  size_t explained = 0;
  size_t waits = 0;

  // An exception to the law is one wait of five at most.
  bool holds() const { return waits > 0 && explained * 5 >= waits * 4; }
};

bool Explains(const Law& law, const Wait& wait);

// How far off an explained wait is, as Policy::error_rms has it.
double ErrorOf(const Law& law, const Wait& wait);

LawFit Evaluate(const Law& law, const Waits& waits);

// What holds of the laws that are the same at every place, without jitter: immediate, each frame,
// fixed (or cooldown, from the start), budget.
std::vector<LawFit> FitConstant(const Waits& waits);
// Of waits that grow from place to place, linear or exponential, and perhaps up to a cap. Nothing,
// unless they are seen to grow twice.
std::optional<LawFit> FitGrowing(const Waits& waits);
// Fixed, exponential or linear with jitter, each place filling its range.
std::optional<LawFit> FitJittered(const Waits& waits);
// No law: the shortest and the longest wait, at each its bits.
LawFit FitNothing(const Waits& waits);

}  // namespace dstap::analyzer
