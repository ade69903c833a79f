#include <unordered_map>

#include "analyzer/findings/lock.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr uint64_t kWaitsMin = 3;

bool IsRelease(std::string_view step) {
  for (const std::string_view word : {"release", "close", "leave", "shutdown", "unload"}) {
    if (step.starts_with(word)) return true;
  }
  return false;
}

// Limits: the last write of each key, one key for each live step.
class OrphanLock final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    Key& key = keys_[seen.key];
    if (seen.stored) {
      key = Key();
      key.lock = LockOf(seen.call.written);
      key.hash = seen.call.written ? seen.call.written->hash : 0;
      key.writer = seen.call.source;
      key.written = seen.completed();
      key.call = seen.call.id;
      key.family = seen.family;
      if (seen.step != nullptr) {
        key.step = seen.step->id;
        key_of_step_[seen.step->id] = seen.key;
      }
      return;
    }
    if (key.writer == nullptr || seen.failed) return;
    if (seen.call.source == key.writer) {
      key.waits.Clear();  // It is there, and uses the key.
    } else if (seen.call.outcome == Outcome::kCancelled && seen.call.read && key.hash != 0 &&
               seen.call.read->hash == key.hash && (!key.lock.is_known || key.lock.is_held)) {
      if (key.waits.count == 0) {
        key.waits.Add(key.call);
        key.first_wait = seen.issued();
      }
      key.waits.Add(seen.call.id);
      key.last_wait = seen.completed();
    }
  }

  void OnStepEnd(const Step& step) override {
    if (const auto found = key_of_step_.find(step.id); found != key_of_step_.end()) {
      const size_t at = found->second;
      key_of_step_.erase(found);
      Key& key = keys_[at];
      if (step.end && !step.ok && key.step == step.id && key.lock.is_held) {
        Say(key, step.name, "the step that took it failed");
      }
    }
    if (!step.end || !IsRelease(step.name)) return;
    for (const StoreKey& about : step.about) {
      const size_t at = host().FindKey(about);
      if (at == kNone) continue;
      Key& key = keys_[at];
      if (key.writer == step.source && key.lock.is_held && key.written <= *step.end) {
        Say(key, step.name, fmt::format("the step {} ended and left it", step.name));
      }
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t at = 0; at < keys_.size(); ++at) End(keys_[at]);
  }
  void ForgetKey(size_t at) override { End(keys_[at]); }

 private:
  struct Key {
    LockSeen lock;
    uint64_t hash = 0;
    const Source* writer = nullptr;
    Time written{};
    uint64_t call = 0;
    uint64_t step = 0;
    size_t family = 0;
    Evidence waits;  // The write, and updates of others that found it and wrote nothing.
    Time first_wait{};
    Time last_wait{};
    bool is_said = false;
  };

  void Say(Key& key, std::string_view step, std::string why) {
    if (key.is_said) return;
    key.is_said = true;
    if (key.waits.count == 0) key.waits.Add(key.call);
    std::string text = fmt::format("a lock of {} was never released: {}", key.writer->name, why);
    if (key.waits.count > 1) {
      text +=
          fmt::format("; {} of other servers found it within {}", Count(key.waits.count - 1, "try"),
                      Seconds(key.last_wait - key.first_wait));
    }
    Report({.source = key.writer,
            .step = std::string(step),
            .family = key.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = key.waits,
            .time = key.written,
            .weight = static_cast<double>(key.waits.count)});
  }

  void End(Key& key) {
    if (key.writer != nullptr && key.waits.count > kWaitsMin && !key.is_said) {
      Report({.source = key.writer,
              .family = key.family,
              .confidence = key.lock.is_held ? Confidence::kObserved : Confidence::kInferred,
              .severity = std::nullopt,
              .text = fmt::format(
                  "{} wrote a key and did nothing more with it, and {} of other servers within {} "
                  "found that value and wrote nothing: {}",
                  key.writer->name, Count(key.waits.count - 1, "try"),
                  Seconds(key.last_wait - key.first_wait),
                  key.lock.is_held ? "its lock is in the value" : "it looks like a lock"),
              .evidence = std::move(key.waits),
              .time = key.written,
              .weight = static_cast<double>(key.waits.count)});
    }
    key = Key();
  }

  Slots<Key> keys_;
  std::unordered_map<uint64_t, size_t> key_of_step_;
};

}  // namespace

constinit const RuleEntry kOrphanLock = {
    .id = "orphan-lock",
    .severity = Severity::kError,
    .title = "A session lock is never released",
    .meaning =
        "Nobody holds the key, and everybody waits for it until the lock is old enough to be "
        "taken: the player cannot play for that long.",
    .evidence =
        "With values: a stored value with a lock (MetaData.ActiveSession, lockId, isLocked), "
        "and the step that wrote it failed, or a step named release, close, leave, unload or "
        "shutdown ended behind it. Without values it is inferred: at least 3 updates of other "
        "servers find the value that a server wrote last, write nothing, and that server is "
        "not heard of again.",
    .fix =
        "Release in the failure path too, and write a release that comes while a save is running "
        "behind that save.",
    .source = "Field reports of loads that failed after taking the lock",
    .make = &MakeRule<OrphanLock>};

}  // namespace dstap::analyzer
