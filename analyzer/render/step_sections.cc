#include <fmt/format.h>

#include <algorithm>

#include "analyzer/render/cells.h"
#include "analyzer/render/format.h"
#include "analyzer/render/sections.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/method_counts.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

constexpr auto kRight = Column::Align::kRight;

// Methods that have a column of their own; with more a table is too wide for a line.
constexpr size_t kMethodsShown = 4;

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

bool HasRows(const StepsTable& table) {
  return std::ranges::any_of(table.subjects,
                             [](const SubjectRows& subject) { return !subject.steps.empty(); });
}

std::string SamplesCell(const StepRow& row) {
  std::string text = Number(row.samples);
  if (row.unfinished > 0) text += fmt::format("\n{} not ended", row.unfinished);
  return text;
}

const NamedRange* Find(const std::vector<NamedRange>& ranges, std::string_view name) {
  const auto found = std::ranges::find(ranges, name, &NamedRange::name);
  return found == ranges.end() ? nullptr : &*found;
}

// "61", "61 (60 failed)", "5 (3 local)", "1 or 2", "-".
std::string CountCell(const StepRow& row, std::string_view method) {
  const NamedRange* requests = Find(row.requests, method);
  if (requests == nullptr) return "-";
  std::string text = FormatRange(requests->range);
  std::string parts;
  const auto add = [&](const std::vector<NamedRange>& ranges, std::string_view what) {
    const NamedRange* found = Find(ranges, method);
    if (found == nullptr) return;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", FormatRange(found->range), what);
  };
  add(row.failed_requests, "failed");
  add(row.local_requests, "local");
  return parts.empty() ? text : fmt::format("{} ({})", text, parts);
}

// What has no column, and the other services.
std::string OthersCell(const StepRow& row, const std::vector<std::string_view>& shown) {
  std::string text;
  const auto add = [&text](std::string_view sign, const std::string& count, std::string_view name) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", sign, count, MethodLabel(name));
  };
  for (const NamedRange& request : row.requests) {
    if (std::ranges::find(shown, request.name) == shown.end()) {
      add("", CountCell(row, request.name), request.name);
    }
  }
  for (const NamedRange& service : row.services) add("+", FormatRange(service.range), service.name);
  return text;
}

std::string SameCell(const StepRow& row) {
  if (row.samples == 0) return "-";
  if (row.samples == 1) return "one sample";
  return row.is_same_in_every_sample() ? "same in every sample" : "varied";
}

// In lines that are no wider than what stands below.
std::string ColumnTitle(std::string_view method) {
  return std::string(method == NameOfColumn(kPastColumn) ? "GetAsync\npast the\ncache"
                                                         : MethodLabel(method));
}

std::vector<Block> RequestsOf(const StepsTable& steps, bool is_filtered) {
  std::vector<std::string_view> used;
  bool has_services = false;
  bool has_local = false;
  ForEachRow(steps, [&](const SubjectRows&, const StepRow& row) {
    has_local = has_local || !row.local_requests.empty();
    has_services = has_services || !row.services.empty();
    for (const NamedRange& request : row.requests) {
      if (std::ranges::find(used, request.name) == used.end()) used.push_back(request.name);
    }
  });
  std::vector<std::string_view> shown;
  for (const size_t column : kColumnOrder) {
    const std::string_view name = NameOfColumn(column);
    if (shown.size() < kMethodsShown && std::ranges::find(used, name) != used.end()) {
      shown.push_back(name);
    }
  }
  const bool has_others = has_services || shown.size() < used.size();

  Table table{.columns = {{"step"}, {"library"}, {"n"}}, .is_grouped = true};
  for (const std::string_view method : shown) table.columns.push_back({ColumnTitle(method)});
  if (has_others) table.columns.push_back(Words("others"));
  table.columns.push_back(Words(is_filtered ? "counts of\nmatching calls" : "counts"));
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    std::vector<std::string> cells = {Escape(row.name), SubjectLabel(subject), SamplesCell(row)};
    for (const std::string_view method : shown) cells.push_back(CountCell(row, method));
    if (has_others) cells.push_back(OrDash(OthersCell(row, shown)));
    cells.push_back(SameCell(row));
    table.rows.push_back(std::move(cells));
  });
  std::string words = "Requests in one sample, failed ones included. n: samples.";
  if (is_filtered) words += " Only calls that match the filter are counted.";
  if (has_local) {
    words += " Local: answered by the server's own copy of the key; the others left the server.";
  }
  if (has_services) words += " +: MemoryStore and Messaging, which spend no DataStore budget.";
  return {std::move(table), std::move(words)};
}

std::string TieCell(const StepsTable& table, const StepRow& row) {
  std::string text;
  for (const size_t other : row.tie) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", Escape(table.subjects[other].label));
  }
  return text;
}

// How long failed samples took to give up. Empty: none did.
Table FailedTimesOf(const StepsTable& steps) {
  Table table{.columns = {{"step"}, {"library"}, {"failed", kRight}, {"seconds until it gave up"}},
              .is_grouped = true};
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    if (!row.failed_seconds) return;
    table.rows.push_back({Escape(row.name), SubjectLabel(subject), Number(row.failed),
                          FormatTimes(*row.failed_seconds)});
  });
  return table;
}

