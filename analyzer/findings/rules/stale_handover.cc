#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last read and the last user of each key.
class StaleHandover final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.failed || !seen.call.completed || !(seen.reads || seen.writes)) return;
    Handover& handover = handovers_[seen.key];
    const Source* source = seen.call.source;
    // The reader asks again, or reads in an update: it sees what was written.
    if (handover.read.source == source && seen.reads && !seen.is_local) handover = Handover();
    if (seen.stored && seen.call.method != Method::kRemoveAsync) {
      const Use& read = handover.read;
      const bool is_behind = read.source != nullptr && read.source != source &&
                             seen.issued() >= read.time && seen.issued() - read.time <= kGapMax;
      const uint64_t hash = seen.call.written ? seen.call.written->hash : 0;
      if (is_behind && was_used_by_[seen.lane] && handover.write.source == nullptr &&
          (hash == 0 || hash != handover.hash)) {
        handover.write = {source, seen.issued(), seen.call.id};
      }
    }
    if (seen.call.method == Method::kGetAsync && seen.call.outcome == Outcome::kOk &&
        !was_used_by_[seen.lane]) {
      handover = Handover();
      handover.read = {source, seen.completed(), seen.call.id};
      handover.hash = seen.call.read ? seen.call.read->hash : 0;
      handover.family = seen.family;
      handover.step = seen.step_name;
    }
    was_used_by_[seen.lane] = true;
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t key = 0; key < handovers_.size(); ++key) End(handovers_[key]);
  }
  void ForgetKey(size_t key) override { End(handovers_[key]); }
  void ForgetLane(size_t lane) override { was_used_by_.Forget(lane); }

 private:
  static constexpr Time kGapMax = 10s;
  struct Use {
    const Source* source = nullptr;
    Time time{};
    uint64_t call = 0;
  };
  struct Handover {
    Use read;  // The first of this server.
    uint64_t hash = 0;
    Use write;  // Of another server that had the key before, after that read.
    size_t family = 0;
    size_t step = 0;
  };
  struct Flag {
    bool value = false;
    operator bool() const { return value; }  // NOLINT
    void operator=(bool now) { value = now; }
  };

  void End(Handover& handover) {
    if (handover.write.source != nullptr) {
      Evidence evidence;
      evidence.Add(handover.read.call);
      evidence.Add(handover.write.call);
      Report({.source = handover.read.source,
              .step = host().StepAt(handover.step),
              .family = handover.family,
              .confidence = Confidence::kInferred,
              .severity = std::nullopt,
              .text = fmt::format("a key was read {} before the server that had it until then ({}) "
                                  "wrote it, and not read again",
                                  Seconds(handover.write.time - handover.read.time),
                                  handover.write.source->name),
              .evidence = std::move(evidence),
              .time = handover.read.time,
              .weight = 1});
    }
    handover = Handover();
  }

  Slots<Handover> handovers_;
  Slots<Flag> was_used_by_;
};

}  // namespace

constinit const RuleEntry kStaleHandover = {
    .id = "stale-handover",
    .severity = Severity::kError,
    .title = "A server reads a key before the server it comes from has saved it",
    .meaning =
        "The player goes on with old data, and the next save overwrites what the other server "
        "wrote last.",
    .evidence =
        "A server's first read of a key is a GetAsync, another server that used the key "
        "before writes another value within 10 s, and the first one does not read it again. "
        "Times of two servers may be apart by more than this.",
    .fix = "Save before a teleport, and take a lock in the value that the next server waits for.",
    .source = "Field reports of teleports between places",
    .make = &MakeRule<StaleHandover>};

}  // namespace dstap::analyzer
