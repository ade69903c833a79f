#include <fmt/format.h>

#include "analyzer/render/diff_renderer.h"
#include "analyzer/render/format.h"
#include "analyzer/render/schedule.h"
#include "analyzer/render/sections.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

constexpr std::string_view kNoStep = "No step to compare.";

std::string Counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string TitleOf(const Diff& diff) {
  const std::string compared = Counted(diff.steps_compared(), "step") + " compared";
  if (diff.subjects.size() == 1) {
    return fmt::format("dstap diff: {}, {}", PairLabel(diff.subjects[0].pair), compared);
  }
  return fmt::format("dstap diff: {}, {}", Counted(diff.subjects.size(), "subject"), compared);
}

// "requests differ in 1 step, retries in 2 steps", or that nothing does.
std::string SummaryOf(const Diff& diff) {
  std::string text;
  for (size_t i = 0; i < kDiffKinds.size(); ++i) {
    const size_t count = diff.Count(static_cast<DiffKind>(i));
    if (count == 0) continue;
    text += fmt::format("{} {} {}", text.empty() ? "Differences:" : ",", kDiffKinds[i].name,
                        fmt::format("in {}", Counted(count, "step")));
  }
  return text.empty() ? "No difference." : text + ".";
}

template <typename Function>
void ForEachStep(const Diff& diff, Function function) {
  for (const SubjectDiff& subject : diff.subjects) {
    for (const StepDiff& step : subject.steps) function(PairLabel(subject.pair), step);
  }
}

// One row for each step that differs in this way.
template <typename Cell>
std::vector<Block> Differences(const Diff& diff, DiffKind kind, std::string_view none, Cell cell) {
  Table table{.columns = {Words("library"), {"step"}, Words("old"), Words("new")},
              .is_grouped = true};
  ForEachStep(diff, [&](const std::string& label, const StepDiff& step) {
    if (!step.Differs(kind)) return;
    table.rows.push_back({label, Escape(step.name), cell(step, false), cell(step, true)});
  });
  if (!table.rows.empty()) return {std::move(table)};
  if (diff.steps_compared() == 0) return {std::string(kNoStep)};
  return {std::string(none)};
}

std::vector<Block> ConditionsBlocks(const Diff& diff) {
  Table table{.columns = {Words("what"), Words("old"), Words("new"), {"may change"}}};
  for (const Condition& condition : diff.conditions) {
    const bool counts = condition.may_change == Condition::MayChange::kCounts;
    table.rows.push_back(
        {condition.what, condition.before, condition.after, counts ? "counts" : "times"});
  }
  std::vector<Block> blocks;
  switch (diff.verdict) {
    case Verdict::kComparable:
      blocks.emplace_back(table.rows.empty()
                              ? "Yes. Scenario, rules, options, backend, clock, seed and players "
                                "are the same, as far as the captures tell."
                              : "Yes. What differs can change times, and counts that vary from "
                                "sample to sample.");
      break;
    case Verdict::kWithReservations:
      blocks.emplace_back(
          "With reservations: what differs here can change counts by itself, whatever the library "
          "does.");
      break;
    case Verdict::kNothingToCompare:
      blocks.emplace_back("No: no step has a sample on both sides.");
      break;
  }
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  return blocks;
}

std::vector<Block> RequestsBlocks(const Diff& diff) {
  Table table{.columns = {Words("library"), {"step"}, Words("requests"), {"old"}, {"new"}},
              .is_grouped = true};
  size_t same = 0;
  ForEachStep(diff, [&](const std::string& label, const StepDiff& step) {
    if (!step.is_compared()) return;
    if (!step.Differs(DiffKind::kRequests)) ++same;
    const std::string name = Escape(step.name);
    for (const RequestChange& change : step.requests) {
      table.rows.push_back({label, name, std::string(MethodLabel(change.name)),
                            FormatRange(change.before), FormatRange(change.after)});
    }
    for (const RequestChange& change : step.failed) {
      table.rows.push_back({label, name, fmt::format("failed {}", MethodLabel(change.name)),
                            FormatRange(change.before), FormatRange(change.after)});
    }
  });
  if (diff.steps_compared() == 0) return {std::string(kNoStep)};
  if (table.rows.empty()) return {"Every step that was compared sends the same requests."};
  std::string words = "Requests in one sample. ";
  words += same == 0 ? "No other step was compared."
                     : fmt::format("{} {} the same.", Counted(same, "other step"),
                                   same == 1 ? "sends" : "send");
  return {std::move(table), std::move(words)};
}

