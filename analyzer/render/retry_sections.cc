#include <fmt/format.h>

#include "analyzer/render/format.h"
#include "analyzer/render/policy_text.h"
#include "analyzer/render/schedule.h"
#include "analyzer/render/sections.h"
#include "analyzer/views/method_counts.h"
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

// Where its first try is, for `dstap cat`.
std::string ExampleOf(const Report& report, const RetrySchedule& schedule) {
  const uint64_t call = schedule.example.attempts().front().call;
  if (report.overview.captures.size() <= 1) return fmt::format("; from call {}", call);
  return fmt::format("\nfrom call {} of {}", call,
                     CaptureLabel(report, schedule.file, schedule.recording));
}

std::string TriesCell(const Report& report, const RetrySchedule& schedule) {
  const RetryChain& chain = schedule.example;
  const std::string answered_by = FormatAnsweredBy(chain);
  // Where methods differ each try has named its own.
  const std::string method = IsOneMethod(chain) ? FormatMethods(chain) + ", " : "";
  return fmt::format("{}\n{}{}{}; {}{}", FormatSchedule(chain), method,
                     answered_by.empty() ? "answered by nobody" : "answered by ", answered_by,
                     NameOf(schedule.end), ExampleOf(report, schedule));
}

std::string OthersCell(const RetryRow& row) {
  return fmt::format("{} more chains on other schedules; {} tries a chain in all", row.other_chains,
                     FormatRange(row.tries));
}

std::string PolicyCell(const RetryRow& row, const RetryPolicy& inferred) {
  std::string text;
  if (row.policies.size() > 1) {
    text = fmt::format("{}: ", MethodLabel(NameOfColumn(inferred.column)));
  }
  text += fmt::format("{}\n{}", FormatPolicy(inferred.policy), FormatFit(inferred.policy));
  if (inferred.policy.also) {
    text += fmt::format("\nas well: {}", FormatLaw(*inferred.policy.also));
  }
  return text;
}

// "2.0 tries per success; 50 % of the budget for repeats".
std::string CostCell(const RetryCost& cost) {
  std::string text = "no success";
  if (cost.succeeded > 0) {
    text = fmt::format("{:.1f} tries per success",
                       static_cast<double>(cost.tries) / static_cast<double>(cost.succeeded));
  }
  if (cost.units > 0) {
    text += fmt::format(
        "; {:.0f} % of its budget for repeats",
        100 * static_cast<double>(cost.units_of_repeats) / static_cast<double>(cost.units));
  }
  return text;
}

// The policies, and under the last one of a row what its tries cost.
Table PoliciesTable(const Report& report) {
  Table table{.columns = {{"step"}, Words("library"), Words("policy, inferred")},
              .is_grouped = true};
  for (const RetryRow& row : report.retries) {
    const SubjectRows* subject = FindSubject(report.steps, row.subject);
    const std::string library = subject == nullptr ? "-" : SubjectLabel(*subject);
    for (const RetryPolicy& inferred : row.policies) {
      std::string cell = PolicyCell(row, inferred);
      if (&inferred == &row.policies.back()) cell += "\n" + CostCell(row.cost);
      table.rows.push_back({Escape(row.step), library, std::move(cell)});
    }
  }
  return table;
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
      table.rows.push_back(
          {step, library, TriesCell(report, schedule), SamplesCell(row, schedule)});
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
        "with such a chain. \"dstap cat FILE --call ID\" shows a call.");
    blocks.emplace_back(PoliciesTable(report));
    blocks.emplace_back(
        "Policies are inferred from the gaps of all these chains. Off by: root mean square and "
        "most, "
        "as a share of the delay; a wait ends with a frame. Tries per success: all tries of the "
        "step, by the things that were tried and worked. For repeats: the share of request units "
        "that tries after the first took.");
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
