#include <optional>

#include "analyzer/findings/rules/rules.h"
#include "analyzer/findings/shutdown.h"

namespace dstap::analyzer {
namespace {

// The server may be gone a little before its time is up.
constexpr Time kNearlyAll = kShutdownMax - 1s;

// Limits: what each live step has sent, in counts.
class ShutdownTooLong final : public Rule {
 public:
  using Rule::Rule;

  void OnStepBegin(const Step& step) override { closings_[step.slot] = Closing(); }

  void OnCall(const SeenCall& seen) override {
    if (seen.step == nullptr || !IsShutdown(seen.step->name)) return;
    Closing& closing = closings_[seen.step->slot];
    const bool is_late = seen.completed() - seen.step->begin > kShutdownMax;
    ++closing.sent;
    // What is open behind an early end is another rule's.
    const bool ended_early = seen.step->end && *seen.step->end - seen.step->begin < kShutdownMax;
    if (!ended_early && is_late) {
      ++closing.late;
      closing.evidence.Add(seen.call.id);
    } else if (!is_late) {
      ++closing.answered;
    }
    if (closing.sent > 1) {
      closing.is_one_by_one = closing.is_one_by_one && seen.issued() >= closing.last_answer;
      closing.one_key = closing.one_key && closing.key == seen.key;
      closing.spacing = seen.issued() - closing.last_issue;
    }
    closing.key = seen.key;
    closing.family = seen.family;
    closing.last_issue = seen.issued();
    closing.last_answer = std::max(closing.last_answer, seen.completed());
    closing.last_seen = std::max(closing.last_seen, seen.call.completed.value_or(seen.issued()));
    closing.last_call = seen.call.id;
  }

  void OnStepEnd(const Step& step) override {
    if (!IsShutdown(step.name) || step.partial) return;
    Closing closing = closings_[step.slot];
    const Time begin = step.begin;
    const bool ended_late = step.end && (*step.end - begin > kShutdownMax ||
                                         (!step.ok && *step.end - begin >= kNearlyAll));
    const bool is_cut = !step.end && closing.last_seen - begin >= kNearlyAll - 7s;
    if (closing.late == 0 && !ended_late && !is_cut) return;
    if (closing.evidence.count == 0 && closing.sent > 0) closing.evidence.Add(closing.last_call);
    std::string text =
        fmt::format("{} were answered within {} of the shutdown, {} were not",
                    Count(closing.answered, "request"), Seconds(kShutdownMax), closing.late);
    if (!step.end) text += "; it was not done when the recording ended";
    if (closing.sent > 1 && closing.is_one_by_one) {
      text += closing.one_key
                  ? fmt::format("; they were for one key, {} apart", Seconds(closing.spacing))
                  : "; they were sent one at a time";
    }
    Report(
        {.source = step.source,
         .step = step.name,
         .family = closing.sent > 0 ? closing.family : kNone,
         .confidence = step.end || closing.late > 0 ? Confidence::kObserved : Confidence::kInferred,
         .severity = std::nullopt,
         .text = std::move(text),
         .evidence = std::move(closing.evidence),
         .time = begin,
         .weight = static_cast<double>(closing.sent)});
  }

 private:
  struct Closing {
    uint64_t sent = 0;
    uint64_t answered = 0;  // In time.
    uint64_t late = 0;
    bool is_one_by_one = true;
    bool one_key = true;
    size_t key = kNone;
    size_t family = kNone;
    Time last_issue{};
    Time last_answer{};
    Time last_seen{};  // The issue of a call without an answer.
    Time spacing{};
    uint64_t last_call = 0;
    Evidence evidence;
  };
  Slots<Closing> closings_;
};

}  // namespace

constinit const RuleEntry kShutdownTooLong = {
    .id = "shutdown-too-long",
    .severity = Severity::kError,
    .title = "A shutdown needs more than the 30 s it is given",
    .meaning =
        "After 30 s the server is gone, and what it had not sent or not finished is lost: "
        "saves, and releases of locks.",
    .evidence =
        "Within a step named shutdown: a request that was answered later than 30 s after its "
        "begin or never, an end later than that, or no end and requests up to 22 s and more "
        "after its begin.",
    .fix =
        "Save changed data while the game runs, send what is left together, and keep a library's "
        "spacing for each key away from the last save.",
    .source = "BindToClose in the platform's reference; field reports",
    .make = &MakeRule<ShutdownTooLong>};

}  // namespace dstap::analyzer
