#include "analyzer/retry_policy/law_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/retry_policy/code_length.h"

namespace dstap::analyzer {
namespace {

// Which law it is; the likelier one is the shorter.
double KindBits(const Law& law) {
  double more = law.jitter == Jitter::kAbsent ? 0 : 5;
  const bool is_simple = law.jitter == Jitter::kAbsent && law.kind == PolicyKind::kCooldown;
  if (law.from == WaitFrom::kStart && !is_simple) more += 4;
  switch (law.kind) {
    case PolicyKind::kImmediate:
      return 1;
    case PolicyKind::kEachFrame:
    case PolicyKind::kFixed:
      return 2 + more;
    case PolicyKind::kCooldown:
      return 3 + more;
    case PolicyKind::kExponential:
      return 4 + more;
    case PolicyKind::kLinear:
      return 5 + more;
    case PolicyKind::kBudget:
      return 8;  // It rests on numbers of others besides the caller's.
    case PolicyKind::kIrregular:
      return 0;
  }
  return 0;
}

double ParameterBits(const Law& law, size_t waits) {
  switch (law.kind) {
    case PolicyKind::kFixed:
    case PolicyKind::kCooldown:
    case PolicyKind::kLinear:
    case PolicyKind::kExponential:
      break;
    default:
      return 0;
  }
  double bits = 0;
  if (law.jitter == Jitter::kAbsent) {
    bits += NumberBits(law.delay);
    if (law.cap) bits += 2 + NumberBits(*law.cap);
  } else {
    // The ends of a range are known the better the more waits there are.
    const double precision = std::log2(static_cast<double>(waits) + 1);
    bits += precision + 5;
    if (law.cap) bits += precision + 5;
    if (law.jitter == Jitter::kProportional) bits += precision + 2;
  }
  if (law.kind == PolicyKind::kLinear) bits += NumberBits(law.increment);
  if (law.kind == PolicyKind::kExponential) bits += NumberBits(law.factor);
  return bits;
}

struct Band {
  double low;
  double high;
};

Band BandOf(const Law& law, uint32_t place) {
  switch (law.kind) {
    case PolicyKind::kImmediate:
      return {-kSlackSeconds, kFrameSeconds / 2};
    case PolicyKind::kEachFrame:
      return {kFrameSeconds / 2, kFrameSeconds * 1.5};
    default:
      break;
  }
  const double delay = law.At(place);
  if (law.jitter == Jitter::kAbsent) {
    return {delay - kSlackSeconds, delay + kBandSeconds + kSlackSeconds};
  }
  return {law.low * delay - kSlackSeconds, law.high * delay + kFrameSeconds + kSlackSeconds};
}

double BitsWithin(const Law& law, uint32_t place) {
  if (law.kind == PolicyKind::kImmediate || law.kind == PolicyKind::kEachFrame) return 0;
  if (law.jitter == Jitter::kAbsent) return kBandBits;
  return std::log2((law.high - law.low) * law.At(place) / kFrameSeconds + 2);
}

// The highest number of intervals [wait - kBandSeconds, wait] that have a point in common: the
// first and the last of those waits, by size.
struct Cluster {
  double low = 0;
  double high = 0;
  size_t count = 0;
};

Cluster LargestCluster(std::vector<double> waits) {
  std::ranges::sort(waits);
  Cluster best;
  for (size_t first = 0, end = 0; first < waits.size(); ++first) {
    while (end < waits.size() && waits[end] <= waits[first] + kBandSeconds + kSlackSeconds) ++end;
    const size_t count = end - first;
    const double width = waits[end - 1] - waits[first];
    if (count > best.count || (count == best.count && width < best.high - best.low)) {
      best = {waits[first], waits[end - 1], count};
    }
  }
  return best;
}

// The delay behind waits from `low` to `high`: they end with the frame in which it is over.
double DelayOf(double low, double high) {
  if (low < kShortSeconds) return low;
  return RoundestIn(std::max(high - kBandSeconds, low - kFrameSeconds), low);
}

void KeepBetter(std::optional<LawFit>& best, const LawFit& fit) {
  if (fit.holds() && (!best || fit.bits < best->bits)) best = fit;
}

// Of one place: where its delay must lie.
struct PlaceRange {
  uint32_t place = 0;
  double low = 0;  // Of the waits.
  double high = 0;

