#include "analyzer/render/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analyzer/render/cells.h"
#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

constexpr auto kRight = Column::Align::kRight;

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

// "40", or "0 to 40" where it changed.
std::string PlayersOf(const SourceInfo& source) {
  if (!source.players) return "-";
  if (source.players_lowest == source.players_highest) return Number(*source.players);
  return fmt::format("{} to {}", source.players_lowest, source.players_highest);
}

// Where limits changed while it was recorded. Without rows: nowhere.
Table LimitChangesTable(const Report& report) {
  Table table{.columns = {Words("capture"),
                          Words("source"),
                          Words("limits changed by"),
                          {"times", kRight},
                          {"first, s", kRight},
                          {"last, s", kRight}},
              .is_grouped = true};
  for (const CaptureInfo& info : report.overview.captures) {
    const Recording& recording = info.recording;
    for (const SourceInfo& source : info.sources) {
      for (const auto& [reason, changes] : source.limit_changes) {
        table.rows.push_back(
            {CaptureLabel(report, recording.file, recording.number),
             source.name.empty() ? fmt::format("source {}", source.id) : Escape(source.name),
             OrDash(Escape(reason)), Number(changes.count), FormatSeconds(changes.first),
             FormatSeconds(changes.last)});
      }
    }
  }
  return table;
}

}  // namespace

std::string SubjectLabel(const SubjectId& subject, bool is_model) {
  std::string label = Escape(subject.name);
  if (!subject.version.empty()) label += fmt::format(" {}", Escape(subject.version));
  if (is_model) label += " (model)";
  return label;
}

std::string SubjectLabel(const SubjectRows& subject) {
  return SubjectLabel({subject.name, subject.version}, subject.is_model);
}

std::string CaptureLabel(const Report& report, const std::string& file, uint32_t recording) {
  const bool has_more = std::ranges::any_of(report.overview.captures, [&](const CaptureInfo& info) {
    return info.recording.file == file && info.recording.number > 1;
  });
  if (recording == 0 || !has_more) return Escape(file);
  return fmt::format("{}, recording {}", Escape(file), recording);
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
           OrDash(Escape(source.role)), PlayersOf(source), OrDash(Escape(source.runs))});
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
  Table limits = LimitChangesTable(report);
  if (!limits.rows.empty()) blocks.emplace_back(std::move(limits));
  return blocks;
}

std::vector<Block> NoticesBlocks(const Report& report) {
  if (report.notices.empty()) return {"None."};
  Table table{.columns = {{"kind"}, {"count", kRight}, Words("first said by"), Words("text")},
              .is_grouped = true};
  // JSON has them all; here a library that prints a line a player would push out the rest.
  constexpr size_t kShownOfAKind = 5;
  const auto& notices = report.notices;
  for (auto at = notices.begin(); at != notices.end();) {
    const auto end = std::find_if(
        at, notices.end(), [kind = at->kind](const NoticeCount& n) { return n.kind != kind; });
    uint64_t others = 0;
    for (size_t shown = 0; at != end; ++at) {
      if (at->text.empty() || shown == kShownOfAKind) {
        others += at->count;
        continue;
      }
      ++shown;
      table.rows.push_back({std::string(NameOf(at->kind)), Number(at->count),
                            OrDash(Escape(at->source_name)), ShortText(at->text)});
    }
    if (others == 0) continue;
    const auto kind = std::prev(end)->kind;
    table.rows.push_back({std::string(NameOf(kind)), Number(others), "-", "others"});
  }
  return {std::move(table)};
}

std::vector<Block> NotRunBlocks(const Report& report) {
  if (report.steps.subjects.empty() && report.not_run.empty()) return {"No steps are marked."};
  if (report.not_run.empty()) return {"Every library finished a step."};
  Table table{
      .columns = {Words("library"), {"failed", kRight}, {"not ended", kRight}, Words("reason")}};
  for (const NotRun& row : report.not_run) {
    std::string reasons;
    for (const auto& [text, count] : row.reasons) {
      reasons += fmt::format("{}{}", reasons.empty() ? "" : "\n", ShortText(text));
      if (count > 1) reasons += fmt::format(" ({} times)", count);
    }
    if (row.other_reasons > 0) reasons += fmt::format("\nand {} others", row.other_reasons);
    if (reasons.empty()) {
      reasons =
          row.steps_failed + row.steps_unfinished == 0 ? "no step was begun" : "none was given";
    }
    table.rows.push_back({SubjectLabel(row.subject, row.is_model), Number(row.steps_failed),
                          Number(row.steps_unfinished), std::move(reasons)});
  }
  return {std::move(table), "Steps of each library that failed or never ended; none ended well."};
}

std::vector<Block> NotSeenBlocks(const Report& report) {
  const Overview& overview = report.overview;
  if (overview.not_seen.empty()) return {"Nothing is known to be missing."};
  Table table{.columns = {{"what"}, Words("where"), {"count", kRight}, Words("which")},
              .is_grouped = true};
  for (const DefectCount& defect : overview.not_seen) {
    table.rows.push_back({std::string(InfoOf(defect.defect).id),
                          CaptureLabel(report, defect.file, defect.recording), Number(defect.count),
                          ShortText(defect.text)});
  }
  std::vector<Block> blocks = {std::move(table)};
  for (const DefectTotal& total : overview.totals) {
    const DefectInfo& info = InfoOf(total.defect);
    blocks.emplace_back(fmt::format("{}: {}", info.id, info.meaning));
  }
  return blocks;
}

}  // namespace dstap::analyzer
