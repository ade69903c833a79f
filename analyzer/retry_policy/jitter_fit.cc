#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/retry_policy/code_length.h"
#include "analyzer/retry_policy/law_fit.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kWaitsThatShowJitter = 8;
// How many rates of a growth are looked at; in between a finer search follows.
constexpr int kRateSteps = 40;
// Two waits that differ can be anything.
constexpr size_t kPlacesThatShowGrowth = 3;
// Places at which a cap may begin.
constexpr size_t kCapPlaceMax = 16;

// How delays grow from place to place, as multiples of the first one.
struct Growth {
  PolicyKind kind = PolicyKind::kFixed;
  double rate = 1;  // The factor; of a linear growth what is added each time.

  double At(uint32_t place) const {
    switch (kind) {
      case PolicyKind::kExponential:
        return std::pow(rate, place - 1.0);
      case PolicyKind::kLinear:
        return 1 + rate * (place - 1.0);
      default:
        return 1;
    }
  }
};

struct Extremes {
  uint32_t place = 0;
  double low = std::numeric_limits<double>::max();
  double high = 0;
  double count = 0;
};

std::vector<Extremes> ExtremesOf(const Waits& waits) {
  std::vector<Extremes> places;
  for (const Wait& wait : waits.list) {
    if (!wait.is_known || wait.seconds < 0) continue;
    auto at = std::ranges::find(places, wait.place, &Extremes::place);
    if (at == places.end()) at = places.insert(at, Extremes{.place = wait.place});
    at->low = std::min(at->low, wait.seconds);
    at->high = std::max(at->high, wait.seconds);
    ++at->count;
  }
  std::ranges::sort(places, {}, &Extremes::place);
  return places;
}

// What it takes to say at each place a range, and the waits within it: shorter than a law that has
// the wrong ranges.
double OwnRangesBits(const std::vector<Extremes>& places) {
  constexpr double kEndBits = 5;
  double bits = 0;
  for (const Extremes& place : places) {
    const double frames = (place.high - place.low) / kFrameSeconds + 2;
    bits += place.count * std::log2(frames) + 2 * (kEndBits + std::log2(place.count + 1));
  }
  return bits;
}

// Delays of which every wait is a part between `low` and 1.
struct Envelope {
  Growth growth = {};
  size_t cap_from = 0;  // Index of the first place at the cap; the number of places: no cap.
  double delay = 0;
  double cap = 0;
  double low = 0;
  double growing = 0;  // Waits below the cap.
  double bits = std::numeric_limits<double>::max();
};

Envelope EnvelopeOf(const std::vector<Extremes>& places, const Growth& growth, size_t cap_from) {
  Envelope of{.growth = growth, .cap_from = cap_from};
  for (size_t i = 0; i < cap_from; ++i) {
    of.delay = std::max(of.delay, places[i].high / growth.At(places[i].place));
    of.growing += places[i].count;
  }
  for (size_t i = cap_from; i < places.size(); ++i) of.cap = std::max(of.cap, places[i].high);
  if (cap_from < places.size()) {
    const double before = of.delay * growth.At(places[cap_from - 1].place);
    const double after = of.delay * growth.At(places[cap_from].place);
    // It would not have been one.
    if (of.cap < before || of.cap > after * 1.1) return of;
  }
  of.low = 1;
  const auto delay_at = [&](size_t i) {
    return i < cap_from ? of.delay * growth.At(places[i].place) : of.cap;
  };
  for (size_t i = 0; i < places.size(); ++i) of.low = std::min(of.low, places[i].low / delay_at(i));
  of.bits = cap_from < places.size() ? 5 + std::log2(of.growing) : 0;
  for (size_t i = 0; i < places.size(); ++i) {
    of.bits += places[i].count * std::log2((1 - of.low) * delay_at(i) / kFrameSeconds + 2);
  }
  return of;
}

Envelope BestOver(const std::vector<Extremes>& places, const Growth& growth, Envelope best) {
  for (size_t cap_from = kPlacesThatShowGrowth; cap_from <= places.size(); ++cap_from) {
    const size_t capped = places.size() - cap_from;
    if (capped == 1 || (capped > 0 && cap_from > kCapPlaceMax)) continue;
    const Envelope envelope = EnvelopeOf(places, growth, cap_from);
    if (envelope.bits < best.bits) best = envelope;
  }
  return best;
}

