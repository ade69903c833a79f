#include <array>
#include <vector>

#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: a minute's counts for each source and budget.
class RateOverLimit final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const Source& source = *seen.call.source;
    OfSource& state = At(source);
    if (seen.call.times_queued > 0) ++state.queued;
    if (seen.error == ErrorClass::kServerThrottled) ++state.dropped;
    // A token is taken when the request leaves its queue.
    const Time taken = seen.call.admitted.value_or(seen.issued());
    for (const Cost& cost : seen.costs) {
      if (cost.budget && cost.taken > 0) Spend(seen, state, *cost.budget, taken, cost.taken);
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (OfSource& state : sources_) {
      for (size_t i = 0; i < kBudgets; ++i) {
        Peak& peak = state.peaks[i];
        if (peak.count == 0) continue;
        const bool is_hit = state.queued + state.dropped > 0;
        std::string text = fmt::format(
            "{} {} requests in a minute, and {} allow {} with {} ({} + {} each)", peak.count,
            NameOf(static_cast<Budget>(i)), host().ProfileWords(), peak.rate.At(peak.players),
            Count(peak.players, "player"), peak.rate.base, peak.rate.per_player);
        if (is_hit) {
          text +=
              fmt::format("; the server had {} queued and {} dropped", state.queued, state.dropped);
        } else {
          text += "; the rest came out of what had been saved up";
        }
        Report({.source = state.source,
                .confidence = Confidence::kObserved,
                .severity = is_hit ? Severity::kError : Severity::kWarning,
                .text = std::move(text),
                .evidence = std::move(peak.evidence),
                .time = peak.time,
                .weight = static_cast<double>(peak.count)});
      }
    }
  }

 private:
  struct Peak {
    uint64_t count = 0;
    uint32_t players = 0;
    Rate rate;
    Time time{};
    Evidence evidence;  // What passed the limit.
  };
  struct OfSource {
    const Source* source = nullptr;
    std::array<RateWindow, kBudgets> windows;
    std::array<Peak, kBudgets> peaks;
    uint64_t queued = 0;
    uint64_t dropped = 0;
  };

  OfSource& At(const Source& source) {
    if (sources_.size() <= source.index) sources_.resize(source.index + 1);
    sources_[source.index].source = &source;
    return sources_[source.index];
  }

  void Spend(const SeenCall& seen, OfSource& state, Budget budget, Time at, uint32_t taken) {
    const auto i = static_cast<size_t>(budget);
    state.windows[i].Add(at, taken);
    const Source& source = *seen.call.source;
    if (!source.players) return;  // Without them nobody knows the limit.
    const Rate rate = host().LimitOf(source, budget);
    const uint64_t total = state.windows[i].total();
    Peak& peak = state.peaks[i];
    if (total <= rate.At(*source.players)) return;
    peak.evidence.Add(seen.call.id);
    if (total <= peak.count) return;
    peak.count = total;
    peak.players = *source.players;
    peak.rate = rate;
    peak.time = at;
  }

  std::vector<OfSource> sources_;
};

}  // namespace

constinit const RuleEntry kRateOverLimit = {
    .id = "rate-over-limit",
    .severity = Severity::kWarning,
    .title = "More requests in a minute than the server's limit",
    .meaning =
        "A server may send a base number of requests a minute and some more for each player. "
        "A new server has saved up a start-up burst, so nothing may fail yet; at this rate it "
        "will: requests wait in a queue of 30, and then fail.",
    .evidence =
        "The requests of one type within 60 s are more than its limit with the players of "
        "that moment, by the limits in the capture, else by its dated rules. An error when "
        "requests of the server were queued or dropped.",
    .fix = "Merge stores, write less often, or spread the work; with more players the limit grows.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<RateOverLimit>};

}  // namespace dstap::analyzer
