#include <map>
#include <optional>
#include <string>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kApartMax = 500ms;
constexpr Time kDriftMax = 100ms;

// Limits: two clock readings of each source, the last read of each key.
class ClocksDisagree final : public Rule {
 public:
  using Rule::Rule;

  void OnClock(const ClockReading& reading) override {
    Readings& readings = readings_[reading.source->index];
    if (!readings.first) readings.first = reading;
    readings.last = reading;
  }

  void OnCall(const SeenCall& seen) override {
    if (seen.call.version.empty() || !seen.call.completed) return;
    Read& read = reads_[seen.key];
    if (!seen.writes && seen.call.outcome == Outcome::kOk) {
      read = {seen.call.source, seen.completed(), seen.call.id, std::string(seen.call.version),
              seen.family};
      return;
    }
    const bool is_before = seen.stored && read.source != nullptr &&
                           read.source != seen.call.source && read.version == seen.call.version &&
                           read.time < seen.issued();
    if (!is_before) return;
    Evidence evidence;
    evidence.Add(read.call);
    evidence.Add(seen.call.id);
    Report({.source = read.source,
            .family = seen.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} read a version {} before {} began to write it: their clocks are "
                "apart by at least that much",
                read.source->name, Seconds(seen.issued() - read.time), seen.call.source->name),
            .evidence = std::move(evidence),
            .time = read.time,
            .weight = static_cast<double>((seen.issued() - read.time).count())});
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    const ClockReading* earliest = nullptr;
    const ClockReading* latest = nullptr;
    for (const auto& [index, readings] : readings_) {
      const ClockReading& first = *readings.first;
      if (earliest == nullptr || OffsetOf(first) < OffsetOf(*earliest)) earliest = &first;
      if (latest == nullptr || OffsetOf(first) > OffsetOf(*latest)) latest = &first;
      const Time drift = Between(readings.last.time - first.time,
                                 Between(first.on_source, readings.last.on_source));
      if (std::chrono::abs(drift) <= kDriftMax) continue;
      Say(first,
          fmt::format("the clock of {} ran {} {} than the recording's within {}",
                      first.source->name, Seconds(std::chrono::abs(drift)),
                      drift > Time(0) ? "further" : "less far",
                      Seconds(readings.last.time - first.time)),
          drift);
    }
    if (earliest == nullptr) return;
    const Time apart = Between(OffsetOf(*earliest), OffsetOf(*latest));
    if (apart <= kApartMax) return;
    Say(*latest,
        fmt::format("by the calendar {} is {} ahead of {}", latest->source->name, Seconds(apart),
                    earliest->source->name),
        apart);
  }
  void ForgetKey(size_t key) override { reads_.Forget(key); }

 private:
  struct Readings {
    std::optional<ClockReading> first;
    ClockReading last;
  };
  struct Read {
    const Source* source = nullptr;
    Time time{};
    uint64_t call = 0;
    std::string version;
    size_t family = 0;
  };

  // Time 0 of the recording by the source's calendar.
  static Time OffsetOf(const ClockReading& reading) {
    return Between(reading.time, reading.since_1970);
  }

  // Clocks can say anything: what does not fit is as far apart as can be.
  static Time Between(Time from, Time to) {
    int64_t apart = 0;
    if (!__builtin_sub_overflow(to.count(), from.count(), &apart)) {
      return std::clamp(Time(apart), -Time::max(), Time::max());
    }
    return to > from ? Time::max() : -Time::max();
  }

  void Say(const ClockReading& reading, std::string text, Time by) {
    Report({.source = reading.source,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = {},
            .time = reading.time,
            .weight = static_cast<double>(std::chrono::abs(by).count())});
  }

  std::map<size_t, Readings> readings_;  // By Source::index.
  Slots<Read> reads_;
};

}  // namespace

constinit const RuleEntry kClocksDisagree = {
    .id = "clocks-disagree",
    .severity = Severity::kWarning,
    .title = "The clocks of two servers are apart",
    .meaning =
        "What happened first on two servers cannot be told from their times closer than this.",
    .evidence =
        "Clock records whose calendars are more than 0.5 s apart, or that ran more than 0.1 s "
        "off the recording's clock; or a version that was read before the call that wrote it "
        "began.",
    .fix = "Align the captures (dstap merge) and allow for this much in any order between servers.",
    .source = "The capture format's clock records",
    .make = &MakeRule<ClocksDisagree>};

}  // namespace dstap::analyzer
