// What each step of each subject tries more than once, and on which schedule.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/retry_chain.h"
#include "analyzer/views/steps.h"
#include "analyzer/views/subject.h"

namespace dstap::analyzer {

// Different schedules that a row lists; the chains of others are counted together.
inline constexpr size_t kSchedulesMax = 8;

// Attempts held for all live steps together. Past it, keys that a step has not called before are
// not followed, and of others the first and the last try are.
inline constexpr size_t kAttemptsHeldMax = size_t{1} << 18;

// Gaps between tries that are kept for the policies of all rows together. Past it the policy of a
// row that is new is not known.
inline constexpr size_t kGapsHeldMax = size_t{1} << 16;

// Chains with one schedule and one end. The first that was read stands for all.
struct RetrySchedule {
  RetryChain example;
  ChainEnd end{};
  std::string file;  // Where the example is.
  uint32_t recording = 0;
  uint32_t source = 0;
  uint32_t sample = 0;
  uint64_t chains = 0;
  uint64_t samples = 0;  // That have such a chain.
};

// The policy inferred from the chains of one kind of call: all reads, or one method.
struct RetryPolicy {
  size_t column = 0;  // The method of the first try that was read.
  Policy policy = {};
};

// What a step's tries cost, those of things that were called once included.
struct RetryCost {
  uint64_t things = 0;     // Each of them tried once or more,
  uint64_t succeeded = 0;  // and the last try, and the step, were fine.
  uint64_t tries = 0;
  uint64_t units = 0;             // Of budgets, taken by all tries. 0: the captures tell of none.
  uint64_t units_of_repeats = 0;  // Of those, by the tries after the first of each thing.
};

// One step of one subject, over all its samples.
struct RetryRow {
  SubjectId subject;
  std::string step;
  uint64_t samples = 0;              // That began.
  uint64_t samples_with_chains = 0;  // Of those.
  uint64_t chains = 0;
  Range tries;                           // Of one chain.
  std::vector<RetrySchedule> schedules;  // By first appearance.
  uint64_t other_chains = 0;
  uint64_t calls_not_followed = 0;
  std::vector<RetryPolicy> policies;  // By first appearance.
  RetryCost cost;

  // One chain of one schedule in each sample.
  bool is_same_in_every_sample() const {
    return schedules.size() == 1 && other_chains == 0 && chains == samples &&
           schedules.front().samples == samples;
  }
};

using Retries = std::vector<RetryRow>;  // By step as they first appeared, then by subject.

// A chain is two or more calls of one kind that one source issued about one key in one step.
// GetAsync (past the cache or not) and UpdateAsync are one kind: each reads the key. Every other
// method is a kind of its own, but for those that are not about one value: queues and messages.
// With a filter: chains of which at least one call matches, with all their tries.
//
// Ownership: keeps nothing it is handed.
// Limits:    kAttemptsHeldMax attempts in live steps, kSchedulesMax chains a row, kGapsFittedMax
//            gaps a policy and kGapsHeldMax of all.
class RetriesView final : public TimelineVisitor {
 public:
  void OnRecordingBegin(const Recording& recording) override;
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override { Add(call, step, true); }
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kNothing; }
  // A chain with a hole in it would say what is not so: it is whole, or not there.
  void OnOtherCall(const Call& call, const Step* step) override { Add(call, step, false); }
  bool WantsOtherCalls() const override { return true; }
  void OnStepEnd(const Step& step) override;

  Retries Table() const;
  size_t attempts_held() const { return attempts_held_; }

 private:
  struct LiveChain {
    std::string what;  // What is tried: see IdentityOf().
    RetryChain chain;
    bool matches = false;  // One of its calls does.
  };
  // The first `used` of `chains` are the step's; the others are memory to use again.
  struct Live {
    std::vector<LiveChain> chains;
    size_t used = 0;
    std::unordered_multimap<size_t, size_t> by_hash;  // Once there are many.
    uint64_t calls_not_followed = 0;
  };

  struct GapsOfKind {
    Method kind = Method::kUnknown;
    size_t column = 0;
    std::vector<Gap> gaps;
  };
  struct Sum {
    RetryRow row;
    std::vector<GapsOfKind> gaps;
  };

  void Add(const Call& call, const Step* step, bool matches);
  LiveChain* Find(Live& live);
  LiveChain* Start(Live& live);
  void AddSample(const Step& step, const Live& live);
  void AddGaps(Sum& sum, const RetryChain& chain);
  void AddChain(RetryRow& row, const RetryChain& chain, const Step& step,
                std::vector<bool>& is_in_sample) const;

  std::string what_;  // Of the call at hand.
  std::string file_;
  uint32_t recording_ = 0;
  size_t attempts_held_ = 0;
  size_t gaps_held_ = 0;
  std::vector<Live> live_;  // By Step::slot.
  std::map<std::string, size_t> step_index_;
  std::map<std::pair<size_t, SubjectId>, Sum> rows_;
};

}  // namespace dstap::analyzer
