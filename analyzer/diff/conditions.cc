#include "analyzer/diff/conditions.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

using MayChange = Condition::MayChange;

// Each value once, sorted: "1", "1, 2"; "-": there is none.
std::string Joined(const std::set<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    text +=
        fmt::format("{}{}", text.empty() ? "" : ", ", value.empty() ? "(empty)" : Escape(value));
  }
  return text.empty() ? "-" : text;
}

template <typename Function>
std::set<std::string> ValuesOf(const Overview& overview, Function value) {
  std::set<std::string> values;
  for (const CaptureInfo& capture : overview.captures) values.insert(value(capture));
  return values;
}

std::string RulesOf(const CaptureInfo& capture) {
  if (!capture.recording.has_header) return "not known";
  const std::string& rules = capture.recording.rule_profile;
  return rules.empty() ? "a live service" : rules;
}

std::string BackendOf(const CaptureInfo& capture) {
  return capture.recording.backend.empty() ? "not known" : capture.recording.backend;
}

std::string ToolOf(const CaptureInfo& capture) {
  return capture.recording.tool + " " + capture.recording.tool_version;
}

std::string SeedOf(const CaptureInfo& capture) {
  return capture.recording.seed ? fmt::format("{}", *capture.recording.seed) : "none";
}

std::set<std::string> ScenariosOf(const Overview& overview) {
  std::set<std::string> names;
  for (const CaptureInfo& capture : overview.captures) {
    names.insert(capture.scenarios.begin(), capture.scenarios.end());
  }
  return names;
}

std::set<std::string> PlayersOf(const Overview& overview) {
  std::set<std::string> values;
  for (const CaptureInfo& capture : overview.captures) {
    for (const SourceInfo& source : capture.sources) {
      values.insert(source.players ? fmt::format("{}", *source.players) : "not known");
    }
  }
  return values;
}

// By option name.
using Options = std::map<std::string, std::set<std::string>>;

void Add(const std::vector<Option>& options, Options& to) {
  for (const Option& option : options) to[option.name].insert(option.value);
}

Options RecordingOptionsOf(const Overview& overview) {
  Options options;
  for (const CaptureInfo& capture : overview.captures) Add(capture.recording.options, options);
  return options;
}

Options SourceOptionsOf(const Overview& overview) {
  Options options;
  for (const CaptureInfo& capture : overview.captures) {
    for (const SourceInfo& source : capture.sources) Add(source.options, options);
  }
  return options;
}

// "unfinished 1, calls-lost 12": the defects that `is_wanted` picks. Empty: none.
template <typename Predicate>
std::string Listed(const Overview& overview, Predicate is_wanted) {
  std::string text;
  for (const DefectTotal& total : overview.totals) {
    if (!is_wanted(total.defect)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", InfoOf(total.defect).id, total.count);
  }
  return text;
}

// What makes counts lower bounds. Steps that failed or did not end are compared step by step.
bool IsMissing(Defect defect) {
  if (defect == Defect::kInterrupted) return true;
  return InfoOf(defect).severity != DefectSeverity::kNote && defect != Defect::kStepUnfinished;
}

std::string TroubleOf(const Overview& overview) {
  const std::string text = Listed(overview, [](Defect defect) {
    return IsMissing(defect) || defect == Defect::kFaultInjected;
  });
  return text.empty() ? "-" : text;
}

class Comparison {
 public:
  void Add(std::string what, std::string before, std::string after, MayChange may_change) {
    if (before == after) return;
    differing_.push_back({.what = std::move(what),
                          .before = std::move(before),
                          .after = std::move(after),
                          .may_change = may_change});
  }
  void Add(std::string what, const std::set<std::string>& before,
           const std::set<std::string>& after, MayChange may_change) {
    Add(std::move(what), Joined(before), Joined(after), may_change);
  }
  void AddOptions(std::string_view kind, const Options& before, const Options& after) {
    std::set<std::string> names;
    for (const auto& [name, values] : before) names.insert(name);
    for (const auto& [name, values] : after) names.insert(name);
    const auto values_of = [](const Options& options, const std::string& name) {
      const auto found = options.find(name);
      return found == options.end() ? std::set<std::string>() : found->second;
    };
    for (const std::string& name : names) {
      if (name == kLibraryOption) continue;  // That is what is compared.
      Add(fmt::format("{} {}", kind, Escape(name)), values_of(before, name), values_of(after, name),
          name == "samples" ? MayChange::kTimes : MayChange::kCounts);
    }
  }
  // The same trouble on both sides is trouble.
  void AddTrouble(std::string before, std::string after) {
    if (before == "-" && after == "-") return;
    differing_.push_back({.what = "not whole, or changed on purpose",
                          .before = std::move(before),
                          .after = std::move(after)});
  }
  std::vector<Condition> Take() { return std::move(differing_); }

 private:
  std::vector<Condition> differing_;
};

}  // namespace

std::string MissingOf(const Overview& overview) {
  return Listed(overview, [](Defect defect) {
    return IsMissing(defect) && defect != Defect::kCallsInFlight;
  });
}

std::vector<Condition> DifferingConditions(const Overview& before, const Overview& after) {
  Comparison comparison;
  const auto add = [&](std::string what, auto value, MayChange may_change) {
    comparison.Add(std::move(what), ValuesOf(before, value), ValuesOf(after, value), may_change);
  };
  comparison.Add("scenario", ScenariosOf(before), ScenariosOf(after), MayChange::kCounts);
  add("rules", &RulesOf, MayChange::kCounts);
  add("backend", &BackendOf, MayChange::kCounts);
  add(
      "clock",
      [](const CaptureInfo& capture) { return std::string(NameOf(capture.recording.clock)); },
      MayChange::kCounts);
  comparison.Add("players", PlayersOf(before), PlayersOf(after), MayChange::kCounts);
  comparison.AddOptions("option", RecordingOptionsOf(before), RecordingOptionsOf(after));
  comparison.AddOptions("source option", SourceOptionsOf(before), SourceOptionsOf(after));
  comparison.AddTrouble(TroubleOf(before), TroubleOf(after));
  add("seed", &SeedOf, MayChange::kTimes);
  add("recorded by", &ToolOf, MayChange::kTimes);
  return comparison.Take();
}

}  // namespace dstap::analyzer
