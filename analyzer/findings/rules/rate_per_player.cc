#include <array>
#include <vector>

#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kPlayersMax = 100;  // On one server.
// Of a minute, so that one burst is not taken for a rate.
constexpr size_t kBusySecondsMin = 10;

// Limits: a minute's counts for each source and budget.
class RatePerPlayer final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const Source& source = *seen.call.source;
    if (sources_.size() <= source.index) sources_.resize(source.index + 1);
    OfSource& state = sources_[source.index];
    state.source = &source;
    const Time taken = seen.call.admitted.value_or(seen.issued());
    for (const Cost& cost : seen.costs) {
      // Lists are asked for by the server, however many play on it.
      if (!cost.budget || cost.taken == 0 || *cost.budget == Budget::kOrderedList ||
          *cost.budget == Budget::kStandardList) {
        continue;
      }
      const auto i = static_cast<size_t>(*cost.budget);
      state.windows[i].Add(taken, cost.taken);
      Look(seen, state.windows[i], state.peaks[i], *cost.budget);
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (OfSource& state : sources_) {
      for (size_t i = 0; i < kBudgets; ++i) {
        Peak& peak = state.peaks[i];
        if (peak.breaks_at == 0) continue;
        const double each = static_cast<double>(peak.count) / peak.players;
        Report({.source = state.source,
                .confidence = Confidence::kInferred,
                .severity = std::nullopt,
                .text = fmt::format(
                    "{:.4g} {} requests a minute for each player ({} with {}): if that grows with "
                    "the players, {} ({} + {} each) are not enough from {} on",
                    each, NameOf(static_cast<Budget>(i)), peak.count, Count(peak.players, "player"),
                    host().ProfileWords(), peak.rate.base, peak.rate.per_player,
                    Count(peak.breaks_at, "player")),
                .evidence = std::move(peak.evidence),
                .time = peak.time,
                .weight = each});
      }
    }
  }

 private:
  struct Peak {
    uint64_t count = 0;
    uint32_t players = 0;
    uint64_t breaks_at = 0;  // 0: it does not.
    Rate rate;
    Time time{};
    Evidence evidence;
  };
  struct OfSource {
    const Source* source = nullptr;
    std::array<RateWindow, kBudgets> windows;
    std::array<Peak, kBudgets> peaks;
  };

  void Look(const SeenCall& seen, const RateWindow& window, Peak& peak, Budget budget) {
    const uint64_t players = seen.call.source->players.value_or(0);
    if (players == 0 || !window.IsFull() || window.busy() < kBusySecondsMin) return;
    const Rate rate = host().LimitOf(*seen.call.source, budget);
    const uint64_t covered = rate.per_player * players;
    if (window.total() <= covered) return;  // Each player brings as much as it takes.
    const uint64_t breaks_at = rate.base * players / (window.total() - covered) + 1;
    if (breaks_at > kPlayersMax) return;
    peak.evidence.Add(seen.call.id);
    if (window.total() * std::max<uint64_t>(peak.players, 1) <= peak.count * players) return;
    peak.count = window.total();
    peak.players = static_cast<uint32_t>(players);
    peak.breaks_at = breaks_at;
    peak.rate = rate;
    peak.time = seen.issued();
  }

  std::vector<OfSource> sources_;
};

}  // namespace

constinit const RuleEntry kRatePerPlayer = {
    .id = "rate-per-player",
    .severity = Severity::kWarning,
    .title = "Each player costs more requests than it brings",
    .meaning =
        "The limit grows with the players, and the traffic grows faster: it works in a test "
        "with one player and throttles on a full server.",
    .evidence =
        "A whole minute with requests in at least 10 of its seconds, more of them for each "
        "player than the limit grows by, so that up to 100 players are too many. That the "
        "traffic grows with the players is an inference.",
    .fix = "Keep what belongs to a player in one key, and save it less often.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<RatePerPlayer>};

}  // namespace dstap::analyzer
