#include "analyzer/contracts/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/contracts/bounds.h"
#include "analyzer/contracts/contract_check.h"
#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/retry_identity.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kOrderMax = 64;       // Places of an order; a longer one is left out.
constexpr size_t kRepeatsWritten = 3;  // Of one method in a row; more are written as "...+".
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kFrame = 17 * kMs;

void Widen(Range& range, uint64_t value, bool is_first) {
  range = is_first ? Range{value, value}
                   : Range{std::min(range.min, value), std::max(range.max, value)};
}

// A TOML text in double quotes.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Key(std::string_view name) {
  const bool is_bare = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  return is_bare ? std::string(name) : Quoted(name);
}

std::string Written(const Range& range, BoundsUnit unit) {
  const Bounds bounds{.min = range.min, .max = range.max};
  const std::string text = WriteBounds(bounds, unit);
  return unit == BoundsUnit::kCount && range.min == range.max ? text : Quoted(text);
}

}  // namespace

void DraftView::OnStepBegin(const Step& step) {
  if (live_.size() <= step.slot) live_.resize(step.slot + 1);
  live_[step.slot] = {};
}

void DraftView::OnCall(const Call& call, const Step* step) {
  if (step == nullptr) return;
  Sample& sample = live_[step->slot];
  const size_t column = ColumnOf(call);
  ++sample.counts[column];
  for (const BudgetUse& use : call.budgets) {
    if (use.taken > 0) sample.taken[use.type] += use.taken;
  }
  if (sample.calls.size() >= kCallsOfSampleMax) {
    sample.is_whole = false;
    return;
  }
  SeenCall& seen = sample.calls.emplace_back(
      SeenCall{.id = call.id, .column = column, .what = {}, .issued = call.issued});
  if (IsTriedAgain(call.method)) IdentityOf(call, seen.what);
}

void DraftView::OnStepEnd(const Step& step) {
  Sample sample = std::exchange(live_[step.slot], {});
  if (!step.end || step.partial) return;
  auto name = std::ranges::find(step_names_, step.name);
  if (name == step_names_.end()) name = step_names_.insert(name, step.name);
  Sum& sum = subjects_[SubjectOf(step)][static_cast<size_t>(name - step_names_.begin())];
  const bool is_first = sum.samples++ == 0;
  sum.failed += step.ok ? 0 : 1;
  for (size_t i = 0; i < kMethodColumns; ++i) Widen(sum.counts[i], sample.counts[i], is_first);
  const auto took = std::max<int64_t>((*step.end - step.begin).count(), 0);
  Widen(sum.time, static_cast<uint64_t>(took), is_first);
  for (const auto& [type, units] : sample.taken) {
    // A type that earlier samples did not take from begins at 0.
    const auto [at, is_new] = sum.taken.try_emplace(type);
    Widen(at->second, units, is_new && is_first);
  }
  for (auto& [type, range] : sum.taken) {
    if (!sample.taken.contains(type)) range.min = 0;
  }
  sum.last_saves_seen += !step.expected.empty() && step.expected == step.observed ? 1 : 0;

  std::ranges::sort(sample.calls, {},
                    [](const SeenCall& call) { return std::pair(call.issued, call.id); });
  std::vector<size_t> order;
  for (const SeenCall& call : sample.calls) {
    if (IsDataStoreColumn(call.column)) order.push_back(call.column);
  }
  if (!sample.is_whole) {
    sum.has_one_order = sum.has_tries = false;
    return;
  }
  if (is_first) sum.order = order;
  sum.has_one_order = sum.has_one_order && sum.order == order;
  AddTries(sample, sum);
}

