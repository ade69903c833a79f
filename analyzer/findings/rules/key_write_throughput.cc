#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint32_t kKibMax = 4096;  // A minute.
// What claims to be larger is counted as this.
constexpr uint64_t kBytesMax = uint64_t{1} << 30;
// A key that never has a larger value cannot come near the limit, and need not be counted.
constexpr uint64_t kBytesMin = 16 * 1024;

// Limits: a minute's counts of each key with values of kBytesMin and more.
class KeyWriteThroughput final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const bool counts = seen.stored || (seen.writes && seen.error == ErrorClass::kKeyThrottled);
    if (!counts || !seen.call.written || seen.call.written->bytes < kBytesMin) return;
    const uint64_t bytes = std::min(seen.call.written->bytes, kBytesMax);
    RateWindow& window = windows_[seen.key];
    window.Add(seen.issued(), static_cast<uint32_t>((bytes + 1023) / 1024));
    if (window.total() <= kKibMax) return;
    Evidence evidence;
    evidence.Add(seen.call.id);
    Report(
        {.source = seen.call.source,
         .step = StepName(seen.step),
         .family = seen.family,
         .confidence = Confidence::kObserved,
         .severity = std::nullopt,
         .text = fmt::format("{} of one key were written within a minute, and {} may be; a value "
                             "of {} may be written {} a minute",
                             Bytes(window.total() * 1024), Bytes(uint64_t{kKibMax} * 1024),
                             Bytes(bytes), Count(kKibMax / ((bytes + 1023) / 1024), "time")),
         .evidence = std::move(evidence),
         .time = seen.issued(),
         .weight = static_cast<double>(window.total())});
  }
  void ForgetKey(size_t key) override { windows_.Forget(key); }

 private:
  Slots<RateWindow> windows_;
};

}  // namespace

constinit const RuleEntry kKeyWriteThroughput = {
    .id = "key-write-throughput",
    .severity = Severity::kWarning,
    .title = "One key is written with more bytes than it may be",
    .meaning = "Writes past 4 MB a minute and key, of all servers together, fail or wait.",
    .evidence =
        "More than 4 MiB written to one key within 60 s, each write rounded up to a KiB, of "
        "values of at least 16 KiB.",
    .fix = "Save large values less often, or split what changes often from what does not.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<KeyWriteThroughput>};

}  // namespace dstap::analyzer
