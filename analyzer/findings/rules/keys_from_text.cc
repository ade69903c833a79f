#include <map>
#include <string>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kKeyBytesMax = 50;  // The platform's limit; a longer text is cut there.

// A space, a control character or a quote in a key that is as long as keys may be, or bytes that
// are no ASCII at its end, where it was cut.
bool IsText(std::string_view key) {
  if (key.size() < kKeyBytesMax) return false;
  return std::ranges::any_of(key, [](char c) {
    return c == ' ' || c == '"' || c == '\'' || static_cast<unsigned char>(c) < 0x20;
  });
}

// Limits: a mark each key, a count each store's family.
class KeysFromText final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes || !IsText(seen.call.key)) return;
    Mark& mark = marks_[seen.key];
    Store& store = stores_[host().FamilyAt(seen.family).store];
    if (store.source == nullptr) store.time = seen.issued();
    store.source = seen.call.source;
    ++store.writes;
    if (mark.is_seen) return;
    mark.is_seen = true;
    ++store.keys;
    store.family = seen.family;
    store.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (auto& [name, store] : stores_) {
      if (store.keys < kKeysMin) continue;
      Report({.source = store.source,
              .family = store.family,
              .confidence = Confidence::kInferred,
              .severity = std::nullopt,
              .text =
                  fmt::format("{} of a store are sentences cut at {} bytes; {} so far",
                              Count(store.keys, "key"), kKeyBytesMax, Count(store.writes, "write")),
              .evidence = std::move(store.evidence),
              .time = store.time,
              .weight = static_cast<double>(store.keys)});
    }
  }
  void ForgetKey(size_t key) override { marks_.Forget(key); }

 private:
  static constexpr uint64_t kKeysMin = 3;
  struct Mark {
    bool is_seen = false;
  };
  struct Store {
    const Source* source = nullptr;
    uint64_t keys = 0;
    uint64_t writes = 0;
    size_t family = kNone;
    Time time{};
    Evidence evidence;
  };
  Slots<Mark> marks_;
  std::map<std::string, Store> stores_;
};

}  // namespace

constinit const RuleEntry kKeysFromText = {
    .id = "keys-from-text",
    .severity = Severity::kWarning,
    .title = "Keys are made of messages",
    .meaning =
        "Different messages with the same beginning share a key, others make a new one each "
        "time; they can be cut in the middle of a character, and can hold names or paths.",
    .evidence =
        "At least 3 keys of a store, each 50 bytes long with a space, a quote or a control "
        "character in it.",
    .fix = "Use a short hash of the message as the key, and keep the text in the value.",
    .source = "An analytics library's source",
    .make = &MakeRule<KeysFromText>};

}  // namespace dstap::analyzer
