#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr Time kReactionMax = 1s;
constexpr Time kBeforeMax = 60s;

// Limits: the last write of unknown outcome of each source, the last write of each key and source.
class AmbiguousWriteCompensated final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const Source& source = *seen.call.source;
    if (open_.size() <= source.index) open_.resize(source.index + 1);
    Open& open = open_[source.index];
    const bool checks = seen.call.method == Method::kGetAsync &&
                        seen.call.use_cache == UseCache::kFalse && seen.lane == open.lane;
    if (checks) open = Open();
    if (seen.stored) {
      const Write& before = writes_[seen.lane];
      const bool reacts = open.call != 0 && seen.lane != open.lane &&
                          seen.issued() >= open.answered &&
                          seen.issued() - open.answered <= kReactionMax;
      const bool was_written = before.call != 0 && before.issued <= open.issued &&
                               open.issued - before.issued <= kBeforeMax;
      if (reacts && was_written) Say(seen, open, before);
      writes_[seen.lane] = {seen.call.id, seen.issued()};
    }
    if (seen.may_be_stored && seen.call.completed) {
      open = {seen.call.id, seen.lane, seen.issued(), *seen.call.completed};
    }
  }

  void ForgetLane(size_t lane) override { writes_.Forget(lane); }

 private:
  struct Open {
    uint64_t call = 0;
    size_t lane = kNone;
    Time issued{};
    Time answered{};
  };
  struct Write {
    uint64_t call = 0;
    Time issued{};
  };

  void Say(const SeenCall& seen, const Open& open, const Write& before) {
    Evidence evidence;
    for (const uint64_t call : {before.call, open.call, seen.call.id}) evidence.Add(call);
    Report({.source = seen.call.source,
            .step = StepName(seen.step),
            .family = seen.family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text = fmt::format(
                "this key was written, {} later another one with an error that leaves "
                "open whether it was stored, and {} after that this key again: if it "
                "was given back, it may now exist twice",
                Seconds(open.issued - before.issued), Seconds(seen.issued() - open.answered)),
            .evidence = std::move(evidence),
            .time = seen.issued(),
            .weight = 1.0});
  }

  std::vector<Open> open_;  // By Source::index.
  Slots<Write> writes_;
};

}  // namespace

constinit const RuleEntry kAmbiguousWriteCompensated = {
    .id = "ambiguous-write-compensated",
    .severity = Severity::kError,
    .title = "Something is given back although its delivery may have been stored",
    .meaning =
        "Taken from one key, given to another with an error, given back to the first: when the "
        "error was an answer that got lost, both have it.",
    .evidence =
        "A key is written, within 60 s another one with a service failure or an unknown error, "
        "and the first one again within 1 s of that error, without a GetAsync with UseCache = "
        "false of the second. That it is a refund is an inference.",
    .fix = "Settle first what became of the failed write: read it with UseCache = false.",
    .source = "A published post-mortem of duplicated items",
    .make = &MakeRule<AmbiguousWriteCompensated>};

}  // namespace dstap::analyzer
