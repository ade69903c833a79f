#include <fmt/format.h>

#include "analyzer/render/format.h"
#include "analyzer/render/schedule.h"
#include "analyzer/render/sections.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

// "5 of 5"; with another number of chains than samples "40 chains in 5 of 5".
std::string SamplesCell(const RetryRow& row, const RetrySchedule& schedule) {
  std::string text = fmt::format("{} of {}", schedule.samples, row.samples);
  if (schedule.chains != schedule.samples) {
    text = fmt::format("{} chains in {}", schedule.chains, text);
  }
  return text;
}

std::string TriesCell(const RetrySchedule& schedule) {
  const RetryChain& chain = schedule.example;
  const std::string answered_by = FormatAnsweredBy(chain);
  // Where methods differ each try has named its own.
  const std::string method = IsOneMethod(chain) ? FormatMethods(chain) + ", " : "";
  return fmt::format("{}\n{}{}{}; {}", FormatSchedule(chain), method,
                     answered_by.empty() ? "answered by nobody" : "answered by ", answered_by,
                     NameOf(schedule.end));
}

std::string OthersCell(const RetryRow& row) {
  return fmt::format("{} more chains on other schedules; {} tries a chain in all", row.other_chains,
                     FormatRange(row.tries));
}

}  // namespace

std::vector<Block> RetriesBlocks(const Report& report) {
  if (report.steps.subjects.empty()) return {"No steps are marked, so no tries are told apart."};
  if (report.retries.empty()) {
    return {report.filter.empty() ? "No step called a key more than once."
                                  : "No call that matches the filter was one of several tries."};
  }
  Table table{.columns = {{"step"}, Words("library"), Words("tries"), {"samples"}},
              .is_grouped = true};
  uint64_t not_followed = 0;
  for (const RetryRow& row : report.retries) {
    const SubjectRows* subject = FindSubject(report.steps, row.subject);
    const std::string library = subject == nullptr ? "-" : SubjectLabel(*subject);
    const std::string step = Escape(row.step);
    for (const RetrySchedule& schedule : row.schedules) {
      table.rows.push_back({step, library, TriesCell(schedule), SamplesCell(row, schedule)});
    }
    if (row.other_chains > 0) {
      table.rows.push_back({step, library, OthersCell(row), "-"});
    }
    not_followed += row.calls_not_followed;
  }
  std::vector<Block> blocks;
  if (!table.rows.empty()) {
    blocks.emplace_back(std::move(table));
    blocks.emplace_back(
        "Tries: calls of one source about one key in one step; GetAsync and UpdateAsync both read "
        "it. Times are starts, in seconds from the first try. Chains whose gaps or waits agree "
        "within one timing step (1/60 s) share a line, with the first one's times. Samples: those "
        "with such a chain.");
  }
  if (!report.filter.empty() && !blocks.empty()) {
    blocks.emplace_back(
        "Those of which at least one try matches the filter, each with all of its tries.");
  }
  if (not_followed > 0) {
    blocks.emplace_back(
        fmt::format("{} calls were not followed: too many keys at once in steps that were open.",
                    not_followed));
  }
  return blocks;
}

}  // namespace dstap::analyzer