void DraftView::AddTries(const Sample& sample, Sum& sum) const {
  struct Chain {
    uint64_t tries = 0;
    Time last{};
  };
  std::map<std::string_view, Chain> chains;
  for (const SeenCall& call : sample.calls) {
    if (call.what.empty()) continue;
    Chain& chain = chains[call.what];
    if (chain.tries++ > 0) {
      Widen(sum.gap, static_cast<uint64_t>((call.issued - chain.last).count()), !sum.has_gap);
      sum.has_gap = true;
    }
    chain.last = call.issued;
    sum.tries = std::max(sum.tries, chain.tries);
  }
}

std::vector<SubjectId> DraftView::Subjects() const {
  std::vector<SubjectId> subjects;
  for (const auto& [subject, steps] : subjects_) subjects.push_back(subject);
  return subjects;
}

std::string DraftView::Write(const SubjectId& subject) const {
  std::string out = fmt::format(
      "# Drafted from a capture: what was seen. Take out what is not promised.\n\nlibrary = {}\n",
      Quoted(subject.version.empty() ? subject.name : subject.name + "@" + subject.version));
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return out;
  for (const auto& [step, sum] : found->second) WriteStep(step_names_[step], sum, out);
  return out;
}

void DraftView::WriteStep(const std::string& name, const Sum& sum, std::string& out) const {
  const auto line = [&out](std::string_view key, std::string_view value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  out += fmt::format("\n[step.{}]  # {} sample{}\n", Key(name), sum.samples,
                     sum.samples == 1 ? "" : "s");
  if (sum.failed == 0) line("result", "\"ok\"");
  if (sum.failed == sum.samples) line("result", "\"failed\"");
  if (sum.last_saves_seen == sum.samples) line("last_save", "\"seen\"");
  std::string requests;
  for (const size_t column : kColumnOrder) {
    if (!IsDataStoreColumn(column) || sum.counts[column].max == 0) continue;
    requests += fmt::format("{}{} = {}", requests.empty() ? " " : ", ",
                            Key(MethodLabel(NameOfColumn(column))),
                            Written(sum.counts[column], BoundsUnit::kCount));
  }
  line("requests", requests.empty() ? "{}" : "{" + requests + " }");
  std::string order;
  size_t places = 0;
  for (size_t i = 0; i < sum.order.size() && places <= kOrderMax;) {
    size_t end = i;
    while (end < sum.order.size() && sum.order[end] == sum.order[i]) ++end;
    const bool is_many = end - i > kRepeatsWritten;
    for (size_t n = 0; n < (is_many ? 1 : end - i); ++n, ++places) {
      order += fmt::format(
          "{}{}", order.empty() ? "" : ", ",
          Quoted(fmt::format("{}{}", MethodLabel(NameOfColumn(sum.order[i])), is_many ? "+" : "")));
    }
    i = end;
  }
  // With one request there is nothing to order.
  if (sum.has_one_order && places > 1 && places <= kOrderMax) line("order", "[" + order + "]");
  if (sum.has_tries && sum.tries > 1) {
    line("tries", Written({0, sum.tries}, BoundsUnit::kCount));
    const uint64_t low = (sum.gap.min - std::min(sum.gap.min, kFrame)) / kMs * kMs;
    const uint64_t high = (sum.gap.max + kFrame + kMs - 1) / kMs * kMs;
    line("gap", Written({low, high}, BoundsUnit::kTime));
  }
  if (sum.time.max > 0) {
    line("time",
         fmt::format("{}  # seen: {} to {} s",
                     Written({0, (2 * sum.time.max + kMs - 1) / kMs * kMs}, BoundsUnit::kTime),
                     FormatShortSeconds(Time(static_cast<int64_t>(sum.time.min))),
                     FormatShortSeconds(Time(static_cast<int64_t>(sum.time.max)))));
  }
  std::string budget;
  for (const auto& [type, range] : sum.taken) {
    if (type == RequestType::kUnknown) continue;
    budget += fmt::format("{}{} = {}", budget.empty() ? " " : ", ", NameOf(type),
                          Written(range, BoundsUnit::kCount));
  }
  if (!budget.empty()) line("budget", "{" + budget + " }");
}

}  // namespace dstap::analyzer
