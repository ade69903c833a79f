#include <set>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kRequestsMin = 4;
constexpr Time kPauseMax = 50ms;
constexpr Time kSavedMin = 1s;
constexpr size_t kLanesMax = 1000;

// Limits: one series a source, of kLanesMax different keys.
class SequentialRequests final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const Source& source = *seen.call.source;
    if (series_.size() <= source.index) series_.resize(source.index + 1);
    Series& series = series_[source.index];
    if (!seen.call.completed) return End(series);
    const Time pause = seen.issued() - series.last;
    const bool goes_on = !series.lanes.empty() && pause >= Time(0) && pause <= kPauseMax &&
                         series.lanes.size() < kLanesMax && !series.lanes.contains(seen.lane);
    if (!goes_on) {
      End(series);
      series.first = seen.issued();
      series.source = &source;
      series.step = seen.step_name;
      series.family = seen.family;
    }
    if (series.family != seen.family) series.family = kNone;
    series.lanes.insert(seen.lane);
    series.last = seen.completed();
    series.longest = std::max(series.longest, seen.completed() - seen.issued());
    series.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (Series& series : series_) End(series);
  }

 private:
  struct Series {
    std::set<size_t> lanes;
    Time first{};
    Time last{};
    Time longest{};
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Evidence evidence;
  };

  void End(Series& series) {
    const Time all = series.last - series.first;
    if (series.lanes.size() >= kRequestsMin && all - series.longest >= kSavedMin) {
      Report({.source = series.source,
              .step = host().StepAt(series.step),
              .family = series.family,
              .confidence = Confidence::kInferred,
              .severity = std::nullopt,
              .text = fmt::format(
                  "{} of different keys, each sent when the one before was answered, "
                  "took {}; the longest took {}",
                  Count(series.lanes.size(), "request"), Seconds(all), Seconds(series.longest)),
              .evidence = std::move(series.evidence),
              .time = series.first,
              .weight = static_cast<double>(all.count())});
    }
    series = Series();
  }

  std::vector<Series> series_;
};

}  // namespace

constinit const RuleEntry kSequentialRequests = {
    .id = "sequential-requests",
    .severity = Severity::kNote,
    .title = "Requests that could go together are sent one after the other",
    .meaning =
        "Requests for different keys do not wait for each other in the service. Sent together "
        "they take as long as the longest, as far as the budget allows.",
    .evidence =
        "At least 4 requests of one server for different keys, never two open at once, each "
        "at most 0.05 s behind the answer to the one before, that together took at least 1 s "
        "longer than the longest. That the later ones do not need the earlier ones is an "
        "inference.",
    .fix = "Start them together (task.spawn) and wait for all.",
    .source = "A field report of saves at shutdown",
    .make = &MakeRule<SequentialRequests>};

}  // namespace dstap::analyzer