std::vector<Block> TimesOf(const StepsTable& steps) {
  bool has_range_only = false;
  bool has_tie = false;
  Table table{.columns = {{"step"},
                          Words("library"),
                          {"median", kRight},
                          {"min", kRight},
                          {"max", kRight},
                          {"n", kRight},
                          {"failed", kRight},
                          Words("tie with")},
              .is_grouped = true};
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    std::vector<std::string> cells = {Escape(row.name), SubjectLabel(subject)};
    if (row.seconds) {
      const bool is_range_only = row.seconds->count == 1;
      cells.push_back(is_range_only ? "range only" : FormatSeconds(row.seconds->median));
      cells.push_back(FormatSeconds(row.seconds->min));
      cells.push_back(FormatSeconds(row.seconds->max));
      cells.push_back(Number(row.seconds->count));
      has_range_only = has_range_only || is_range_only;
    } else {
      cells.insert(cells.end(), {"-", "-", "-", "0"});
    }
    cells.push_back(Number(row.failed));
    cells.push_back(OrDash(TieCell(steps, row)));
    has_tie = has_tie || !row.tie.empty();
    table.rows.push_back(std::move(cells));
  });
  std::string words =
      "Seconds, from the library's call until its request has finished, of samples that did not "
      "fail.";
  if (has_range_only) words += " Range only: one sample, so there is no median to compare.";
  if (has_tie) words += " A tie: medians within one timing step (1/60 s) show no difference.";
  std::vector<Block> blocks = {std::move(table), std::move(words)};
  if (Table failed = FailedTimesOf(steps); !failed.rows.empty()) {
    blocks.emplace_back(std::move(failed));
  }
  return blocks;
}

// What each step saw of the key's value, and what it stored.
Table ValuesOf(const StepsTable& steps) {
  bool has_last_save = false;
  bool has_written = false;
  ForEachRow(steps, [&](const SubjectRows&, const StepRow& row) {
    has_last_save = has_last_save || row.last_save.samples > 0;
    has_written = has_written || row.written_bytes.has_value();
  });
  Table table{.columns = {{"step"}, {"library"}, Words("value seen")}, .is_grouped = true};
  if (has_last_save) table.columns.push_back({"saw the\nfinal save"});
  if (has_written) table.columns.push_back({"bytes\nwritten", kRight});
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    if (row.values_seen.empty() && !row.written_bytes) return;
    std::vector<std::string> cells = {Escape(row.name), SubjectLabel(subject),
                                      OrDash(FormatValues(row))};
    if (has_last_save) {
      cells.push_back(row.last_save.samples == 0
                          ? "-"
                          : fmt::format("{} of {}", row.last_save.seen, row.last_save.samples));
    }
    if (has_written) cells.push_back(row.written_bytes ? FormatRange(*row.written_bytes) : "-");
    table.rows.push_back(std::move(cells));
  });
  return table;
}

// What the server could see of its budgets in steps in which not everything went through at once.
Table BudgetsOf(const StepsTable& steps) {
  Table table{.columns = {{"step"},
                          Words("library"),
                          {"budget"},
                          {"before", kRight},
                          {"lowest", kRight},
                          {"after", kRight}},
              .is_grouped = true};
  ForEachRow(steps, [&](const SubjectRows& subject, const StepRow& row) {
    if (row.throttling.admitted == row.throttling.sent) return;
    for (const BudgetRange& budget : row.budgets) {
      table.rows.push_back({Escape(row.name), SubjectLabel(subject),
                            std::string(NameOf(budget.type)), FormatRange(budget.first),
                            Number(budget.lowest), FormatRange(budget.last)});
    }
  });
  return table;
}

}  // namespace

std::vector<Block> StepsBlocks(const Report& report) {
  const StepsTable& steps = report.steps;
  if (steps.subjects.empty()) {
    return {"No steps are marked in what was read; \"Traffic\" shows the calls by source."};
  }
  if (!report.filter.empty() && report.steps.left_out > 0 && !HasRows(steps)) {
    return {"No call that matches the filter belongs to a step."};
  }
  std::vector<Block> blocks = RequestsOf(steps, !report.filter.empty());
  std::ranges::move(TimesOf(steps), std::back_inserter(blocks));
  if (Table values = ValuesOf(steps); !values.rows.empty()) blocks.emplace_back(std::move(values));
  return blocks;
}

std::vector<Block> ThrottlingBlocks(const Report& report) {
  if (report.steps.subjects.empty()) {
    return {"No steps are marked; \"Traffic\" has the same numbers by source."};
  }
  Table table{.columns = {{"step"}, Words("library")}, .is_grouped = true};
  AddThrottlingColumns(table);
  table.columns.push_back({"longest queue", kRight});
  bool has_others = false;
  ForEachRow(report.steps, [&](const SubjectRows& subject, const StepRow& row) {
    if (row.throttling.admitted == row.throttling.sent) {
      has_others = has_others || row.throttling.sent > 0;
      return;
    }
    std::vector<std::string> cells = {Escape(row.name), SubjectLabel(subject)};
    AddThrottlingCells(row.throttling, cells);
    cells.push_back(row.longest_queue ? FormatSeconds(*row.longest_queue) : "-");
    table.rows.push_back(std::move(cells));
  });
  if (table.rows.empty()) {
    return {has_others ? "Every request of every step was let through at once."
                       : "No step sent a request."};
  }
  std::string words(kStages);
  words += " All samples together; longest queue: seconds that one call waited.";
  if (has_others) words += " In steps that are not listed every request was let through at once.";
  std::vector<Block> blocks = {std::move(table), std::move(words)};
  if (Table budgets = BudgetsOf(report.steps); !budgets.rows.empty()) {
    blocks.emplace_back(std::move(budgets));
    blocks.emplace_back(
        "Budgets are what the server could see: before a sample's first call, at the least, and at "
        "its last answer or query.");
  }
  return blocks;
}

}  // namespace dstap::analyzer
