#include "analyzer/views/retries.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyzer/views/method_counts.h"
#include "analyzer/views/retry_identity.h"

namespace dstap::analyzer {
namespace {

// With fewer chains looking at each is faster than a table, and most steps have one.
constexpr size_t kChainsWithoutIndex = 16;
// A slot that held more gives its memory back.
constexpr size_t kChainsKeptForReuse = 64;
constexpr size_t kAttemptsKeptForReuse = 16;

Method MethodOf(size_t column) {
  return column == kPastColumn ? Method::kGetAsync : static_cast<Method>(column);
}

void AddCost(const RetryChain& chain, const Step& step, RetryCost& cost) {
  ++cost.things;
  if (EndOf(chain, step) == ChainEnd::kSucceeded) ++cost.succeeded;
  cost.tries += chain.tries();
  cost.units += chain.units();
  cost.units_of_repeats += chain.units() - chain.attempts().front().units;
}

}  // namespace

void RetriesView::OnRecordingBegin(const Recording& recording) {
  file_ = recording.file;
  recording_ = recording.number;
}

void RetriesView::OnStepBegin(const Step& step) {
  step_index_.emplace(step.name, step_index_.size());
  if (live_.size() <= step.slot) live_.resize(step.slot + 1);
}

RetriesView::LiveChain* RetriesView::Find(Live& live) {
  if (live.used <= kChainsWithoutIndex) {
    for (size_t i = 0; i < live.used; ++i) {
      if (live.chains[i].what == what_) return &live.chains[i];
    }
    return nullptr;
  }
  const auto [begin, end] = live.by_hash.equal_range(std::hash<std::string>()(what_));
  for (auto at = begin; at != end; ++at) {
    if (live.chains[at->second].what == what_) return &live.chains[at->second];
  }
  return nullptr;
}

RetriesView::LiveChain* RetriesView::Start(Live& live) {
  const size_t place = live.used++;
  if (live.chains.size() < live.used) live.chains.emplace_back();
  LiveChain& chain = live.chains[place];
  chain.what = what_;
  chain.matches = false;
  if (live.used > kChainsWithoutIndex) {
    for (size_t i = live.by_hash.size(); i < live.used; ++i) {
      live.by_hash.emplace(std::hash<std::string>()(live.chains[i].what), i);
    }
  }
  return &chain;
}

void RetriesView::Add(const Call& call, const Step* step, bool matches) {
  if (step == nullptr || !IsTriedAgain(call.method)) return;
  Live& live = live_[step->slot];
  IdentityOf(call, what_);
  LiveChain* found = Find(live);
  const bool is_full = attempts_held_ >= kAttemptsHeldMax;
  if (found == nullptr) {
    if (is_full) {
      if (matches) ++live.calls_not_followed;
      return;
    }
    found = Start(live);
  }
  found->matches = found->matches || matches;
  const size_t before = found->chain.attempts().size();
  found->chain.Add(AttemptOf(call), is_full);
  attempts_held_ += found->chain.attempts().size() - before;
}

void RetriesView::AddChain(RetryRow& row, const RetryChain& chain, const Step& step,
                           std::vector<bool>& is_in_sample) const {
  const uint64_t tries = chain.tries();
  row.tries = row.chains == 0
                  ? Range{tries, tries}
                  : Range{std::min(row.tries.min, tries), std::max(row.tries.max, tries)};
  ++row.chains;
  const ChainEnd end = EndOf(chain, step);
  auto same = std::ranges::find_if(row.schedules, [&](const RetrySchedule& schedule) {
    return schedule.end == end && HaveSameSchedule(schedule.example, chain);
  });
  if (same == row.schedules.end()) {
    if (row.schedules.size() == kSchedulesMax) {
      ++row.other_chains;
      return;
    }
    row.schedules.push_back({.example = chain,
                             .end = end,
                             .file = file_,
                             .recording = recording_,
                             .source = step.source->id,
                             .sample = step.sample});
    same = std::prev(row.schedules.end());
  }
  ++same->chains;
  is_in_sample.resize(row.schedules.size());
  const auto index = static_cast<size_t>(same - row.schedules.begin());
  if (!is_in_sample[index]) ++same->samples;
  is_in_sample[index] = true;
}

void RetriesView::AddGaps(Sum& sum, const RetryChain& chain) {
  const size_t column = chain.attempts().front().column;
  const Method kind = TriedAs(MethodOf(column));
  auto same = std::ranges::find(sum.gaps, kind, &GapsOfKind::kind);
  if (same == sum.gaps.end()) {
    sum.gaps.push_back({.kind = kind, .column = column, .gaps = {}});
    same = std::prev(sum.gaps.end());
  }
  std::vector<Gap>& gaps = same->gaps;
  if (gaps.size() >= kGapsFittedMax || gaps_held_ >= kGapsHeldMax) return;
  const size_t before = gaps.size();
  AppendGaps(chain, gaps);
  gaps_held_ += gaps.size() - before;
}

void RetriesView::OnStepEnd(const Step& step) {
  Live& live = live_[step.slot];
  AddSample(step, live);
  for (size_t i = 0; i < live.used; ++i) {
    RetryChain& chain = live.chains[i].chain;
    attempts_held_ -= chain.attempts().size();
    if (chain.attempts().size() > kAttemptsKeptForReuse) chain = RetryChain();
    chain.Clear();
  }
  if (live.used > kChainsKeptForReuse) live.chains = std::vector<LiveChain>();
  live.used = 0;
  live.by_hash.clear();
  live.calls_not_followed = 0;
}

void RetriesView::AddSample(const Step& step, const Live& live) {
  if (step.partial) return;  // Tries may be missing.
  const SubjectId subject = SubjectOf(step);
  Sum& sum = rows_[{step_index_.at(step.name), subject}];
  RetryRow& row = sum.row;
  if (row.samples == 0) {
    row.subject = subject;
    row.step = step.name;
  }
  ++row.samples;
  row.calls_not_followed += live.calls_not_followed;
  // In the order of their first tries; calls come in the order of their answers.
  std::vector<const RetryChain*> chains;
  for (size_t i = 0; i < live.used; ++i) {
    const RetryChain& chain = live.chains[i].chain;
    if (!live.chains[i].matches) continue;
    AddCost(chain, step, row.cost);
    if (chain.tries() >= 2) chains.push_back(&chain);
  }
  std::ranges::stable_sort(chains, {},
                           [](const RetryChain* chain) { return chain->attempts()[0].issued; });
  if (!chains.empty()) ++row.samples_with_chains;
  std::vector<bool> is_in_sample;
  for (const RetryChain* chain : chains) {
    AddGaps(sum, *chain);
    AddChain(row, *chain, step, is_in_sample);
  }
}

Retries RetriesView::Table() const {
  Retries table;
  for (const auto& [id, sum] : rows_) {
    if (sum.row.chains == 0 && sum.row.calls_not_followed == 0) continue;
    table.push_back(sum.row);
    for (const GapsOfKind& kind : sum.gaps) {
      table.back().policies.push_back({.column = kind.column, .policy = FitPolicy(kind.gaps)});
    }
  }
  return table;
}

}  // namespace dstap::analyzer
