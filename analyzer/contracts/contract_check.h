// Whether captures keep a contract.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/contracts/contract.h"
#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/method_counts.h"
#include "analyzer/views/subject.h"

namespace dstap::analyzer {

// Calls of one sample whose order and tries are looked at. Past it, neither is judged.
inline constexpr size_t kCallsOfSampleMax = 4096;
// Calls that a breach names.
inline constexpr size_t kCallsNamedMax = 8;
// Different breaches of one step that are told apart.
inline constexpr size_t kBreachesMax = 100;

// One way in which samples of a step, or calls, do not keep a promise. The first stands for all.
struct Breach {
  std::string promise;   // "requests", "never", ...
  std::string expected;  // "1 UpdateAsync".
  std::string seen;      // "2 UpdateAsync".
  uint64_t samples = 0;  // Of a promise of every call: calls.
  // Where the first is.
  std::string file;
  uint32_t recording = 0;
  uint32_t source = 0;
  uint32_t sample = 0;  // 0: it is of no step.
  SubjectId subject;
  std::vector<uint64_t> calls;  // Ids, at most kCallsNamedMax.
  uint64_t more_calls = 0;
};

struct StepCheck {
  std::string name;
  uint64_t samples = 0;          // That were judged.
  uint64_t broken = 0;           // Of those.
  uint64_t unfinished = 0;       // Began and never ended, or were cut: not judged.
  uint64_t too_long = 0;         // Of the judged: more than kCallsOfSampleMax calls.
  std::vector<Breach> breaches;  // By promise, in the order of the contract's page.
  uint64_t other_breaches = 0;   // Past kBreachesMax.
};

struct ContractChecked {
  std::string contract;
  std::string library;
  std::vector<StepCheck> steps;                 // As the contract has them.
  StepCheck everywhere;                         // What must never be, in any step or none.
  uint64_t calls = 0;                           // Of the subjects that the contract is about.
  std::vector<std::string> steps_not_promised;  // That such a subject has, by name.
  std::vector<std::string> others;              // Subjects that it is not about, by name.

  uint64_t samples() const;
  bool is_broken() const;
};

// Feed it a timeline whose watches are Watches(contract).
//
// Ownership: the contract outlives it. Keeps nothing else that it is handed.
// Limits:    kCallsOfSampleMax calls of each live step that the contract is about.
class ContractCheck final : public TimelineVisitor {
 public:
  explicit ContractCheck(const Contract& contract);

  // What to have the builder watch for.
  static std::vector<const filter::Filter*> Watches(const Contract& contract);

  void OnRecordingBegin(const Recording& recording) override;
  void OnLimits(const LimitsInForce& limits) override;
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;
  void OnMatch(size_t watch, const Call& call, const Step* step) override;
  void OnStepEnd(const Step& step) override;

  ContractChecked Take();

 private:
  struct SeenCall {
    uint64_t id = 0;
    size_t column = 0;
    std::string what;  // What is tried, as retry_identity.h has it; empty: no tries.
    Time issued{};
    std::optional<Time> completed;
  };
  struct Sample {
    std::optional<size_t> contract;  // Index of the step's; absent: there is none.
    MethodCounts counts{};
    std::vector<SeenCall> calls;
    uint64_t calls_left_out = 0;
    std::map<RequestType, uint64_t> taken;
    std::optional<Time> data;
    std::vector<std::pair<size_t, std::vector<uint64_t>>> never;  // By rule: calls.
  };
  // What one sample breaks, before it is known how often others do.
  class Judge;

  bool IsAbout(const SubjectId& subject);
  void Add(const Breach& breach, StepCheck& into) const;
  uint64_t PerPlayer(const Source& source, RequestType type) const;

  const Contract& contract_;
  std::map<std::string, size_t, std::less<>> step_index_;
  ContractChecked checked_;
  std::vector<Sample> live_;  // By Step::slot.
  std::map<SubjectId, bool> is_about_;
  std::set<std::string> steps_not_promised_;
  // By Source::index: what one player adds a minute, by request type.
  std::vector<std::map<RequestType, uint64_t>> per_player_;
  std::string file_;
  uint32_t recording_ = 0;
};

}  // namespace dstap::analyzer
