#include <array>
#include <functional>
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
    const size_t hash = std::hash<std::string_view>()(seen.call.key);
    Recent& recent = sources_[source.index];
    auto group = std::ranges::find_if(recent.groups, [&](const Group& each) {
      return each.key == hash && std::chrono::abs(seen.issued() - each.first) <= kTogether;
    });
    if (group == recent.groups.end()) {
      group = recent.groups.begin() + static_cast<std::ptrdiff_t>(recent.oldest);
      recent.oldest = (recent.oldest + 1) % kGroupsMax;
      End(*group);
      group->key = hash;
      group->source = &source;
      group->step = seen.step_name;
      group->first = seen.issued();
      group->last = seen.issued();
    }
    group->first = std::min(group->first, seen.issued());
    group->last = std::max(group->last, seen.issued());
    ++group->writes;
    const size_t store = std::hash<std::string_view>()(seen.call.store);
    const auto stores_end = group->stores.begin() + static_cast<std::ptrdiff_t>(group->stores_used);
    const bool is_new = std::find(group->stores.begin(), stores_end, store) == stores_end;
    if (is_new && group->stores_used < group->stores.size()) {
      group->stores[group->stores_used++] = store;
    }
    group->evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (Recent& recent : sources_) {
      for (Group& group : recent.groups) End(group);
    }
  }

 private:
  struct Group {
    size_t key = 0;  // Its hash.
    const Source* source = nullptr;
    size_t step = 0;
    Time first{};
    Time last{};
    uint64_t writes = 0;
    std::array<size_t, 8> stores{};  // Their hashes; further ones are not counted.
    size_t stores_used = 0;
    Evidence evidence;
  };

  struct Recent {
    std::array<Group, kGroupsMax> groups;
    size_t oldest = 0;
  };

  void End(Group& group) {
    if (group.stores_used >= kStoresMin) {
      Report(
          {.source = group.source,
           .step = host().StepAt(group.step),
           .confidence = Confidence::kInferred,
           .severity = std::nullopt,
           .text = fmt::format("{} to {} within {}, all under the same key: one store would need 1",
                               Count(group.writes, "write"), Count(group.stores_used, "store"),
                               Seconds(group.last - group.first)),
           .evidence = group.evidence,
           .time = group.first,
           .weight = static_cast<double>(group.writes)});
    }
    group = Group();
  }

  std::vector<Recent> sources_;  // By Source::index.
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
