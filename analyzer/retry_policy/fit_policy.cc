#include "analyzer/retry_policy/fit_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analyzer/retry_policy/code_length.h"
#include "analyzer/retry_policy/law_fit.h"

namespace dstap::analyzer {
namespace {

// How much shorter than no law at all what is easily seen into chance must be.
constexpr double kJitterMarginBits = 6;
constexpr double kPartsMarginBits = 3;
// Margins over the next best law of another kind.
constexpr double kFairBits = 6;
constexpr double kHighBits = 20;
constexpr size_t kHighGaps = 4;
constexpr size_t kGapsThatAreNoChance = 20;
// Places at which a part may begin.
constexpr uint32_t kPartPlaceMax = 12;

double SecondsOf(Time time) { return std::chrono::duration<double>(time).count(); }

// `first_place`: the place that counts as the first one.
Waits WaitsOf(std::span<const Gap> gaps, WaitFrom from, uint32_t first_place = 1) {
  Waits waits{.from = from, .list = {}};
  waits.list.reserve(gaps.size());
  for (const Gap& gap : gaps) {
    const bool was_open = !gap.from_answer || *gap.from_answer < Time{};
    const double start = SecondsOf(gap.from_start);
    const double answer = was_open ? start : SecondsOf(*gap.from_answer);
    Wait wait{.place = gap.place - first_place + 1,
              .any_bits = AnyWaitBits(answer),
              .budget = gap.budget};
    if (from == WaitFrom::kStart) {
      wait.seconds = start;
      wait.is_known = true;
      wait.is_late = !was_open && answer <= kFrameSeconds + kSlackSeconds;
    } else {
      wait.seconds = answer;
      wait.is_known = !was_open;
    }
    waits.list.push_back(wait);
  }
  return waits;
}

struct Description {
  std::vector<PolicyPart> parts = {};
  double bits = 0;
  size_t explained = 0;
};

Description DescriptionOf(const LawFit& fit) {
  return {
      .parts = {{.law = fit.law, .gaps = fit.waits}}, .bits = fit.bits, .explained = fit.explained};
}

// Laws without jitter, and none.
std::vector<LawFit> ExactFits(std::span<const Gap> gaps, uint32_t first_place = 1) {
  std::vector<LawFit> fits;
  for (const WaitFrom from : {WaitFrom::kAnswer, WaitFrom::kStart}) {
    const Waits waits = WaitsOf(gaps, from, first_place);
    for (const LawFit& fit : FitConstant(waits)) fits.push_back(fit);
    if (const auto fit = FitGrowing(waits)) fits.push_back(*fit);
  }
  return fits;
}

// Said from the answer, where there is one.
LawFit NothingFits(std::span<const Gap> gaps) {
  const Waits from_answer = WaitsOf(gaps, WaitFrom::kAnswer);
  LawFit answer = FitNothing(from_answer);
  LawFit start = FitNothing(WaitsOf(gaps, WaitFrom::kStart));
  LawFit& said = std::ranges::all_of(from_answer.list, &Wait::is_known) ? answer : start;
  said.bits = std::min(answer.bits, start.bits);
  return said;
}

LawFit BestOf(std::span<const LawFit> fits, const LawFit& nothing) {
  LawFit best = nothing;
  for (const LawFit& fit : fits) {
    if (fit.bits < best.bits) best = fit;
  }
  return best;
}

LawFit BestExact(std::span<const Gap> gaps, uint32_t first_place) {
  return BestOf(ExactFits(gaps, first_place), NothingFits(gaps));
}

void Append(const LawFit& fit, PolicyPart part, double bits, Description& to) {
  part.law = fit.law;
  part.gaps = fit.waits;
  to.parts.push_back(part);
  to.bits += bits + fit.bits;
  to.explained += fit.explained;
}

// Another law from some place on: of all ways to cut the places the one with the shortest whole.
// `gaps` are sorted by place.
Description ByPlace(std::span<const Gap> gaps) {
  const uint32_t places = std::min(gaps.back().place, kPartPlaceMax);
  const double part_bits = 3 + std::log2(places);
  const auto begin_of = [&](uint32_t place) {
    return static_cast<size_t>(std::ranges::lower_bound(gaps, place, {}, &Gap::place) -
                               gaps.begin());
  };
  std::vector<std::optional<Description>> best(places + 2);  // Of the places before the index.
  best[1] = Description{};
  for (uint32_t end = 2; end <= places + 1; ++end) {
    for (uint32_t begin = 1; begin < end; ++begin) {
      const size_t first = begin_of(begin);
      const size_t last = end == places + 1 ? gaps.size() : begin_of(end);
      if (!best[begin] || first == last) continue;
      Description whole = *best[begin];
      Append(BestExact(gaps.subspan(first, last - first), begin), {.first_place = begin},
             begin == 1 ? 0 : part_bits, whole);
      if (!best[end] || whole.bits < best[end]->bits) best[end] = std::move(whole);
    }
  }
  return best[places + 1].value_or(Description{});
}

// Another law after another kind of answer.
Description ByCause(std::span<const Gap> gaps) {
  constexpr double kPartBits = 5;
  std::set<uint8_t> causes;
  for (const Gap& gap : gaps) causes.insert(gap.cause);
  Description whole;
  for (const uint8_t cause : causes) {
    std::vector<Gap> of_cause;
    for (const Gap& gap : gaps) {
      if (gap.cause != cause) continue;
      of_cause.push_back(gap);
      of_cause.back().place = gap.place_of_cause;
    }
    Append(BestExact(of_cause, 1), {.after = cause}, kPartBits, whole);
  }
  return whole;
}

// Of several parts only the first may be without a law: something is waited for, and then tried.
bool IsClear(const Description& description, size_t gaps) {
  const std::vector<PolicyPart>& parts = description.parts;
  if (parts.size() < 2 || description.explained * 2 < gaps) return false;
  return std::none_of(std::next(parts.begin()), parts.end(), [](const PolicyPart& part) {
    return part.law.kind == PolicyKind::kIrregular;
  });
}

bool IsOnePlace(std::span<const Gap> gaps) {
  return std::ranges::all_of(gaps, [&](const Gap& gap) { return gap.place == gaps[0].place; });
}

// `margin`: how much longer the next best description is, in bits.
FitConfidence ConfidenceOf(std::span<const Gap> gaps, const Policy& policy, double margin) {
  const bool is_once = gaps.size() <= policy.parts.size();  // Each part.
  if (is_once || margin < kFairBits) return FitConfidence::kLow;
  // Of one wait a chain nothing is known of what the next would be.
  const bool is_fair = gaps.size() < kHighGaps || margin < kHighBits || IsOnePlace(gaps) ||
                       policy.parts.size() > 1 || policy.also;
  const bool is_irregular = policy.kind() == PolicyKind::kIrregular;
  if (is_fair || (is_irregular && gaps.size() < kGapsThatAreNoChance)) return FitConfidence::kFair;
  const bool has_exceptions = policy.explained * 10 < gaps.size() * 9;
  return has_exceptions && !is_irregular ? FitConfidence::kFair : FitConfidence::kHigh;
}

void AddErrors(std::span<const Gap> gaps, Policy& policy) {
  double squares = 0;
  for (const PolicyPart& part : policy.parts) {
    const auto next =
        std::ranges::upper_bound(policy.parts, part.first_place, {}, &PolicyPart::first_place);
    const Waits waits = WaitsOf(gaps, part.law.from, part.first_place);
    for (size_t i = 0; i < gaps.size(); ++i) {
      Wait wait = waits.list[i];
      if (part.after) {
        if (gaps[i].cause != *part.after) continue;
        wait.place = gaps[i].place_of_cause;
      } else if (gaps[i].place < part.first_place ||
                 (next != policy.parts.end() && gaps[i].place >= next->first_place)) {
        continue;
      }
      if (!Explains(part.law, wait)) continue;
      const double error = ErrorOf(part.law, wait);
      squares += error * error;
      policy.error_worst = std::max(policy.error_worst, error);
    }
  }
  if (policy.explained > 0) {
    policy.error_rms = std::sqrt(squares / static_cast<double>(policy.explained));
  }
}

// The same law, at the least measured from somewhere else.
bool IsLike(const Law& a, const Law& b) {
  const auto kind_of = [](const Law& law) {
    return law.kind == PolicyKind::kCooldown ? PolicyKind::kFixed : law.kind;
  };
  return kind_of(a) == kind_of(b) && (a.jitter == Jitter::kAbsent) == (b.jitter == Jitter::kAbsent);
}

// The nearest other law that the gaps do not rule out.
std::optional<Law> AlsoFits(std::span<const LawFit> fits, const LawFit& best) {
  // What budgets show can come from a delay that happens to be as long.
  const double allowance = best.law.kind == PolicyKind::kBudget ? 2 * kFairBits : kFairBits;
  const LawFit* nearest = nullptr;
  for (const LawFit& fit : fits) {
    if (fit.law == best.law || fit.bits > best.bits + allowance) continue;
    if (fit.law.kind == best.law.kind && fit.law.from == best.law.from) continue;
    if (nearest == nullptr || fit.bits < nearest->bits) nearest = &fit;
  }
  return nearest == nullptr ? std::nullopt : std::optional(nearest->law);
}

std::vector<Gap> Fitted(std::span<const Gap> gaps) {
  std::vector<Gap> fitted;
  for (const Gap& gap : gaps) {
    if (fitted.size() == kGapsFittedMax) break;
    if (gap.place >= 1 && gap.place <= kPlaceFittedMax) fitted.push_back(gap);
  }
  std::ranges::stable_sort(fitted, {}, &Gap::place);
  return fitted;
}

}  // namespace

Policy FitPolicy(std::span<const Gap> all) {
  const std::vector<Gap> gaps = Fitted(all);
  Policy policy{.gaps = gaps.size()};
  if (gaps.empty()) return policy;
  std::vector<LawFit> fits = ExactFits(gaps);
  const LawFit nothing = NothingFits(gaps);
  const LawFit exact = BestOf(fits, nothing);
  if (exact.explained < gaps.size()) {
    for (const WaitFrom from : {WaitFrom::kAnswer, WaitFrom::kStart}) {
      const auto fit = FitJittered(WaitsOf(gaps, from));
      if (fit && fit->bits + kJitterMarginBits < nothing.bits) fits.push_back(*fit);
    }
  }
  // One gap is always something; no law is a word for several.
  LawFit best_fit = gaps.size() == 1 && !fits.empty()
                        ? *std::ranges::min_element(fits, {}, &LawFit::bits)
                        : BestOf(fits, nothing);
  Description best = DescriptionOf(best_fit);
  if (best_fit.law.kind != PolicyKind::kIrregular && gaps.size() > 1) {
    policy.also = AlsoFits(fits, best_fit);
  }
  double margin = std::numeric_limits<double>::max();
  if (best_fit.law.kind != PolicyKind::kIrregular) margin = nothing.bits - best_fit.bits;
  for (const LawFit& fit : fits) {
    const bool is_same = IsLike(fit.law, best_fit.law) || (policy.also && fit.law == *policy.also);
    if (!is_same) margin = std::min(margin, fit.bits - best_fit.bits);
  }
  if (exact.explained < gaps.size() && gaps.size() > 1) {
    for (Description parts : {ByPlace(gaps), ByCause(gaps)}) {
      if (!IsClear(parts, gaps.size()) || parts.bits + kPartsMarginBits >= best.bits) continue;
      margin = best.bits - parts.bits;
      best = std::move(parts);
      policy.also.reset();
    }
  }
  policy.parts = best.parts;
  policy.explained = best.explained;
  policy.confidence = ConfidenceOf(gaps, policy, margin);
  AddErrors(gaps, policy);
  return policy;
}

}  // namespace dstap::analyzer
