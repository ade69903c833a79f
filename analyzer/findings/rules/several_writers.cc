#include <array>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: two callers a key and source.
class SeveralWriters final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes || seen.caller == 0) return;
    Writers& writers = writers_[seen.lane];
    const size_t i = writers.count[0] == 0 || writers.caller[0] == seen.caller ? 0 : 1;
    if (writers.count[i] == 0) writers.caller[i] = seen.caller;
    ++writers.count[i];
    if (writers.evidence.count == 0) writers.first = seen.issued();
    writers.source = seen.call.source;
    writers.family = seen.family;
    writers.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t lane = 0; lane < writers_.size(); ++lane) End(writers_[lane]);
  }
  void ForgetLane(size_t lane) override { End(writers_[lane]); }

 private:
  struct Writers {
    std::array<size_t, 2> caller{};
    std::array<uint64_t, 2> count{};  // The second: of all others.
    Time first{};
    const Source* source = nullptr;
    size_t family = 0;
    Evidence evidence;
  };

  void End(Writers& writers) {
    if (writers.count[1] > 0) {
      Report({.source = writers.source,
              .family = writers.family,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text =
                  fmt::format("one key is written by {} ({}) and by {} ({})",
                              host().CallerAt(writers.caller[0]), Count(writers.count[0], "write"),
                              host().CallerAt(writers.caller[1]), Count(writers.count[1], "write")),
              .evidence = std::move(writers.evidence),
              .time = writers.first,
              .weight = static_cast<double>(writers.count[0] + writers.count[1])});
    }
    writers = Writers();
  }

  Slots<Writers> writers_;
};

}  // namespace

constinit const RuleEntry kSeveralWriters = {
    .id = "several-writers",
    .severity = Severity::kWarning,
    .title = "Several scripts of a server write one key",
    .meaning =
        "Each saves its own idea of the value, and the last one wins. In the traffic they look "
        "like one script that retries.",
    .evidence =
        "Writes of one key on one server by at least two callers. Needs a capture that names "
        "callers.",
    .fix = "Let one module own the key, and let the others ask it.",
    .source = "Field reports of two save scripts in one place",
    .make = &MakeRule<SeveralWriters>};

}  // namespace dstap::analyzer
