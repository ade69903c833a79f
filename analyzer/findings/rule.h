// A rule of the audit: what it looks at and how it reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/error_class.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/rates.h"
#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// Keys, and keys as one source uses them, that are followed at once. The one not seen for longest
// is forgotten first.
inline constexpr size_t kKeysMax = 16384;
// Different stores and key families that are told apart; the others are one.
inline constexpr size_t kFamiliesMax = 4096;

// Stores and keys with ids taken out.
struct Family {
  std::string store;  // With the scope, where it is not the default one.
  std::string keys;
  StoreKind kind = StoreKind::kUnknown;
};

inline constexpr size_t kNone = static_cast<size_t>(-1);

// A call, and what all rules need to know of it.
//
// Ownership: as the call's; nothing outlives the callback.
struct SeenCall {
  const Call& call;
  const Step* step;     // Null: of no step.
  size_t key = kNone;   // A small number for store, scope and key (none: the whole store).
  size_t lane = kNone;  // The same for that and source.
  size_t family = 0;
  size_t step_name = 0;  // A small number for the step's name; 0: of no step.
  size_t caller = 0;     // A small number for the module or script; 0: not known.
  ErrorClass error = ErrorClass::kNone;
  bool reads = false;          // Its method reads a value of one key.
  bool writes = false;         // Its method may write one.
  bool stored = false;         // It did.
  bool failed = false;         // Dropped, refused or failed.
  bool may_be_stored = false;  // A write whose outcome is not known.
  // Answered by the server's own copy: the capture says so, or it took under 10 ms where others of
  // the server took 50 ms and more.
  bool is_local = false;
  bool is_local_observed = false;
  uint64_t failures_before = 0;  // Tries of the lane that failed in a row until now.
  std::array<Cost, 2> costs;

  Time issued() const { return call.issued; }
  // An open call is taken to end with the recording.
  Time completed() const { return call.completed.value_or(Time::max()); }
};

// Tries of one key by one source that failed one after the other; a success, or kChainGap without a
// further try, ends it.
struct FailureChain {
  static constexpr Time kGap = std::chrono::seconds(120);
  enum class End : uint8_t {
    kSucceeded,  // The next call of the key did not fail.
    kGaveUp,     // No further try for kGap, or for 5 s up to the recording's end.
    kOpen,       // The recording ended too early to tell.
  };

  const Source* source = nullptr;
  size_t lane = kNone;
  size_t family = 0;
  size_t caller = 0;
  size_t step = 0;
  uint64_t tries = 0;  // That failed.
  Time first{};        // Issued.
  Time last{};         // Issued.
  Time answered{};     // The last failure.
  // From a failure to the next try.
  Time shortest = Time::max();
  Time longest{};
  uint64_t immediate = 0;  // Waits of at most kImmediate.
  static constexpr Time kImmediate = std::chrono::milliseconds(50);
  bool grows = false;  // A wait was at least 1.5 times the one before.
  Time last_wait{};
  ErrorClass error = ErrorClass::kNone;  // Of the first failure.
  std::string error_shape;               // How it was said: "301:", a name, or words.
  Evidence evidence;
  End end = End::kOpen;
};

// What a rule found, once.
struct Occurrence {
  const Source* source = nullptr;  // Null: of no one source.
  std::string step;
  size_t family = kNone;
  Confidence confidence = Confidence::kInferred;
  std::optional<Severity> severity;  // Absent: the rule's.
  std::string text;
  Evidence evidence;
  Time time{};
  double weight = 1;  // The sentence of the heaviest occurrence is the finding's.
};

// What rules are given.
class RuleHost {
 public:
  virtual ~RuleHost() = default;

  virtual void Report(const RuleEntry& rule, Occurrence occurrence) = 0;
  virtual const Family& FamilyAt(size_t family) const = 0;
  virtual const std::string& StepAt(size_t step_name) const = 0;
  virtual std::string_view CallerAt(size_t caller) const = 0;
  // The number of a key that was seen, else kNone.
  virtual size_t FindKey(const StoreKey& key) const = 0;
  virtual Rate LimitOf(const Source& source, Budget budget) const = 0;
  // "the rules of 2026".
  virtual std::string ProfileWords() const = 0;
  virtual bool HasProfile(std::string_view date) const = 0;
};

// Looks at one recording, in the order of the timeline.
//
// Threads: all calls come from one thread.
// Limits:  keeps at most kKeysMax of anything; each rule says what.
class Rule {
 public:
  Rule(const RuleEntry& entry, RuleHost& host) : entry_(entry), host_(host) {}
  virtual ~Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  virtual void OnSource(const Source& /*source*/) {}
  virtual void OnStepBegin(const Step& /*step*/) {}
  virtual void OnCall(const SeenCall& /*seen*/) {}
  // MemoryStoreService and MessagingService.
  virtual void OnServiceCall(const Call& /*call*/, const Step* /*step*/) {}
  // Comes some time after the step's row, and after all of its calls.
  virtual void OnStepEnd(const Step& /*step*/) {}
  virtual void OnChain(const FailureChain& /*chain*/) {}
  virtual void OnBudget(const BudgetReading& /*reading*/) {}
  virtual void OnClock(const ClockReading& /*reading*/) {}
  virtual void OnFault(const Fault& /*fault*/) {}
  virtual void OnRecordingEnd(const Recording& /*recording*/) {}
  // Keys and lanes of these numbers will mean others.
  virtual void ForgetKey(size_t /*key*/) {}
  virtual void ForgetLane(size_t /*lane*/) {}

 protected:
  RuleHost& host() const { return host_; }
  void Report(Occurrence occurrence) const { host_.Report(entry_, std::move(occurrence)); }

 private:
  const RuleEntry& entry_;
  RuleHost& host_;
};

// A row of the catalogue.
struct RuleEntry {
  std::string_view id;  // Printed, documented, never used again for something else.
  Severity severity;
  std::string_view title;     // One line.
  std::string_view meaning;   // What it means where it is found.
  std::string_view evidence;  // When it is said: thresholds, and what is inferred.
  std::string_view fix;
  std::string_view source;  // What it rests on.
  std::unique_ptr<Rule> (*make)(const RuleEntry& entry, RuleHost& host);
};

template <typename T>
std::unique_ptr<Rule> MakeRule(const RuleEntry& entry, RuleHost& host) {
  return std::make_unique<T>(entry, host);
}

// A T for each small number.
template <typename T>
class Slots {
 public:
  T& operator[](size_t at) {
    if (at >= values_.size()) values_.resize(at + 1);
    return values_[at];
  }
  void Forget(size_t at) {
    if (at < values_.size()) values_[at] = T();
  }
  size_t size() const { return values_.size(); }

 private:
  std::vector<T> values_;
};

inline std::string StepName(const Step* step) { return step == nullptr ? "" : step->name; }

}  // namespace dstap::analyzer
