#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: one series of tries a key and source, and the last write of each key.
class StaleUpdate final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.call.method != Method::kUpdateAsync || seen.failed) return;
    Series& series = series_[seen.lane];
    if (series.tries > 0 && seen.issued() - series.last > kGapMax) End(series);
    if (series.tries == 0) {
      series.first = seen.issued();
      series.source = seen.call.source;
      series.step = seen.step_name;
      series.family = seen.family;
    }
    const bool wrote_nothing = seen.call.outcome == Outcome::kCancelled;
    if (wrote_nothing && seen.is_local && series.tries > 0) {
      ++series.local;
      series.is_observed = series.is_observed && seen.is_local_observed;
      series.evidence.Add(seen.call.id);
    }
    ++series.tries;
    series.last = seen.issued();
    if (seen.stored) {
      const Write& write = writes_[seen.key];
      if (write.source != nullptr && write.source != seen.call.source &&
          write.time > series.first && write.time < seen.issued()) {
        series.lost = seen.issued() - write.time;
      }
      End(series);
      writes_[seen.key] = {seen.call.source, seen.completed()};
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < series_.size(); ++lane) End(series_[lane]);
  }
  void ForgetLane(size_t lane) override { End(series_[lane]); }
  void ForgetKey(size_t key) override { writes_.Forget(key); }

 private:
  static constexpr Time kGapMax = 30s;
  struct Series {
    uint64_t tries = 0;
    uint64_t local = 0;
    bool is_observed = true;
    Time first{};
    Time last{};
    Time lost{};
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Evidence evidence;
  };
  struct Write {
    const Source* source = nullptr;
    Time time{};
  };

  void End(Series& series) {
    if (series.local > 0) {
      std::string text = fmt::format(
          "{} of {} were answered by the server's own copy and could not see anything new",
          series.local, Count(series.tries, "try"));
      if (series.lost > Time(0)) {
        text += fmt::format("; another server had written the key {} before the try that saw it",
                            Seconds(series.lost));
      }
      Report({.source = series.source,
              .step = host().StepAt(series.step),
              .family = series.family,
              .confidence = series.is_observed ? Confidence::kObserved : Confidence::kInferred,
              .severity = std::nullopt,
              .text = std::move(text),
              .evidence = std::move(series.evidence),
              .time = series.first,
              .weight = static_cast<double>(series.local)});
    }
    series = Series();
  }

  Slots<Series> series_;
  Slots<Write> writes_;
};

}  // namespace

constinit const RuleEntry kStaleUpdate = {
    .id = "stale-update",
    .severity = Severity::kWarning,
    .title = "UpdateAsync is answered by the server's own copy",
    .meaning =
        "For about 4 s an UpdateAsync whose transform writes nothing gets the value that the "
        "server saw last. Tries in that time cannot see that a lock was released.",
    .evidence =
        "An UpdateAsync that wrote nothing, after another one of the key, and the capture "
        "says that the copy answered. Where it does not say: it took under 10 ms on a server "
        "whose other answers took 50 ms and more.",
    .fix = "Read once with UseCache = false before trying again: it refreshes the copy.",
    .source =
        "Measurements of server hops; versioning, listing and caching in the platform's "
        "documentation",
    .make = &MakeRule<StaleUpdate>};

}  // namespace dstap::analyzer
