#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last write of unknown outcome of each key and source.
class AmbiguousWriteRepeated final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    Open& open = open_[seen.lane];
    const bool checks = seen.call.method == Method::kGetAsync &&
                        seen.call.use_cache == UseCache::kFalse && !seen.failed;
    if (checks) {
      open = Open();
    } else if (seen.writes && open.call != 0 && seen.issued() >= open.answered) {
      if (seen.issued() - open.answered <= kGapMax) Say(seen, open);
      open = Open();
    }
    if (seen.may_be_stored && seen.call.completed) open = {seen.call.id, *seen.call.completed};
  }

  void ForgetLane(size_t lane) override { open_.Forget(lane); }

 private:
  static constexpr Time kGapMax = 120s;
  struct Open {
    uint64_t call = 0;
    Time answered{};
  };

  void Say(const SeenCall& seen, const Open& open) {
    Evidence evidence;
    evidence.Add(open.call);
    evidence.Add(seen.call.id);
    const bool reads = seen.call.method == Method::kUpdateAsync;
    Report(
        {.source = seen.call.source,
         .step = StepName(seen.step),
         .family = seen.family,
         .confidence = Confidence::kObserved,
         .severity = reads ? std::nullopt : std::optional(Severity::kWarning),
         .text = fmt::format(
             "a write failed in a way that leaves open whether it was stored, and {} later the "
             "key was written again without a read past the cache{}",
             Seconds(seen.issued() - open.answered),
             reads ? "; this one reads first, and must know its own earlier write when it sees it"
                   : ""),
         .evidence = std::move(evidence),
         .time = seen.issued(),
         .weight = reads ? 1.0 : 2.0});
  }

  Slots<Open> open_;
};

}  // namespace

constinit const RuleEntry kAmbiguousWriteRepeated = {
    .id = "ambiguous-write-repeated",
    .severity = Severity::kNote,
    .title = "A write that may have been stored is repeated blindly",
    .meaning =
        "An error of the service says that no answer came, not that nothing was stored. "
        "Repeating what adds something (a purchase, an increment, a delivery) may add it twice.",
    .evidence =
        "A write that failed with a service failure or an unknown error, and another write of "
        "the key by the same server within 120 s, without a successful GetAsync with UseCache "
        "= false in between. A note for UpdateAsync, which reads first; else a warning.",
    .fix =
        "Read with UseCache = false before deciding, or store an operation id beside the value and "
        "look for it in the transform.",
    .source = "Error codes and limits of the platform's data store documentation",
    .make = &MakeRule<AmbiguousWriteRepeated>};

}  // namespace dstap::analyzer
