#include "analyzer/render/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

constexpr auto kRight = Column::Align::kRight;

std::string OrDash(std::string text) { return text.empty() ? "-" : text; }

std::string Number(uint64_t value) { return fmt::format("{}", value); }

// The rows of one step, each with its subject.
template <typename Function>
void ForEachRow(const StepsTable& table, Function function) {
  for (const std::string& name : table.step_names) {
    for (const SubjectRows& subject : table.subjects) {
      for (const StepRow& row : subject.steps) {
        if (row.name == name) function(subject, row);
      }
    }
  }
}

std::string SamplesCell(const StepRow& row) {
  std::string text = Number(row.samples);
  if (row.failed > 0) text += fmt::format("\n{} failed", row.failed);
  if (row.unfinished > 0) text += fmt::format("\n{} not ended", row.unfinished);
  return text;
}

std::string RequestsCell(const StepRow& row) {
  if (row.samples == 0) return "-";
  std::string text = FormatRequests(row.requests);
  if (row.failed_calls.max > 0) text += fmt::format(" ({} failed)", FormatRange(row.failed_calls));
  if (!row.services.empty()) text += fmt::format("\n+ {}", FormatRequests(row.services));
  return text;
}

std::string SecondsCell(const StepRow& row) {
  std::string text;
  if (row.seconds) text = FormatTimes(*row.seconds) + (row.tie.empty() ? "" : " ~");
  if (row.failed_seconds) {
    text += fmt::format("{}failed: {}", text.empty() ? "" : "\n", FormatTimes(*row.failed_seconds));
  }
  return OrDash(text);
}

std::string TieCell(const StepsTable& table, const StepRow& row) {
  std::string text;
  for (const size_t other : row.tie) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", Escape(table.subjects[other].label));
  }
  return text;
}

void AddThrottlingColumns(Table& table) {
  for (const char* title : {"sent", "local", "at once", "queued", "dropped", "gap"}) {
    table.columns.push_back({.title = title, .align = kRight});
  }
}

void AddThrottlingCells(const Throttling& counts, std::vector<std::string>& cells) {
  for (const uint64_t count :
       {counts.sent, counts.local, counts.admitted, counts.queued, counts.dropped}) {
    cells.push_back(Number(count));
  }
  cells.push_back(FormatGap(counts));
}

constexpr std::string_view kStages =
    "sent = local + at once + queued + dropped + gap; each call counts once, by its worst stage.";

std::string MethodsCell(const SourceTraffic& row, uint64_t MethodCount::*count) {
  std::string text;
  for (const MethodCount& method : row.methods) {
    if (method.*count == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", method.*count, MethodLabel(method.name));
  }
  return text.empty() ? "none" : text;
}

std::string SourceLabel(const SourceTraffic& row) {
  if (!row.source_name.empty()) return Escape(row.source_name);
  return row.source == 0 ? "not known" : fmt::format("source {}", row.source);
}

}  // namespace

std::string SubjectLabel(const SubjectRows& subject) {
  std::string label = Escape(subject.name);
  if (!subject.version.empty()) label += fmt::format(" {}", Escape(subject.version));
  if (subject.is_model) label += " (model)";
  return label;
}

std::string CaptureLabel(const Report& report, const std::string& file, uint32_t recording) {
  const bool has_more = std::ranges::any_of(report.overview.captures, [&](const CaptureInfo& info) {
    return info.recording.file == file && info.recording.number > 1;
  });
  if (recording == 0 || !has_more) return Escape(file);
  return fmt::format("{}, recording {}", Escape(file), recording);
}

std::vector<Block> StepsBlocks(const Report& report) {
  const StepsTable& steps = report.steps;
  if (steps.subjects.empty()) {
    return {"No steps are marked in what was read; \"Traffic\" shows the calls by source."};
  }
  std::vector<Block> blocks;
  Table table{.columns = {{"step"}, {"library"}, {"n"}, Words("requests"), {"seconds"}},
              .is_grouped = true};
  Table values{.columns = {{"step"}, {"library"}, Words("value seen")}, .is_grouped = true};
  Table ties{.columns = {{"step"}, {"library"}, Words("time not told apart from (~)")},
             .is_grouped = true};
  bool has_range_only = false;
  bool has_services = false;
  ForEachRow(steps, [&](const SubjectRows&, const StepRow& row) {
    has_services = has_services || !row.services.empty();
    has_range_only = has_range_only || (row.seconds && row.seconds->count == 1);
  });
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    const std::string name = Escape(row.name);
    const std::string label = SubjectLabel(subject);
    table.rows.push_back({name, label, SamplesCell(row), RequestsCell(row), SecondsCell(row)});
    if (!row.values_seen.empty()) values.rows.push_back({name, label, FormatValues(row)});
    if (!row.tie.empty()) ties.rows.push_back({name, label, TieCell(steps, row)});
  });
  blocks.emplace_back(std::move(table));
  std::string words =
      "n: samples. Requests are the same in every sample unless a range is given. Seconds: median "
      "(lowest to highest), from the library's call until its request has finished.";
  if (has_range_only) words += " Range only: one sample, so there is no median to compare.";
  if (!ties.rows.empty()) {
    words += " ~: a tie; medians within one timing step (1/60 s) show no difference.";
  }
  if (has_services) words += " +: MemoryStore and Messaging, which spend no DataStore budget.";
  blocks.emplace_back(std::move(words));
  if (!values.rows.empty()) blocks.emplace_back(std::move(values));
  if (!ties.rows.empty()) blocks.emplace_back(std::move(ties));
  return blocks;
}

