#include "proxy/backend/faults/open_steps.h"

#include <algorithm>

namespace dstap::proxy {
namespace {

enum Match { kNoMatch, kEverything, kStore, kKey };

// Roblox's name of the scope that a script gets when it names none.
std::string_view ScopeOrDefault(std::string_view scope) { return scope.empty() ? "global" : scope; }

bool IsAboutKey(const v1::StoreKey& about, const StoreName& store, std::string_view key) {
  if (key == about.key()) return true;
  if (!store.all_scopes) return false;
  // Over all scopes a key is written "scope/key".
  const std::string_view scope = ScopeOrDefault(about.scope());
  return key.starts_with(scope) && key.substr(scope.size()).starts_with('/') &&
         key.substr(scope.size() + 1) == about.key();
}

Match MatchOf(const v1::StoreKey& about, const Request& request) {
  const StoreName& store = request.store;
  if (about.store() != store.name) return kNoMatch;
  if (!store.all_scopes && ScopeOrDefault(about.scope()) != ScopeOrDefault(store.scope)) {
    return kNoMatch;
  }
  if (about.key().empty()) return kStore;
  const auto is_about = [&](std::string_view key) { return IsAboutKey(about, store, key); };
  if (is_about(request.key) || std::ranges::any_of(request.list.keys(), is_about)) return kKey;
  return kNoMatch;
}

}  // namespace

void OpenSteps::Begin(const v1::StepBegin& step) {
  sources_[step.id()] = step.source();
  by_source_[step.source()].push_back(
      {.id = step.id(), .name = step.name(), .about = {step.about().begin(), step.about().end()}});
}

void OpenSteps::End(uint64_t id) {
  const auto found = sources_.find(id);
  if (found == sources_.end()) return;
  std::erase_if(by_source_.at(found->second), [id](const OpenStep& step) { return step.id == id; });
  sources_.erase(found);
}

std::string_view OpenSteps::NameFor(const Request& request) const {
  const auto found = by_source_.find(request.source);
  if (found == by_source_.end()) return {};
  std::string_view name;
  Match best = kNoMatch;
  for (const OpenStep& step : found->second) {
    Match match = step.about.empty() ? kEverything : kNoMatch;
    for (const v1::StoreKey& about : step.about) match = std::max(match, MatchOf(about, request));
    if (match == kNoMatch || match < best) continue;
    best = match;
    name = step.name;
  }
  return name;
}

}  // namespace dstap::proxy
