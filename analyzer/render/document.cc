#include "analyzer/render/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/render/sections.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

constexpr std::array kSections = {
    SectionEntry{"steps", "Requests and time per step", &StepsBlocks},
    SectionEntry{"retries", "Retries", &RetriesBlocks},
    SectionEntry{"throttling", "Throttling", &ThrottlingBlocks},
    SectionEntry{"traffic", "Traffic", &TrafficBlocks},
    SectionEntry{"captures", "Captures and libraries", &CapturesBlocks},
    SectionEntry{"notices", "Notices", &NoticesBlocks},
    SectionEntry{"not-run", "Couldn't run", &NotRunBlocks},
    SectionEntry{"not-seen", "Not seen", &NotSeenBlocks},
};

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What is counted and what is not, in front of everything.
std::string FilterRemark(const Report& report) {
  const Overview& overview = report.overview;
  std::string text = fmt::format("Filter: {}. ", Escape(report.filter));
  if (overview.calls_matching == 0) {
    return text + fmt::format("None of {} matches.", Counted(overview.calls, "call"));
  }
  text += fmt::format("{} of {} match, and only these are counted.", overview.calls_matching,
                      Counted(overview.calls, "call"));
  if (report.steps.left_out > 0) {
    text += fmt::format(" {} without a match left out.", Counted(report.steps.left_out, "row"));
  }
  return text;
}

uint64_t CountOf(const Report& report, Defect defect) {
  for (const DefectTotal& total : report.overview.totals) {
    if (total.defect == defect) return total.count;
  }
  return 0;
}

// "unfinished 1, calls-in-flight 2": everything but notes.
std::string Incomplete(const Report& report) {
  std::string text;
  for (const DefectTotal& total : report.overview.totals) {
    const DefectInfo& info = InfoOf(total.defect);
    if (info.severity == DefectSeverity::kNote) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", info.id, total.count);
  }
  return text;
}

}  // namespace

std::span<const SectionEntry> AllSections() { return kSections; }

Document DocumentOf(const Report& report, std::span<const std::string> names) {
  Document document;
  document.title = fmt::format(
      "dstap report: {}, {}, {}, {}", Counted(report.overview.captures.size(), "capture"),
      Counted(report.steps.subjects.size(), "subject"),
      Counted(report.steps.step_names.size(), "step"), Counted(report.overview.calls, "call"));
  if (!report.filter.empty()) document.remarks.push_back(FilterRemark(report));
  if (const std::string incomplete = Incomplete(report); !incomplete.empty()) {
    document.remarks.push_back(fmt::format("Not whole: {}. See \"Not seen\".", incomplete));
  }
  if (!report.not_run.empty()) {
    document.remarks.push_back(fmt::format("{} could not be run. See \"Couldn't run\".",
                                           Counted(report.not_run.size(), "subject")));
  }
  if (const uint64_t faults = CountOf(report, Defect::kFaultInjected); faults > 0) {
    document.remarks.push_back(
        fmt::format("{} on purpose. See \"Not seen\".", Counted(faults, "fault")));
  }
  for (const SectionEntry& section : kSections) {
    if (!names.empty() && std::ranges::find(names, section.name) == names.end()) continue;
    document.sections.push_back({std::string(section.title), section.blocks(report)});
  }
  return document;
}

}  // namespace dstap::analyzer
