#include "analyzer/render/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/method_counts.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kShownWhole = 8;
constexpr size_t kShownFirst = 3;
constexpr size_t kRunWorthCounting = 3;

// "0, 0.017, 0.033, ..., 1". `gap`: words are missing before this one; 0: none are.
std::string Abridged(const std::vector<std::string>& words, size_t gap) {
  const bool is_whole = gap == 0 && words.size() <= kShownWhole;
  const size_t first = is_whole   ? words.size()
                       : gap == 0 ? kShownFirst
                                  : std::min(kShownFirst, gap);
  std::string text;
  for (size_t i = 0; i < first; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", words[i]);
  return is_whole ? text : fmt::format("{}, ..., {}", text, words.back());
}

std::string_view NameOfOutcome(Outcome outcome) {
  return outcome == Outcome::kInFlight ? "no answer" : NameOf(outcome);
}

// Who answered is said of each try where it was not always the same.
bool IsAnswererSaid(const RetryChain& chain) {
  return std::ranges::count_if(chain.answered_by(), [](uint64_t n) { return n > 0; }) > 1;
}

std::string LabelOf(const Attempt& attempt, bool with_method, bool with_answerer) {
  std::string label;
  if (with_method) label = fmt::format("{} ", MethodLabel(NameOfColumn(attempt.column)));
  label += NameOfOutcome(attempt.outcome);
  if (attempt.served_by == ServedBy::kLocalCopy) label += " (local copy)";
  const bool is_answered = attempt.outcome == Outcome::kOk ||
                           attempt.outcome == Outcome::kCancelled ||
                           attempt.outcome == Outcome::kFailed;
  if (with_answerer && is_answered && attempt.served_by == ServedBy::kUnknown) {
    label += " (by whom is not known)";
  }
  return label;
}

std::string OutcomesOfAll(const RetryChain& chain) {
  const auto label_of = [&chain, with_method = !IsOneMethod(chain),
                         with_answerer = IsAnswererSaid(chain)](size_t i) {
    return LabelOf(chain.attempts()[i], with_method, with_answerer);
  };
  std::vector<std::string> labels;
  for (size_t i = 0; i < chain.attempts().size();) {
    const std::string label = label_of(i);
    size_t end = i;
    while (end < chain.attempts().size() && label_of(end) == label) ++end;
    if (end - i >= kRunWorthCounting) {
      labels.push_back(fmt::format("{} {}", end - i, label));
    } else {
      labels.insert(labels.end(), end - i, label);
    }
    i = end;
  }
  return Abridged(labels, 0);
}

// Where some are left out their order is not known.
std::string OutcomesCounted(const RetryChain& chain) {
  std::string text;
  for (size_t i = 0; i < chain.outcomes().size(); ++i) {
    if (chain.outcomes()[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", chain.outcomes()[i],
                        NameOfOutcome(static_cast<Outcome>(i)));
  }
  return fmt::format("{}; the last {}", text,
                     LabelOf(chain.attempts().back(), false, IsAnswererSaid(chain)));
}

}  // namespace

bool IsOneMethod(const RetryChain& chain) {
  for (const Attempt& attempt : chain.attempts()) {
    if (attempt.column != chain.attempts()[0].column) return false;
  }
  return true;
}

std::string_view NameOf(ChainEnd end) {
  switch (end) {
    case ChainEnd::kSucceeded:
      return "succeeded";
    case ChainEnd::kGaveUp:
      return "gave up";
    case ChainEnd::kNoAnswer:
      return "no answer";
    case ChainEnd::kStepNotEnded:
      return "step not ended";
  }
  return "no answer";
}

std::string FormatMethods(const RetryChain& chain) {
  std::string text;
  for (const size_t column : kColumnOrder) {
    for (const Attempt& attempt : chain.attempts()) {
      if (attempt.column != column) continue;
      text += fmt::format("{}{}", text.empty() ? "" : ", ", MethodLabel(NameOfColumn(column)));
      break;
    }
  }
  return text;
}

std::string FormatSchedule(const RetryChain& chain) {
  std::vector<std::string> times;
  for (size_t i = 0; i < chain.attempts().size(); ++i) {
    times.push_back(FormatShortSeconds(chain.At(i)));
  }
  return fmt::format("{} tries at {} s: {}", chain.tries(),
                     Abridged(times, chain.left_out_before()),
                     chain.left_out() == 0 ? OutcomesOfAll(chain) : OutcomesCounted(chain));
}

std::string FormatAnsweredBy(const RetryChain& chain) {
  constexpr std::array<std::string_view, 3> kNames = {"not known", "backend", "local copy"};
  constexpr std::array<ServedBy, 3> kOrder = {ServedBy::kBackend, ServedBy::kLocalCopy,
                                              ServedBy::kUnknown};
  std::string text;
  size_t kinds = 0;
  for (const ServedBy by : kOrder) {
    if (chain.answered_by()[static_cast<size_t>(by)] > 0) ++kinds;
  }
  for (const ServedBy by : kOrder) {
    const uint64_t count = chain.answered_by()[static_cast<size_t>(by)];
    const std::string_view name = kNames[static_cast<size_t>(by)];
    if (count == 0) continue;
    if (kinds == 1) return std::string(name);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

}  // namespace dstap::analyzer
