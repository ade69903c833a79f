#include "analyzer/timeline/step_index.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "proto/base/check.h"

namespace dstap::analyzer {
namespace {

enum Match { kNoMatch, kEverything, kStore, kKey };

// Roblox's name of the scope that a script gets when it names none.
std::string_view ScopeOrDefault(std::string_view scope) { return scope.empty() ? "global" : scope; }

// Over all scopes a key is written "scope/key".
bool IsScopedKey(std::string_view scoped, std::string_view scope, std::string_view key) {
  scope = ScopeOrDefault(scope);
  return scoped.size() == scope.size() + 1 + key.size() && scoped.starts_with(scope) &&
         scoped[scope.size()] == '/' && scoped.ends_with(key);
}

bool IsAboutKey(const StoreKey& about, const Call& call, std::string_view key) {
  return key == about.key || (call.all_scopes && IsScopedKey(key, about.scope, about.key));
}

Match MatchOf(const Step& step, const Call& call) {
  if (step.about.empty()) return kEverything;
  Match best = kNoMatch;
  for (const StoreKey& about : step.about) {
    if (about.store != call.store) continue;
    if (!call.all_scopes && ScopeOrDefault(about.scope) != ScopeOrDefault(call.scope)) continue;
    if (about.key.empty()) {
      best = std::max(best, kStore);
      continue;
    }
    if (IsAboutKey(about, call, call.key)) return kKey;
    if (call.list == nullptr) continue;
    for (const std::string& key : call.list->keys) {
      if (IsAboutKey(about, call, key)) return kKey;
    }
  }
  return best;
}

}  // namespace

LiveStep* StepIndex::Open(uint64_t id) {
  const auto found = open_by_id_.find(id);
  return found == open_by_id_.end() ? nullptr : found->second;
}

LiveStep& StepIndex::Begin(Step step) {
  if (free_slots_.empty()) {
    free_slots_.push_back(steps_.size());
    steps_.emplace_back();
  }
  const size_t slot = free_slots_.back();
  free_slots_.pop_back();
  steps_[slot] = std::make_unique<LiveStep>();
  LiveStep& live = *steps_[slot];
  live.step = std::move(step);
  live.step.slot = slot;
  live.ordinal = next_ordinal_++;
  const bool is_new = open_by_id_.emplace(live.step.id, &live).second;
  DSTAP_CHECK(is_new);
  const size_t source = live.step.source->index;
  if (by_source_.size() <= source) by_source_.resize(source + 1);
  by_source_[source].open.push_back(&live);
  return live;
}

void StepIndex::End(LiveStep& live) {
  DSTAP_CHECK(live.step.end.has_value());
  open_by_id_.erase(live.step.id);
  OfSource& source = by_source_[live.step.source->index];
  std::erase(source.open, &live);
  // End times come in order, but for a clock that was set back; so this looks at the back only.
  auto at = source.ended.end();
  while (at != source.ended.begin() && *(*std::prev(at))->step.end > *live.step.end) --at;
  source.ended.insert(at, &live);
  if (live.held_calls == 0) waiting_.push_back(&live);
}

LiveStep* StepIndex::Find(const Call& call) {
  const size_t index = call.source->index;
  if (index >= by_source_.size()) return nullptr;
  const OfSource& source = by_source_[index];
  LiveStep* best = nullptr;
  std::pair<Match, uint64_t> best_rank{kNoMatch, 0};
  const auto consider = [&](LiveStep* live) {
    if (live->step.begin > call.issued) return;
    const std::pair rank{MatchOf(live->step, call), live->ordinal};
    if (rank.first == kNoMatch || (best != nullptr && rank < best_rank)) return;
    best = live;
    best_rank = rank;
  };
  for (LiveStep* live : source.open) consider(live);
  // A call of the instant in which a step ended is the step's only if its record stands before the
  // end row: otherwise it is what came next.
  for (auto at = source.ended.rbegin(); at != source.ended.rend(); ++at) {
    if (*(*at)->step.end <= call.issued) break;
    consider(*at);
  }
  return best;
}

void StepIndex::Hold(LiveStep& step) {
  // An ended step can get a call in flight again: one that is recorded late, or a second time.
  if (step.held_calls++ == 0 && step.step.end) std::erase(waiting_, &step);
}

void StepIndex::Release(LiveStep& step) {
  DSTAP_CHECK(step.held_calls > 0);
  if (--step.held_calls == 0 && step.step.end) waiting_.push_back(&step);
}

LiveStep* StepIndex::Overdue(size_t waiting_max) {
  return waiting_.size() > waiting_max ? waiting_.front() : nullptr;
}

std::vector<LiveStep*> StepIndex::AllOpen() const {
  std::vector<LiveStep*> open;
  for (const auto& live : steps_) {
    if (live != nullptr && !live->step.end) open.push_back(live.get());
  }
  std::ranges::sort(open, {}, &LiveStep::ordinal);
  return open;
}

void StepIndex::Remove(LiveStep& live) {
  DSTAP_CHECK(live.held_calls == 0);
  OfSource& source = by_source_[live.step.source->index];
  if (live.step.end) {
    // Nearly always the front of both.
    source.ended.erase(std::find(source.ended.begin(), source.ended.end(), &live));
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &live));
  } else {
    open_by_id_.erase(live.step.id);
    std::erase(source.open, &live);
  }
  const size_t slot = live.step.slot;
  steps_[slot].reset();
  free_slots_.push_back(slot);
}

}  // namespace dstap::analyzer
