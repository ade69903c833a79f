#include <map>
#include <vector>

#include "analyzer/findings/rate_window.h"
#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// An episode ends when nothing was throttled for so long.
constexpr Time kQuiet = 60s;

// Limits: a minute's counts for each source and caller, of at most Audit::kCallersMax callers.
class ThrottledByOther final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    const Source& source = *seen.call.source;
    if (sources_.size() <= source.index) sources_.resize(source.index + 1);
    OfSource& state = sources_[source.index];
    const bool is_hit = seen.call.times_queued > 0 || seen.error == ErrorClass::kServerThrottled;
    if (is_hit && seen.caller != 0) Hit(seen, state);
    if (is_hit) state.last_hit = std::max(state.last_hit, seen.issued());
    for (const Cost& cost : seen.costs) {
      if (!cost.budget || cost.taken == 0) continue;
      Spent& spent = state.spent[seen.caller];
      spent.window.Add(seen.call.admitted.value_or(seen.issued()), cost.taken);
      spent.evidence.Add(seen.call.id);
    }
  }

 private:
  struct Spent {
    RateWindow window;
    Evidence evidence;
  };
  struct OfSource {
    std::map<size_t, Spent> spent;  // By caller.
    Time last_hit = -kQuiet;
  };

  // Who asked for most in the last minute, and who was the first to wait?
  void Hit(const SeenCall& seen, OfSource& state) {
    if (seen.issued() - state.last_hit < kQuiet) return;
    uint64_t all = 0;
    const Spent* most = nullptr;
    size_t caller = 0;
    for (const auto& [each, spent] : state.spent) {
      all += spent.window.total();
      if (most != nullptr && spent.window.total() <= most->window.total()) continue;
      most = &spent;
      caller = each;
    }
    if (most == nullptr || caller == seen.caller || caller == 0) return;
    Report({.source = seen.call.source,
            .family = seen.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = fmt::format(
                "{} was the first that had to wait, and {} had spent {} of {} requests of the last "
                "minute ({})",
                host().CallerAt(seen.caller), host().CallerAt(caller), most->window.total(), all,
                Percent(most->window.total(), all)),
            .evidence = most->evidence,
            .time = seen.issued(),
            .weight = static_cast<double>(most->window.total())});
  }

  std::vector<OfSource> sources_;
};

}  // namespace

constinit const RuleEntry kThrottledByOther = {
    .id = "throttled-by-another-script",
    .severity = Severity::kWarning,
    .title = "One script uses the budget up, and another one is hit",
    .meaning =
        "All scripts of a server share its budgets. The one whose request is the first to be "
        "queued is easily blamed, and need not be the one that spends most.",
    .evidence =
        "The first queued or dropped request after a minute without one is of another caller "
        "than most requests of the last minute. Needs a capture that names callers; scripts "
        "that were not recorded are not seen.",
    .fix = "Look at the script that spends most first.",
    .source = "A field report that blamed the wrong script",
    .make = &MakeRule<ThrottledByOther>};

}  // namespace dstap::analyzer
