#include "analyzer/findings/lock.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last load of each key and source, the locks that each key and source wrote last.
class LockJudgedDifferently final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.failed || !(seen.call.read || seen.call.written)) return;
    Lane& lane = lanes_[seen.lane];
    if (seen.stored) lane.own = LockOf(seen.call.written).owner;
    if (!seen.reads) return;
    const LockSeen lock = LockOf(seen.call.read);
    const bool is_foreign = lock.is_held && lock.owner != lane.own;
    const uint64_t step = seen.step == nullptr ? 0 : seen.step->id;
    if (seen.call.method == Method::kGetAsync) {
      lane.accepted = is_foreign ? lock.owner : "";
      lane.load = seen.call.id;
      lane.loaded = seen.completed();
      lane.step = step;
    } else if (seen.call.outcome == Outcome::kCancelled && is_foreign &&
               lane.accepted == lock.owner && seen.issued() - lane.loaded <= kGapMax &&
               (step == 0 || step != lane.step)) {
      Key& key = keys_[seen.key];
      if (key.count == 0) key.first = seen.issued();
      ++key.count;
      key.source = seen.call.source;
      key.family = seen.family;
      key.last = seen.issued();
      key.evidence.Add(lane.load);
      key.evidence.Add(seen.call.id);
      lane.accepted.clear();
    }
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t at = 0; at < keys_.size(); ++at) End(keys_[at]);
  }
  void ForgetKey(size_t at) override { End(keys_[at]); }
  void ForgetLane(size_t lane) override { lanes_.Forget(lane); }

 private:
  static constexpr Time kGapMax = 60s;
  struct Lane {
    std::string own;
    std::string accepted;
    uint64_t load = 0;
    Time loaded{};
    uint64_t step = 0;
  };
  struct Key {
    uint64_t count = 0;
    const Source* source = nullptr;
    size_t family = 0;
    Time first{};
    Time last{};
    Evidence evidence;
  };

  void End(Key& key) {
    if (key.count > 0) {
      std::string text = fmt::format(
          "a load read another owner's lock and went on, and the save behind it wrote nothing "
          "because of the same lock: {}",
          Count(key.count, "time"));
      if (key.count > 1) text += fmt::format(" over {}", Seconds(key.last - key.first));
      Report({.source = key.source,
              .family = key.family,
              .confidence = Confidence::kInferred,
              .severity = std::nullopt,
              .text = std::move(text),
              .evidence = std::move(key.evidence),
              .time = key.first,
              .weight = static_cast<double>(key.count)});
    }
    key = Key();
  }

  Slots<Lane> lanes_;
  Slots<Key> keys_;
};

}  // namespace

constinit const RuleEntry kLockJudgedDifferently = {
    .id = "lock-judged-differently",
    .severity = Severity::kError,
    .title = "Loading accepts a lock that saving refuses",
    .meaning =
        "The load takes an old lock for dead, the save only sees that it is not its own. The "
        "player gets in, loses what was done, and is thrown out, at every join.",
    .evidence =
        "Needs values. A GetAsync that read a lock of another owner, and within 60 s, in "
        "another step, an UpdateAsync of that server and key that read the same owner and "
        "wrote nothing.",
    .fix = "Let one function judge a lock for both, and take the lock over in the load itself.",
    .source = "A field report of a player locked out for 11 hours",
    .make = &MakeRule<LockJudgedDifferently>};

}  // namespace dstap::analyzer
