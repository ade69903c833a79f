#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

bool HoldsReceipts(std::string_view store) {
  const auto contains = [store](std::string_view word) {
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    return std::search(store.begin(), store.end(), word.begin(), word.end(), same) != store.end();
  };
  return contains("receipt") || contains("purchase");
}

// Limits: one series of receipts a source.
class ReceiptBeforeData final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.stored) return;
    const Source& source = *seen.call.source;
    if (open_.size() <= source.index) open_.resize(source.index + 1);
    Open& open = open_[source.index];
    if (!HoldsReceipts(seen.call.store)) {
      open.evidence.Clear();
      return;
    }
    if (open.evidence.count == 0) open.first = seen.completed();
    open.source = &source;
    open.family = seen.family;
    open.evidence.Add(seen.call.id);
  }

  void OnFault(const Fault& fault) override {
    if (fault.kind != FaultKind::kServerCrash || fault.source == nullptr) return;
    if (fault.source->index < open_.size()) {
      Say(open_[fault.source->index], fault.time, "the server crashed");
    }
  }

  void OnRecordingEnd(const Recording& recording) override {
    if (recording.end) return;
    for (Open& open : open_) Say(open, recording.last, "the recording stopped without an end");
  }

 private:
  struct Open {
    const Source* source = nullptr;
    size_t family = 0;
    Time first{};
    Evidence evidence;
  };

  void Say(Open& open, Time end, std::string_view what) {
    if (open.evidence.count == 0) return;
    Report({.source = open.source,
            .family = open.family,
            .confidence = Confidence::kInferred,
            .severity = std::nullopt,
            .text =
                fmt::format("{} stored, and {} later {} without a write of any other store",
                            Count(open.evidence.count, "receipt"), Seconds(end - open.first), what),
            .evidence = open.evidence,
            .time = open.first,
            .weight = static_cast<double>((end - open.first).count())});
    open.evidence.Clear();
  }

  std::vector<Open> open_;  // By Source::index.
};

}  // namespace

constinit const RuleEntry kReceiptBeforeData = {
    .id = "receipt-before-data",
    .severity = Severity::kError,
    .title = "A purchase is marked as done before what was bought is saved",
    .meaning =
        "When the server dies in between, the receipt says that the item was given, and the "
        "saved data does not have it: it is never given again.",
    .evidence =
        "A write to a store whose name has \"receipt\" or \"purchase\", and then the server "
        "crashed or its recording stopped before it wrote to any other store.",
    .fix = "Store the receipt's id in the player's data, in the same write as the item.",
    .source = "A field report of paid items that were lost",
    .make = &MakeRule<ReceiptBeforeData>};

}  // namespace dstap::analyzer