  double least() const { return std::max(high - kBandSeconds, low / 2); }
};

std::vector<PlaceRange> PlaceRanges(const Waits& waits) {
  std::vector<std::pair<uint32_t, double>> sorted;
  for (const Wait& wait : waits.list) {
    if (wait.is_known && wait.seconds > 0) sorted.emplace_back(wait.place, wait.seconds);
  }
  std::ranges::sort(sorted);
  std::vector<PlaceRange> ranges;
  for (size_t i = 0; i < sorted.size();) {
    std::vector<double> of_place;
    const uint32_t place = sorted[i].first;
    for (; i < sorted.size() && sorted[i].first == place; ++i) of_place.push_back(sorted[i].second);
    const Cluster cluster = LargestCluster(std::move(of_place));
    ranges.push_back({place, cluster.low, cluster.high});
  }
  return ranges;
}

// Growth over the places [0, end) of `ranges`, then the cap, if any place is left.
struct Growth {
  std::span<const PlaceRange> ranges;
  size_t end = 0;
};

std::optional<double> CapOf(const Growth& growth) {
  if (growth.end == growth.ranges.size()) return std::nullopt;
  double low = std::numeric_limits<double>::max();
  double high = 0;
  for (const PlaceRange& range : growth.ranges.subspan(growth.end)) {
    low = std::min(low, range.low);
    high = std::max(high, range.high);
  }
  return DelayOf(low, std::min(high, low + kBandSeconds));
}

// Rounder steps first, so that of equals the roundest one stays.
template <typename Try>
void ForRoundNumbers(double low, double high, Try try_number) {
  constexpr int kNumbersMax = 24;
  for (const double unit : {1.0, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001}) {
    const double first = std::ceil(low / unit - 1e-9);
    const double last = std::floor(high / unit + 1e-9);
    if (last - first > kNumbersMax) break;
    for (double n = first; n <= last; ++n) try_number(n * unit);
  }
  try_number((low + high) / 2);
}

struct Range {
  double low = 0;
  double high = 0;
};

// Of what makes one delay of another, `step_of(from, to, places)` each time: what all places allow
// together, or where there is no such thing the first and the last.
template <typename StepOf>
Range StepRange(std::span<const PlaceRange> growing, StepOf step_of) {
  const PlaceRange& last = growing.back();
  Range all{0, std::numeric_limits<double>::max()};
  for (const PlaceRange& from : growing.first(growing.size() - 1)) {
    const double places = last.place - from.place;
    all.low = std::max(all.low, step_of(from.low, last.least(), places));
    all.high = std::min(all.high, step_of(from.least(), last.low, places));
  }
  if (all.low <= all.high) return all;
  const PlaceRange& first = growing.front();
  const double places = last.place - first.place;
  return {step_of(first.low, last.least(), places), step_of(first.least(), last.low, places)};
}

void TryExponential(const Waits& waits, const Growth& growth, std::optional<LawFit>& best) {
  const std::span<const PlaceRange> growing = growth.ranges.first(growth.end);
  Law law{.kind = PolicyKind::kExponential, .from = waits.from, .cap = CapOf(growth)};
  const Range factors = StepRange(growing, [](double from, double to, double places) {
    return std::pow(to / from, 1 / places);
  });
  ForRoundNumbers(std::max(factors.low, 1.01), factors.high, [&](double factor) {
    law.factor = factor;
    double low = 0;
    double high = std::numeric_limits<double>::max();
    for (const PlaceRange& range : growing) {
      const double times = std::pow(factor, range.place - 1.0);
      low = std::max(low, (range.high - kBandSeconds) / times);
      high = std::min(high, range.low / times);
    }
    law.delay = RoundestIn(std::min(low, high), high);
    KeepBetter(best, Evaluate(law, waits));
  });
}

void TryLinear(const Waits& waits, const Growth& growth, std::optional<LawFit>& best) {
  const std::span<const PlaceRange> growing = growth.ranges.first(growth.end);
  Law law{.kind = PolicyKind::kLinear, .from = waits.from, .cap = CapOf(growth)};
  const Range increments = StepRange(
      growing, [](double from, double to, double places) { return (to - from) / places; });
  ForRoundNumbers(std::max(increments.low, kFrameSeconds), increments.high, [&](double increment) {
    law.increment = increment;
    double low = 0;
    double high = std::numeric_limits<double>::max();
    for (const PlaceRange& range : growing) {
      const double more = increment * (range.place - 1.0);
      low = std::max(low, range.high - kBandSeconds - more);
      high = std::min(high, range.low - more);
    }
    if (high <= 0) return;
    law.delay = RoundestIn(std::min(low, high), high);
    KeepBetter(best, Evaluate(law, waits));
  });
}

}  // namespace

double Law::At(uint32_t place) const {
  double seconds = delay;
  if (kind == PolicyKind::kLinear) seconds += increment * (place - 1.0);
  if (kind == PolicyKind::kExponential) seconds *= std::pow(factor, place - 1.0);
  return cap ? std::min(seconds, *cap) : seconds;
}

bool Explains(const Law& law, const Wait& wait) {
  if (law.kind == PolicyKind::kBudget) return wait.budget == BudgetSign::kOpened;
  if (law.kind == PolicyKind::kIrregular || !wait.is_known) return false;
  const Band band = BandOf(law, wait.place);
  if (wait.seconds < band.low) return false;
  return wait.seconds <= band.high || (law.kind == PolicyKind::kCooldown && wait.is_late);
}

double ErrorOf(const Law& law, const Wait& wait) {
  switch (law.kind) {
    case PolicyKind::kIrregular:
    case PolicyKind::kBudget:
      return 0;
    case PolicyKind::kImmediate:
      return std::abs(wait.seconds) / kFrameSeconds;
    case PolicyKind::kEachFrame:
      return std::abs(wait.seconds - kFrameSeconds) / kFrameSeconds;
    default:
      break;
  }
  const double delay = law.At(wait.place);
  const double scale = std::max(delay, kFrameSeconds);
  if (law.jitter == Jitter::kAbsent) {
    const bool waited = wait.seconds > delay + kBandSeconds + kSlackSeconds;
    return waited ? 0 : std::abs(wait.seconds - delay) / scale;
  }
  const double outside = std::max(law.low * delay - wait.seconds, wait.seconds - law.high * delay);
  return std::max(outside, 0.0) / scale;
}

LawFit Evaluate(const Law& law, const Waits& waits) {
  LawFit fit{.law = law, .waits = waits.list.size()};
  fit.bits = KindBits(law) + ParameterBits(law, waits.list.size());
  for (const Wait& wait : waits.list) {
    if (Explains(law, wait)) {
      ++fit.explained;
      fit.bits += BitsWithin(law, wait.place);
    } else {
      fit.bits += kOutlierBits + wait.any_bits;
    }
  }
  return fit;
}

std::vector<LawFit> FitConstant(const Waits& waits) {
  std::vector<LawFit> fits;
  const auto add = [&](const Law& law) {
    const LawFit fit = Evaluate(law, waits);
    if (fit.holds()) fits.push_back(fit);
  };
  const bool is_start = waits.from == WaitFrom::kStart;
  add({.kind = PolicyKind::kImmediate, .from = waits.from});
  if (!is_start) add({.kind = PolicyKind::kBudget});
  add({.kind = PolicyKind::kEachFrame, .from = waits.from});
  std::vector<double> seconds;
  for (const Wait& wait : waits.list) {
    if (wait.is_known && !wait.is_late && wait.seconds > 0) seconds.push_back(wait.seconds);
  }
  // Of late ones alone the cooldown would be any shorter time.
  if (seconds.empty() || seconds.size() * 2 < waits.list.size()) return fits;
  const Cluster cluster = LargestCluster(std::move(seconds));
  add({.kind = is_start ? PolicyKind::kCooldown : PolicyKind::kFixed,
       .from = waits.from,
       .delay = DelayOf(cluster.low, cluster.high)});
  return fits;
}

std::optional<LawFit> FitGrowing(const Waits& waits) {
  constexpr size_t kPlacesThatShowGrowth = 3;
  const std::vector<PlaceRange> ranges = PlaceRanges(waits);
  size_t growing = ranges.empty() ? 0 : 1;
  while (growing < ranges.size() && ranges[growing].low > ranges[growing - 1].high + kBandSeconds) {
    ++growing;
  }
  if (growing < kPlacesThatShowGrowth) return std::nullopt;
  std::optional<LawFit> best;
  // The last that grew may be the first at the cap.
  for (const size_t end : {growing, growing - 1}) {
    // A cap shows where waits no longer grow.
    if (end < kPlacesThatShowGrowth || end + 1 == ranges.size()) continue;
    TryExponential(waits, {ranges, end}, best);
    TryLinear(waits, {ranges, end}, best);
  }
  return best;
}

LawFit FitNothing(const Waits& waits) {
  LawFit fit{.law = {.from = waits.from}, .waits = waits.list.size()};
  std::vector<double> seconds;
  for (const Wait& wait : waits.list) {
    fit.bits += wait.any_bits;
    if (wait.is_known) seconds.push_back(wait.seconds);
  }
  if (seconds.empty()) return fit;
  const auto [low, high] = std::ranges::minmax(seconds);
  fit.law.low = low;
  fit.law.high = high;
  constexpr size_t kWaitsThatShowADistribution = 5;
  if (seconds.size() >= kWaitsThatShowADistribution && seconds.size() == fit.waits) {
    fit.bits = std::min(fit.bits, DistributionBits(seconds));
  }
  return fit;
}

}  // namespace dstap::analyzer