Envelope BestGrowing(const std::vector<Extremes>& places, PolicyKind kind) {
  const double least = kind == PolicyKind::kLinear ? 0.1 : 1.15;
  const double most = kind == PolicyKind::kLinear ? 10 : 4;
  const double step = std::pow(most / least, 1.0 / kRateSteps);
  Envelope best;
  for (int i = 0; i <= kRateSteps; ++i) {
    best = BestOver(places, {kind, least * std::pow(step, i)}, best);
  }
  const double around = best.growth.rate;
  constexpr int kFiner = 12;
  for (int i = -kFiner; i <= kFiner; ++i) {
    best = BestOver(places, {kind, around * std::pow(step, static_cast<double>(i) / kFiner)}, best);
  }
  if (kind == PolicyKind::kLinear) return best;
  // The roundest factor that is as good.
  constexpr double kAsGoodBits = 3;
  for (const double unit : {1.0, 0.5, 0.1}) {
    const double round = std::round(best.growth.rate / unit) * unit;
    if (round <= 1) continue;
    const Envelope envelope = BestOver(places, {kind, round}, {});
    if (envelope.bits < best.bits + kAsGoodBits) return envelope;
  }
  return best;
}

// Whether the waits are spread evenly over the range, by the test of Kolmogorov and Smirnov: what
// is drawn evenly fails it once in a thousand times.
bool IsEven(const Law& law, const Waits& waits) {
  constexpr double kCritical = 1.95;
  if (law.high <= law.low) return false;
  std::vector<double> shares;
  for (const Wait& wait : waits.list) {
    if (!Explains(law, wait)) continue;
    shares.push_back((wait.seconds / law.At(wait.place) - law.low) / (law.high - law.low));
  }
  std::ranges::sort(shares);
  const auto count = static_cast<double>(shares.size());
  double distance = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const auto below = static_cast<double>(i);
    distance = std::max({distance, shares[i] - below / count, (below + 1) / count - shares[i]});
  }
  return distance * std::sqrt(count) < kCritical;
}

// What the ends of the range were before chance left out their last bit.
std::optional<LawFit> LawWithin(const Envelope& envelope, const Waits& waits, size_t places) {
  if (envelope.delay <= 0) return std::nullopt;
  const auto count = static_cast<double>(waits.list.size());
  const double width = 1 - envelope.low;
  const double high = 1 + width / envelope.growing;
  const double low = std::max(0.0, envelope.low - width / count);
  const bool has_cap = envelope.cap_from < places;
  Law law{.kind = envelope.growth.kind, .from = waits.from};
  if (law.kind == PolicyKind::kFixed && waits.from == WaitFrom::kStart) {
    law.kind = PolicyKind::kCooldown;
  }
  if (law.kind == PolicyKind::kExponential) law.factor = envelope.growth.rate;
  std::optional<LawFit> best;
  const auto keep_better = [&](Jitter jitter, double scale, double from, double to, double share) {
    law.jitter = jitter;
    law.delay = envelope.delay * scale;
    if (law.kind == PolicyKind::kLinear) law.increment = law.delay * envelope.growth.rate;
    if (has_cap) law.cap = envelope.cap * scale;
    law.low = from;
    law.high = to;
    law.share = share;
    const LawFit fit = Evaluate(law, waits);
    if (!fit.holds() || !IsEven(law, waits)) return;
    if (!best || fit.bits < best->bits) best = fit;
  };
  keep_better(Jitter::kFull, high, 0, 1, 0);
  keep_better(Jitter::kEqual, high, 0.5, 1, 0);
  const double middle = (low + high) / 2;
  const double share = (high - low) / (high + low);
  keep_better(Jitter::kProportional, middle, 1 - share, 1 + share, share);
  return best;
}

}  // namespace

std::optional<LawFit> FitJittered(const Waits& waits) {
  if (waits.list.size() < kWaitsThatShowJitter) return std::nullopt;
  const std::vector<Extremes> places = ExtremesOf(waits);
  if (places.empty()) return std::nullopt;
  std::optional<LawFit> best =
      LawWithin(EnvelopeOf(places, {}, places.size()), waits, places.size());
  if (places.size() < kPlacesThatShowGrowth) return best;
  for (const PolicyKind kind : {PolicyKind::kExponential, PolicyKind::kLinear}) {
    const auto growing = LawWithin(BestGrowing(places, kind), waits, places.size());
    if (growing && (!best || growing->bits < best->bits)) best = growing;
  }
  // Of a law that holds, each place fills its share.
  if (best && best->bits > OwnRangesBits(places)) best.reset();
  return best;
}

}  // namespace dstap::analyzer
