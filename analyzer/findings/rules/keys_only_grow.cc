#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "analyzer/findings/rules/rules.h"
#include "analyzer/timeline/key_family.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kStoresMax = 4096;

std::optional<uint64_t> NumberOf(std::string_view key) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || stop != key.data() + key.size()) return std::nullopt;
  return number;
}

// Limits: kStoresMax stores with counting keys, one mark a key, one count a family.
class KeysOnlyGrow final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.stored || seen.call.method == Method::kRemoveAsync ||
        seen.call.store_kind != StoreKind::kStandard) {
      return;
    }
    if (IdsIn(seen.call.store) > 0) Counted(seen);
    Growth& growth = families_[seen.family];
    if (!growth.is_looked_at) {
      growth.is_looked_at = true;
      growth.has_two_ids = IdsIn(seen.call.key) >= 2;
    }
    if (!growth.has_two_ids) return;
    ++growth.writes;
    Mark& mark = marks_[seen.key];
    if (!mark.is_seen) Add(seen, growth);
    mark.is_seen = true;
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t family = 0; family < families_.size(); ++family) {
      Growth& growth = families_[family];
      // A key that is used again is no receipt.
      if (growth.keys < kKeysMin || growth.writes * 5 > growth.keys * 6) continue;
      Say(growth, family,
          fmt::format("{} of one family, each with two ids, were written {} times",
                      Count(growth.keys, "key"), growth.writes));
    }
    for (auto& [store, growth] : stores_) {
      if (growth.keys < kKeysMin) continue;
      Say(growth, growth.family,
          fmt::format("{} that count up were written in one store, none again",
                      Count(growth.keys, "key")));
    }
  }
  void ForgetKey(size_t key) override { marks_.Forget(key); }

 private:
  static constexpr uint64_t kKeysMin = 10;
  struct Mark {
    bool is_seen = false;
  };
  struct Growth {
    bool is_looked_at = false;
    bool has_two_ids = false;
    uint64_t keys = 0;
    uint64_t writes = 0;
    uint64_t bytes = 0;
    uint64_t last = 0;  // The number that is the last key.
    size_t family = kNone;
    const Source* source = nullptr;
    Time first{};
    Time end{};
    Evidence evidence;
  };

  static void Add(const SeenCall& seen, Growth& growth) {
    if (growth.keys++ == 0) growth.first = seen.issued();
    growth.end = seen.issued();
    growth.source = seen.call.source;
    growth.family = seen.family;
    if (seen.call.written) growth.bytes += seen.call.written->bytes;
    growth.evidence.Add(seen.call.id);
  }

  void Counted(const SeenCall& seen) {
    const auto number = NumberOf(seen.call.key);
    if (!number) return;
    std::string store(seen.call.store);
    store += '\0';
    store += seen.call.scope;
    if (stores_.size() >= kStoresMax && !stores_.contains(store)) return;
    Growth& growth = stores_[std::move(store)];
    if (growth.keys > 0 && *number != growth.last + 1) growth = Growth();
    growth.last = *number;
    Add(seen, growth);
  }

  void Say(Growth& growth, size_t family, std::string text) {
    if (growth.bytes > 0) {
      text += fmt::format(", {} in {}", Bytes(growth.bytes), Seconds(growth.end - growth.first));
    }
    Report({.source = growth.source,
            .family = family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = std::move(growth.evidence),
            .time = growth.first,
            .weight = static_cast<double>(growth.keys)});
  }

  Slots<Growth> families_;
  Slots<Mark> marks_;
  std::map<std::string, Growth> stores_;
};

}  // namespace

constinit const RuleEntry kKeysOnlyGrow = {
    .id = "keys-only-grow",
    .severity = Severity::kNote,
    .title = "New keys are written all the time, and none is used again",
    .meaning =
        "Storage grows for ever, and each purchase or save is a request of its own that nothing "
        "can merge.",
    .evidence =
        "At least 10 keys whose family has two ids (player_#_product_#), with at most 1.2 "
        "writes each; or at least 10 keys 1, 2, 3... of a store that has an id in its name.",
    .fix =
        "Keep what belongs together in one key with a limit, or remove what is no longer needed.",
    .source = "Field reports of purchase keys and of a backup for each save",
    .make = &MakeRule<KeysOnlyGrow>};

}  // namespace dstap::analyzer
