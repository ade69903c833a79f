#include <map>
#include <utility>

#include "analyzer/findings/rules/rules.h"
#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

// Limits: counts of each source.
class LegacyBudget final : public Rule {
 public:
  using Rule::Rule;

  void OnBudget(const BudgetReading& reading) override {
    if (!reading.asked || !IsLegacy(reading.type)) return;
    OfSource& asked = sources_[reading.source->index];
    if (asked.source == nullptr) asked.time = reading.time;
    asked.source = reading.source;
    ++asked.types[reading.type];
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    if (host().HasProfile("2020") || host().HasProfile("2023")) return;  // They were today's then.
    for (const auto& [index, asked] : sources_) {
      std::string types;
      uint64_t count = 0;
      for (const auto& [type, times] : asked.types) {
        const auto budget = BudgetOf(type);
        types += fmt::format("{}{}", types.empty() ? "" : ", ", NameOf(type));
        if (budget) types += fmt::format(" (now {})", NameOf(*budget));
        count += times;
      }
      Report({.source = asked.source,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = fmt::format("the budgets of old request types were asked for {} times: {}",
                                  count, types),
              .evidence = {},
              .time = asked.time,
              .weight = static_cast<double>(count)});
    }
  }

 private:
  struct OfSource {
    const Source* source = nullptr;
    Time time{};
    std::map<RequestType, uint64_t> types;
  };
  std::map<size_t, OfSource> sources_;
};

}  // namespace

constinit const RuleEntry kLegacyBudget = {
    .id = "legacy-budget",
    .severity = Severity::kNote,
    .title = "A budget of an old request type is asked for",
    .meaning =
        "The platform says that these should not be used. They still give numbers, and nothing "
        "promises that these are the numbers that requests are held to.",
    .evidence =
        "GetRequestBudgetForRequestType with a type from before 2026, under rules of 2026. "
        "The queries have no call ids.",
    .fix = "Ask for StandardRead, StandardWrite and so on.",
    .source = "DataStoreRequestType in the platform's reference",
    .make = &MakeRule<LegacyBudget>};

}  // namespace dstap::analyzer
