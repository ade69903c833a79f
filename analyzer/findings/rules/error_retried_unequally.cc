#include <map>
#include <string>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: kShapesMax ways to say an error, of each source.
class ErrorRetriedUnequally final : public Rule {
 public:
  using Rule::Rule;

  void OnChain(const FailureChain& chain) override {
    if (chain.end == FailureChain::End::kOpen && chain.tries == 1) return;
    if (chain.end == FailureChain::End::kSucceeded && chain.tries == 1) return;  // Retried once.
    const size_t source = chain.source->index;
    if (sources_.size() <= source) sources_.resize(source + 1);
    Shapes& shapes = sources_[source][chain.error];
    if (shapes.size() >= kShapesMax && !shapes.contains(chain.error_shape)) return;
    Told& told = shapes[chain.error_shape];
    told.source = chain.source;
    told.step = chain.step;
    told.family = chain.family;
    told.time = chain.first;
    ++(chain.tries == 1 ? told.given_up : told.retried);
    told.most_tries = std::max(told.most_tries, chain.tries);
    for (const uint64_t call : chain.evidence.calls()) told.evidence.Add(call);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (auto& classes : sources_) {
      for (auto& [error, shapes] : classes) Compare(error, shapes);
    }
  }

 private:
  static constexpr size_t kShapesMax = 64;
  struct Told {
    uint64_t given_up = 0;  // At once.
    uint64_t retried = 0;
    uint64_t most_tries = 0;
    const Source* source = nullptr;
    size_t step = 0;
    size_t family = 0;
    Time time{};
    Evidence evidence;
  };
  using Shapes = std::map<std::string, Told>;

  void Compare(ErrorClass error, Shapes& shapes) {
    for (auto& [given_up, a] : shapes) {
      if (a.given_up == 0 || a.retried > 0) continue;
      for (const auto& [retried, b] : shapes) {
        if (b.retried == 0 || b.given_up > 0) continue;
        Evidence evidence = a.evidence;
        for (const uint64_t call : b.evidence.calls()) evidence.Add(call);
        Report(
            {.source = a.source,
             .step = host().StepAt(a.step),
             .family = a.family,
             .confidence = Confidence::kInferred,
             .severity = std::nullopt,
             .text = fmt::format("{}: said as {} it was given up after 1 try ({} times), said as "
                                 "{} it was tried {} times",
                                 NameOf(error), given_up, a.given_up, retried, b.most_tries),
             .evidence = std::move(evidence),
             .time = a.time,
             .weight = static_cast<double>(a.given_up)});
        break;
      }
    }
  }

  std::vector<std::map<ErrorClass, Shapes>> sources_;  // By Source::index.
};

}  // namespace

constinit const RuleEntry kErrorRetriedUnequally = {
    .id = "error-retried-unequally",
    .severity = Severity::kWarning,
    .title = "The same trouble is retried or not, depending on its wording",
    .meaning =
        "A list of numbers or words decides what is retried, and it knows only one of the ways "
        "in which the service says this.",
    .evidence =
        "On one server, errors of one kind: in one wording always retried, in another one "
        "given up after the first try (nothing more for 120 s, or 5 s to the recording's end).",
    .fix = "Decide by the kind of error, from its text and inner code.",
    .source = "A library's list of retried numbers",
    .make = &MakeRule<ErrorRetriedUnequally>};

}  // namespace dstap::analyzer