std::string SamplesCell(const StepDiff& step, bool is_new) {
  const StepRow* row = is_new ? step.after : step.before;
  if (row == nullptr) return "not there";
  std::string text = Counted(row->samples, "sample");
  if (row->failed > 0) text += fmt::format(", {} failed", row->failed);
  if (row->unfinished > 0) text += fmt::format(", {} not ended", row->unfinished);
  return text;
}

std::string ValuesCell(const StepDiff& step, bool is_new) {
  const std::string text = FormatValues(is_new ? *step.after : *step.before);
  return text.empty() ? "none" : text;
}

std::string RetriesCell(const StepDiff& step, bool is_new) {
  const RetryRow* row = is_new ? step.retries_after : step.retries_before;
  if (row == nullptr) return "no second try";
  std::string text;
  for (const RetrySchedule& schedule : row->schedules) {
    text += fmt::format("{}{}; {} ({} of {})", text.empty() ? "" : "\n",
                        FormatSchedule(schedule.example), NameOf(schedule.end), schedule.samples,
                        row->samples);
  }
  if (row->other_chains > 0) {
    text += fmt::format("\n{} more chains on other schedules", row->other_chains);
  }
  return text;
}

std::string SizesCell(const StepDiff& step, bool is_new) {
  const StepRow& row = is_new ? *step.after : *step.before;
  return row.written_bytes ? fmt::format("{} bytes", FormatRange(*row.written_bytes))
                           : "nothing stored";
}

std::string TimesCell(const TimeRange& times) {
  return fmt::format("{}, n {}", FormatTimes(times), times.count);
}

std::vector<Block> TimeBlocks(const Diff& diff) {
  Table table{.columns = {Words("library"), {"step"}, {"old"}, {"new"}}, .is_grouped = true};
  const auto cell = [](const StepRow& row) {
    std::string text = row.seconds ? TimesCell(*row.seconds) : "";
    if (row.failed_seconds) {
      text += fmt::format("{}failed: {}", text.empty() ? "" : "\n", TimesCell(*row.failed_seconds));
    }
    return text.empty() ? "-" : text;
  };
  ForEachStep(diff, [&](const std::string& label, const StepDiff& step) {
    if (!step.is_compared()) return;
    table.rows.push_back({label, Escape(step.name), cell(*step.before), cell(*step.after)});
  });
  if (table.rows.empty()) return {std::string(kNoStep)};
  return {std::move(table), "Seconds, median (lowest to highest). Shown and not judged."};
}

}  // namespace

Document DocumentOf(const Diff& diff) {
  Document document;
  document.title = TitleOf(diff);
  document.remarks.push_back(SummaryOf(diff));
  document.sections = {
      {"Comparable?", ConditionsBlocks(diff)},
      {"Requests", RequestsBlocks(diff)},
      {"Steps",
       Differences(diff, DiffKind::kSteps,
                   "Both sides have the same steps, and finish the same ones well.", &SamplesCell)},
      {"Values seen", Differences(diff, DiffKind::kValues, "No difference.", &ValuesCell)},
      {"Retries", Differences(diff, DiffKind::kRetries, "No difference.", &RetriesCell)},
      {"Size of what is stored", Differences(diff, DiffKind::kSizes, "No difference.", &SizesCell)},
      {"Time", TimeBlocks(diff)},
  };
  return document;
}

}  // namespace dstap::analyzer
