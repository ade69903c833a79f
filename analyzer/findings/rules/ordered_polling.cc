#include <vector>

#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kReadsMin = 3;

// Limits: one count a store and source, a minute's counts of each source.
class OrderedPolling final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.call.method != Method::kGetSortedAsync) return;
    Board& board = boards_[seen.lane];
    if (++board.reads == kReadsMin) {
      Polled& polled = At(seen);
      ++polled.boards;
      polled.families_seen = polled.boards == 1 || polled.family == seen.family;
      polled.family = polled.families_seen ? seen.family : kNone;
    }
    Polled& polled = At(seen);
    polled.window.Add(seen.issued(), 1);
    polled.evidence.Add(seen.call.id);
    if (polled.window.total() <= polled.most) return;
    polled.most = polled.window.total();
    polled.time = seen.issued();
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (Polled& polled : sources_) {
      if (polled.boards == 0) continue;
      const Rate rate = host().LimitOf(*polled.source, Budget::kOrderedList);
      const uint64_t alone = rate.At(1);
      if (polled.most <= alone || rate.per_player == 0) continue;
      const uint64_t fits_from = (polled.most - rate.base + rate.per_player - 1) / rate.per_player;
      // Three quarters of the limit, so that something is left for others.
      const double period =
          60.0 * static_cast<double>(polled.boards) / (0.75 * static_cast<double>(alone));
      const bool is_over = polled.source->players && polled.most > rate.At(*polled.source->players);
      Report(
          {.source = polled.source,
           .family = polled.family,
           .confidence = is_over ? Confidence::kObserved : Confidence::kInferred,
           .severity = std::nullopt,
           .text = fmt::format(
               "{} are read up to {} times a minute, and {} allow {} with 1 player; it fits from "
               "{} on, or with one player every {:.1f} s at three quarters of the limit",
               Count(polled.boards, "ordered store"), polled.most, host().ProfileWords(), alone,
               Count(fits_from, "player"), period),
           .evidence = std::move(polled.evidence),
           .time = polled.time,
           .weight = static_cast<double>(polled.most)});
    }
  }
  void ForgetLane(size_t lane) override { boards_.Forget(lane); }

 private:
  struct Board {
    uint64_t reads = 0;
  };
  struct Polled {
    const Source* source = nullptr;
    uint64_t boards = 0;
    bool families_seen = false;
    size_t family = kNone;
    RateWindow window;
    uint64_t most = 0;
    Time time{};
    Evidence evidence;
  };

  Polled& At(const SeenCall& seen) {
    const size_t source = seen.call.source->index;
    if (sources_.size() <= source) sources_.resize(source + 1);
    sources_[source].source = seen.call.source;
    return sources_[source];
  }

  Slots<Board> boards_;
  std::vector<Polled> sources_;  // By Source::index.
};

}  // namespace

constinit const RuleEntry kOrderedPolling = {
    .id = "ordered-store-polling",
    .severity = Severity::kWarning,
    .title = "Leaderboards are read more often than an almost empty server may",
    .meaning =
        "Sorted reads have the smallest limit of all, and it is tightest with one player, "
        "where nobody tests.",
    .evidence =
        "Ordered stores that are read at least 3 times each, more often in a minute than a "
        "server with one player may.",
    .fix = "Read less often the more boards there are, or let one server read for all.",
    .source = "A game's configuration with the numbers worked out",
    .make = &MakeRule<OrderedPolling>};

}  // namespace dstap::analyzer
