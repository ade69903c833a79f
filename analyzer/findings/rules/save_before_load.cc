#include <optional>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the first read and the first write of each key and source.
class SaveBeforeLoad final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.failed || !seen.call.completed) return;
    First& first = first_[seen.lane];
    const bool is_write = seen.call.method == Method::kSetAsync && seen.stored;
    if (seen.reads && !first.has_read) {
      first.has_read = true;
      first.read_from = seen.issued();
      first.read_to = seen.completed();
      first.read_call = seen.call.id;
      if (seen.call.read) first.read_bytes = seen.call.read->bytes;
    } else if (is_write && !first.has_written) {
      first.has_written = true;
      first.written = seen.issued();
      first.write_call = seen.call.id;
      first.step = seen.step_name;
      if (seen.call.written) first.written_bytes = seen.call.written->bytes;
    } else {
      return;
    }
    const bool overlaps = first.has_read && first.has_written && first.written >= first.read_from &&
                          first.written < first.read_to;
    if (overlaps) Say(seen, first);
  }

  void ForgetLane(size_t lane) override { first_.Forget(lane); }

 private:
  struct First {
    bool has_read = false;
    bool has_written = false;
    Time read_from{};
    Time read_to{};
    Time written{};
    uint64_t read_call = 0;
    uint64_t write_call = 0;
    std::optional<uint64_t> read_bytes;
    std::optional<uint64_t> written_bytes;
    size_t step = 0;
  };

  void Say(const SeenCall& seen, const First& first) {
    Evidence evidence;
    evidence.Add(first.read_call);
    evidence.Add(first.write_call);
    std::string text = fmt::format("SetAsync of a key began {} before its first read was answered",
                                   Seconds(first.read_to - first.written));
    if (first.read_bytes && first.written_bytes) {
      text += fmt::format("; {} were read, {} are stored now", Bytes(*first.read_bytes),
                          Bytes(*first.written_bytes));
    }
    Report({.source = seen.call.source,
            .step = host().StepAt(first.step),
            .family = seen.family,
            .confidence = Confidence::kObserved,
            .severity = std::nullopt,
            .text = std::move(text),
            .evidence = std::move(evidence),
            .time = first.read_from,
            .weight = 1});
  }

  Slots<First> first_;
};

}  // namespace

constinit const RuleEntry kSaveBeforeLoad = {
    .id = "save-before-load",
    .severity = Severity::kError,
    .title = "A key is saved before its load has finished",
    .meaning =
        "What is saved cannot hold what was stored: a player who leaves quickly is reset to "
        "the template.",
    .evidence = "SetAsync that begins while the server's first read of the key is open.",
    .fix = "Remember that a profile is loaded, and save only then.",
    .source = "A field report of profiles wiped by a quick leave",
    .make = &MakeRule<SaveBeforeLoad>};

}  // namespace dstap::analyzer
