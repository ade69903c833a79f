#include <string>
#include <vector>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

// Limits: the last write of each source, one series a key family of ordered stores.
class IndexNotWritten final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (!seen.writes) return;
    const size_t source = seen.call.source->index;
    if (data_.size() <= source) data_.resize(source + 1);
    Data& data = data_[source];
    if (seen.call.store_kind == StoreKind::kStandard) {
      if (seen.stored) {
        data = {std::string(seen.call.store), std::string(seen.call.key), seen.completed(),
                seen.call.id};
      }
      return;
    }
    const bool is_index = data.call != 0 && data.store == seen.call.store &&
                          data.key == seen.call.key && seen.issued() >= data.completed &&
                          seen.issued() - data.completed <= kGapMax;
    if (!is_index) return;
    Half& half = halves_[seen.family];
    if (half.source == nullptr) half.time = seen.issued();
    half.source = seen.call.source;
    half.step = seen.step_name;
    ++half.pairs;
    if (!seen.failed) return;
    ++half.failed;
    half.evidence.Add(data.call);
    half.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (size_t family = 0; family < halves_.size(); ++family) {
      Half& half = halves_[family];
      if (half.failed == 0) continue;
      Report({.source = half.source,
              .step = host().StepAt(half.step),
              .family = family,
              .confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = fmt::format("{} of {} stored the value and failed to write the ordered store "
                                  "of the same name and key",
                                  half.failed, Count(half.pairs, "save")),
              .evidence = std::move(half.evidence),
              .time = half.time,
              .weight = static_cast<double>(half.failed)});
    }
  }

 private:
  static constexpr Time kGapMax = 5s;
  struct Data {
    std::string store;
    std::string key;
    Time completed{};
    uint64_t call = 0;
  };
  struct Half {
    const Source* source = nullptr;
    size_t step = 0;
    uint64_t pairs = 0;
    uint64_t failed = 0;
    Time time{};
    Evidence evidence;
  };

  std::vector<Data> data_;  // By Source::index.
  Slots<Half> halves_;      // By family.
};

}  // namespace

constinit const RuleEntry kIndexNotWritten = {
    .id = "index-not-written",
    .severity = Severity::kError,
    .title = "The value is stored, and the index that leads to it is not",
    .meaning =
        "A save in two steps went half way. The next load asks the index, finds the save "
        "before, and the player's progress looks lost. The data is there and can be found by "
        "its key.",
    .evidence =
        "A stored value, and within 5 s a failed write of the ordered store with the same "
        "name and key.",
    .fix =
        "Repair the second write (an ordered store takes no user ids and whole numbers only), then "
        "write the missing index entries.",
    .source = "A field report of user ids given to an ordered store",
    .make = &MakeRule<IndexNotWritten>};

}  // namespace dstap::analyzer
