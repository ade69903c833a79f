#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last read and the last update of each key and source.
class ReadThenWrite final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    Last& last = last_[seen.lane];
    const bool has_answer = seen.call.completed && !seen.failed;
    if (seen.call.method == Method::kGetAsync) {
      const bool is_check = seen.call.use_cache == UseCache::kFalse || seen.is_local;
      if (has_answer && !is_check && Follows(seen, last, Method::kUpdateAsync)) {
        Say(seen, last, "UpdateAsync", "GetAsync", "UpdateAsync has returned the value already",
            std::nullopt);
      }
      last = has_answer && !is_check
                 ? Last{seen.call.id, seen.completed(), StepId(seen), Method::kGetAsync}
                 : Last();
      return;
    }
    if (!seen.writes) return;
    if (Follows(seen, last, Method::kGetAsync)) {
      if (seen.call.method == Method::kUpdateAsync) {
        Say(seen, last, "GetAsync", "UpdateAsync", "UpdateAsync reads the value itself",
            std::nullopt);
      } else if (seen.call.method == Method::kSetAsync) {
        Say(seen, last, "GetAsync", "SetAsync",
            "one UpdateAsync would do both, and lose nothing that another server writes in between",
            Severity::kWarning);
      }
    }
    last = seen.stored && seen.call.method == Method::kUpdateAsync
               ? Last{seen.call.id, seen.completed(), StepId(seen), Method::kUpdateAsync}
               : Last();
  }

  void ForgetLane(size_t lane) override { last_.Forget(lane); }

 private:
  static constexpr Time kGapMax = 2s;
  struct Last {
    uint64_t call = 0;
    Time completed{};
    uint64_t step = 0;
    Method method = Method::kUnknown;
  };

  static uint64_t StepId(const SeenCall& seen) { return seen.step == nullptr ? 0 : seen.step->id; }
  static bool Follows(const SeenCall& seen, const Last& last, Method method) {
    return last.method == method && last.step == StepId(seen) && seen.issued() >= last.completed &&
           seen.issued() - last.completed <= kGapMax;
  }

  void Say(const SeenCall& seen, const Last& last, std::string_view first, std::string_view second,
           std::string_view why, std::optional<Severity> severity) {
    Evidence evidence;
    evidence.Add(last.call);
    evidence.Add(seen.call.id);
    Report({.source = seen.call.source,
            .step = StepName(seen.step),
            .family = seen.family,
            .confidence = Confidence::kInferred,
            .severity = severity,
            .text = fmt::format("{}, and {} later {} of the same key: {}", first,
                                Seconds(seen.issued() - last.completed), second, why),
            .evidence = std::move(evidence),
            .time = seen.issued(),
            .weight = severity ? 2.0 : 1.0});
  }

  Slots<Last> last_;
};

}  // namespace

constinit const RuleEntry kReadThenWrite = {
    .id = "two-requests-for-one",
    .severity = Severity::kNote,
    .title = "A read and a write of one key that could be one request",
    .meaning =
        "The key is asked for twice, one after the other: twice the time, and budget for a "
        "read more than needed. With SetAsync behind GetAsync, what another server writes in "
        "between is lost.",
    .evidence =
        "In one step, or outside of steps, GetAsync and then UpdateAsync or SetAsync of the "
        "key at most 2 s behind its answer, or GetAsync behind an UpdateAsync that wrote. "
        "Reads past or out of the cache do not count. A warning with SetAsync.",
    .fix = "Use UpdateAsync alone: it reads, and returns what it wrote.",
    .source = "UpdateAsync in the platform's reference; measurements of loads",
    .make = &MakeRule<ReadThenWrite>};

}  // namespace dstap::analyzer
