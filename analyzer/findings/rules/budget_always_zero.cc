#include <array>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/findings/rules/rules.h"
#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kReadingsMin = 3;

// Limits: counts of each source and request type.
class BudgetAlwaysZero final : public Rule {
 public:
  using Rule::Rule;

  void OnBudget(const BudgetReading& reading) override {
    Readings& readings = readings_[{reading.source->index, reading.type}];
    if (readings.count++ == 0) readings.time = reading.time;
    readings.source = reading.source;
    if (reading.visible > 0) ++readings.above_zero;
  }

  void OnCall(const SeenCall& seen) override {
    if (seen.call.outcome != Outcome::kOk || seen.call.times_queued > 0) return;
    for (const Cost& cost : seen.costs) {
      if (!cost.budget || cost.taken == 0) continue;
      const size_t source = seen.call.source->index;
      if (passed_.size() <= source) passed_.resize(source + 1);
      passed_[source][static_cast<size_t>(*cost.budget)].Add(seen.call.id);
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (const auto& [which, readings] : readings_) {
      const auto budget = BudgetOf(which.second);
      if (readings.count < kReadingsMin || readings.above_zero > 0 || !budget) continue;
      if (which.first >= passed_.size()) continue;
      const Evidence& passed = passed_[which.first][static_cast<size_t>(*budget)];
      if (passed.count == 0) continue;
      Report({.source = readings.source,
              .confidence = Confidence::kInferred,
              .severity = std::nullopt,
              .text = fmt::format("the budget of {} was 0 in all of {}, and {} that spend it were "
                                  "let through at once: it is not reported rather than used up",
                                  NameOf(which.second), Count(readings.count, "reading"),
                                  Count(passed.count, "request")),
              .evidence = passed,
              .time = readings.time,
              .weight = static_cast<double>(readings.count)});
    }
  }

 private:
  struct Readings {
    const Source* source = nullptr;
    uint64_t count = 0;
    uint64_t above_zero = 0;
    Time time{};
  };
  std::map<std::pair<size_t, RequestType>, Readings> readings_;
  std::vector<std::array<Evidence, kBudgets>> passed_;  // By Source::index and Budget.
};

}  // namespace

constinit const RuleEntry kBudgetAlwaysZero = {
    .id = "budget-always-zero",
    .severity = Severity::kWarning,
    .title = "A budget is always 0 while its requests pass",
    .meaning =
        "Code that waits until it is above 0 waits for ever. OrderedList is documented to give "
        "0 always.",
    .evidence =
        "At least 3 readings of a budget, all 0, and requests that spend it and were neither "
        "queued nor dropped.",
    .fix = "Do not gate on this type; count the requests yourself.",
    .source = "DataStoreRequestType in the platform's reference",
    .make = &MakeRule<BudgetAlwaysZero>};

}  // namespace dstap::analyzer
