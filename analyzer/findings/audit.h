// Runs rules over captures.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/findings/failure_chains.h"
#include "analyzer/findings/finding_collector.h"
#include "analyzer/findings/rule.h"
#include "analyzer/findings/slot_table.h"
#include "analyzer/timeline/timeline_visitor.h"

namespace dstap::analyzer {

// Every recording is looked at by rules of its own; what they report becomes findings.
//
// Ownership: the rules' entries outlive it.
// Threads:   not thread-safe.
// Limits:    kKeysMax keys and as many lanes, kFamiliesMax families and names of steps, kCallersMax
// callers; what the
//            rules keep for each of them; the findings (FindingCollector).
class Audit final : public TimelineVisitor, private RuleHost {
 public:
  static constexpr size_t kCallersMax = 256;

  // Rules in the order of the catalogue.
  explicit Audit(std::vector<const RuleEntry*> rules);
  ~Audit() override;

  void OnRecordingBegin(const Recording& recording) override;
  void OnSource(const Source& source) override;
  void OnLimits(const LimitsInForce& limits) override;
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;
  void OnStepEnd(const Step& step) override;
  void OnBudget(const BudgetReading& reading) override;
  void OnClock(const ClockReading& reading) override;
  void OnFault(const Fault& fault) override;
  void OnRecordingEnd(const Recording& recording) override;

  // The worst first, in an order that depends on the captures alone.
  std::vector<Finding> Take() { return collector_.Take(); }
  uint64_t calls() const { return calls_; }

 private:
  struct Limits {
    std::array<std::optional<Rate>, kBudgets> rates;
    Time slowest{};  // Answer of a call that may have gone out.
  };

  void Report(const RuleEntry& rule, Occurrence occurrence) override;
  const Family& FamilyAt(size_t family) const override { return families_[family]; }
  const std::string& StepAt(size_t step_name) const override { return step_names_[step_name]; }
  std::string_view CallerAt(size_t caller) const override { return callers_[caller]; }
  size_t FindKey(const StoreKey& key) const override;
  Rate LimitOf(const Source& source, Budget budget) const override;
  std::string ProfileWords() const override;
  bool HasProfile(std::string_view date) const override;

  size_t KeyOf(const Call& call);
  size_t LaneOf(const Call& call, size_t key);
  size_t FamilyOfKey(const Call& call);
  size_t CallerOf(std::string_view name);
  size_t StepNameOf(const std::string& name);
  Limits& LimitsOf(const Source& source);
  SeenCall See(const Call& call, const Step* step);

  template <typename... Parameters, typename... Arguments>
  void Tell(void (Rule::*what)(Parameters...), const Arguments&... arguments) {
    for (const std::unique_ptr<Rule>& rule : rules_) (rule.get()->*what)(arguments...);
  }

  std::vector<const RuleEntry*> entries_;
  std::vector<std::unique_ptr<Rule>> rules_;  // Of this recording.
  FindingCollector collector_;
  FailureChains chains_;
  std::string profile_;
  SlotTable<TextName> keys_;
  SlotTable<PairName> lanes_;  // Of a key's serial number and a source.
  struct KeyFacts {
    size_t family = 0;
    uint64_t serial = 0;  // No other key of the recording has it, whatever its slot.
  };
  Slots<KeyFacts> facts_of_key_;
  uint64_t next_serial_ = 0;
  std::vector<std::string> step_names_;  // The first is that of no step.
  std::unordered_map<std::string, size_t> step_name_by_text_;
  std::vector<size_t> step_name_of_slot_;  // By Step::slot.
  std::vector<Family> families_;
  std::unordered_map<std::string, size_t> family_by_name_;
  std::vector<std::string> callers_;  // The first is "not known".
  std::unordered_map<std::string, size_t> caller_by_name_;
  size_t last_caller_ = 0;
  std::vector<Limits> limits_;  // By Source::index.
  std::string name_;            // Keeps its memory from call to call.
  uint64_t calls_ = 0;
};

}  // namespace dstap::analyzer
