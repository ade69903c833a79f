#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kStoresMin = 3;
constexpr Time kTogether = 50ms;
constexpr size_t kGroupsMax = 32;

// Limits: the last kGroupsMax keys of each source.
class WritesToSeveralStores final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes || seen.call.key.empty()) return;
    const Source& source = *seen.call.source;
    if (sources_.size() <= source.index) sources_.resize(source.index + 1);
    std::vector<Group>& groups = sources_[source.index];
    const size_t hash = std::hash<std::string_view>()(seen.call.key);
    auto group = std::ranges::find_if(groups, [&](const Group& each) {
      return each.hash == hash && std::chrono::abs(seen.issued() - each.first) <= kTogether;
    });
    if (group == groups.end()) {
      if (groups.size() == kGroupsMax) {
        End(groups.front());
        groups.erase(groups.begin());
      }
      groups.push_back({.hash = hash,
                        .source = &source,
                        .step = seen.step_name,
                        .first = seen.issued(),
                        .last = seen.issued()});
      group = std::prev(groups.end());
    }
    group->first = std::min(group->first, seen.issued());
    group->last = std::max(group->last, seen.issued());
    ++group->writes;
    if (group->stores.size() < kGroupsMax) group->stores.insert(std::string(seen.call.store));
    group->evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (std::vector<Group>& groups : sources_) {
      for (Group& group : groups) End(group);
    }
  }

 private:
  struct Group {
    size_t hash = 0;  // Of the key.
    const Source* source = nullptr;
    size_t step = 0;
    Time first{};
    Time last{};
    uint64_t writes = 0;
    std::set<std::string> stores;
    Evidence evidence;
  };

  void End(Group& group) {
    if (group.stores.size() < kStoresMin) return;
    Report(
        {.source = group.source,
         .step = host().StepAt(group.step),
         .confidence = Confidence::kInferred,
         .severity = std::nullopt,
         .text = fmt::format("{} to {} within {}, all under the same key: one store would need 1",
                             Count(group.writes, "write"), Count(group.stores.size(), "store"),
                             Seconds(group.last - group.first)),
         .evidence = std::move(group.evidence),
         .time = group.first,
         .weight = static_cast<double>(group.writes)});
  }

  std::vector<std::vector<Group>> sources_;  // By Source::index.
};

}  // namespace

constinit const RuleEntry kWritesToSeveralStores = {
    .id = "writes-to-several-stores",
    .severity = Severity::kNote,
    .title = "One player's data is written to several stores at once",
    .meaning =
        "Each store costs a request for the same event. When one of them fails, the parts no "
        "longer fit together.",
    .evidence = "Writes of one server under the same key to at least 3 stores within 0.05 s.",
    .fix = "Keep a player's data in one value.",
    .source = "A game's own account of its leave handlers",
    .make = &MakeRule<WritesToSeveralStores>};

}  // namespace dstap::analyzer