std::vector<Block> ThrottlingBlocks(const Report& report) {
  if (report.steps.subjects.empty()) {
    return {"No steps are marked; \"Traffic\" has the same numbers by source."};
  }
  Table table{.columns = {{"step"}, Words("library")}, .is_grouped = true};
  AddThrottlingColumns(table);
  bool has_others = false;
  ForEachRow(report.steps, [&](const SubjectRows& subject, const StepRow& row) {
    if (row.throttling.admitted == row.throttling.sent) {
      has_others = has_others || row.throttling.sent > 0;
      return;
    }
    std::vector<std::string> cells = {Escape(row.name), SubjectLabel(subject)};
    AddThrottlingCells(row.throttling, cells);
    table.rows.push_back(std::move(cells));
  });
  if (table.rows.empty()) {
    return {has_others ? "Every request of every step was let through at once."
                       : "No step sent a request."};
  }
  std::string words(kStages);
  if (has_others) words += " In steps that are not listed every request was let through at once.";
  return {std::move(table), std::move(words)};
}

std::vector<Block> TrafficBlocks(const Report& report) {
  if (report.traffic.empty()) return {"No calls."};
  Table calls{.columns = {Words("capture"),
                          Words("source"),
                          {"calls", kRight},
                          Words("by method"),
                          Words("outside of steps")},
              .is_grouped = true};
  Table stages{.columns = {Words("capture"), Words("source")}, .is_grouped = true};
  AddThrottlingColumns(stages);
  for (const SourceTraffic& row : report.traffic) {
    const std::string capture = CaptureLabel(report, row.file, row.recording);
    calls.rows.push_back({capture, SourceLabel(row), Number(row.calls),
                          MethodsCell(row, &MethodCount::calls),
                          MethodsCell(row, &MethodCount::outside_steps)});
    std::vector<std::string> cells = {capture, SourceLabel(row)};
    AddThrottlingCells(row.throttling, cells);
    stages.rows.push_back(std::move(cells));
  }
  return {std::move(calls), std::move(stages), std::string(kStages)};
}

std::vector<Block> CapturesBlocks(const Report& report) {
  const Overview& overview = report.overview;
  if (overview.captures.empty()) return {"No capture could be read."};
  Table captures{.columns = {Words("capture"),
                             {"state"},
                             {"backend"},
                             {"rules"},
                             {"clock"},
                             {"seed", kRight},
                             {"seconds", kRight},
                             {"calls", kRight}}};
  Table sources{.columns = {Words("capture"),
                            Words("source"),
                            Words("role"),
                            {"players", kRight},
                            Words("library")},
                .is_grouped = true};
  for (const CaptureInfo& info : overview.captures) {
    const Recording& recording = info.recording;
    const std::string label = CaptureLabel(report, recording.file, recording.number);
    captures.rows.push_back(
        {label, std::string(NameOf(info.state)), OrDash(Escape(recording.backend)),
         OrDash(Escape(recording.rule_profile)), std::string(NameOf(recording.clock)),
         recording.seed ? Number(*recording.seed) : "-", FormatSeconds(recording.last),
         Number(recording.calls)});
    for (const SourceInfo& source : info.sources) {
      sources.rows.push_back(
          {label, source.name.empty() ? fmt::format("source {}", source.id) : Escape(source.name),
           OrDash(Escape(source.role)), source.players ? Number(*source.players) : "-",
           OrDash(Escape(source.library))});
    }
  }
  std::vector<Block> blocks = {std::move(captures)};
  if (!overview.libraries.empty()) {
    Table libraries{.columns = {Words("library"),
                                Words("version"),
                                Words("commit"),
                                Words("licence"),
                                Words("from"),
                                {"what"}}};
    for (const Library& library : overview.libraries) {
      libraries.rows.push_back({OrDash(Escape(library.name)), OrDash(Escape(library.version)),
                                OrDash(Escape(library.commit)), OrDash(Escape(library.licence)),
                                OrDash(Escape(library.origin)),
                                library.is_model ? "model" : "its own source"});
    }
    blocks.emplace_back(std::move(libraries));
  }
  if (!sources.rows.empty()) blocks.emplace_back(std::move(sources));
  return blocks;
}

std::vector<Block> NotSeenBlocks(const Report& report) {
  const Overview& overview = report.overview;
  if (overview.not_seen.empty()) return {"Nothing is known to be missing."};
  Table table{.columns = {{"what"}, Words("where"), {"count", kRight}, Words("which")},
              .is_grouped = true};
  for (const DefectCount& defect : overview.not_seen) {
    table.rows.push_back({std::string(InfoOf(defect.defect).id),
                          CaptureLabel(report, defect.file, defect.recording), Number(defect.count),
                          Escape(defect.text)});
  }
  std::vector<Block> blocks = {std::move(table)};
  for (const DefectTotal& total : overview.totals) {
    const DefectInfo& info = InfoOf(total.defect);
    blocks.emplace_back(fmt::format("{}: {}", info.id, info.meaning));
  }
  return blocks;
}

}  // namespace dstap::analyzer
