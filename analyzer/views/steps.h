// What each step of each subject sends, and how long it takes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/method_counts.h"
#include "analyzer/views/stage.h"
#include "analyzer/views/step_budgets.h"
#include "analyzer/views/subject.h"

namespace dstap::analyzer {

// Two medians that are no further apart than one step of Roblox's timing (a 60 Hz frame) show no
// difference. A capture's times are whole microseconds, so a difference of two durations can be off
// by two.
inline constexpr Time kTieWithin{16'666'667 + 2'000};

// Different results that a step row lists; the others are counted together.
inline constexpr size_t kValuesSeenMax = 100;

struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

struct NamedRange {
  std::string_view name;  // "UpdateAsync"; "past": GetAsync past the cache.
  Range range;

  friend bool operator==(const NamedRange&, const NamedRange&) = default;
};

struct NamedCount {
  std::string_view name;
  uint64_t count = 0;

  friend bool operator==(const NamedCount&, const NamedCount&) = default;
};

// What the server could see of one budget, over all samples. A sample's first and last are those of
// its first and last call or query.
struct BudgetRange {
  RequestType type = RequestType::kUnknown;
  Range first;
  uint64_t lowest = 0;
  Range last;

  friend bool operator==(const BudgetRange&, const BudgetRange&) = default;
};

// Whether a step saw what was last saved.
struct LastSave {
  uint64_t seen = 0;
  uint64_t samples = 0;  // That did not fail, and of which the capture says what was saved.

  friend bool operator==(const LastSave&, const LastSave&) = default;
};

// Of `count` samples; of one sample only the range says something.
struct TimeRange {
  Time median{};  // Of an even number of samples: midway between the two in the middle.
  Time min{};
  Time max{};
  uint64_t count = 0;

  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// One step of one subject, over all its samples. Counts are for each sample, failed ones included;
// times are of samples that did not fail.
struct StepRow {
  std::string name;
  uint64_t samples = 0;                     // That ended.
  uint64_t failed = 0;                      // Of those.
  std::vector<NamedRange> requests;         // DataStore methods.
  std::vector<NamedRange> local_requests;   // Of those, answered by the server's own copy.
  std::vector<NamedRange> services;         // Methods of MemoryStoreService and MessagingService.
  Range failed_calls;                       // Calls that were dropped, rejected or failed,
  std::vector<NamedRange> failed_requests;  // and of which methods.
  std::optional<TimeRange> seconds;
  std::optional<TimeRange> failed_seconds;  // Of the failed samples: how long until they gave up.
  std::vector<size_t> tie;                  // Subjects (indexes) whose median shows no difference.
  std::vector<std::pair<std::string, uint64_t>> values_seen;  // By value.
  uint64_t values_other = 0;
  LastSave last_save;
  std::optional<Range> written_bytes;           // Of one value that was stored. Absent: none was.
  Throttling throttling;                        // All ended samples together.
  std::optional<Time> longest_queue;            // Absent: nothing waited in a queue.
  std::vector<BudgetRange> budgets;             // By request type. Empty: the captures do not tell.
  uint64_t unfinished = 0;                      // Samples that began and never ended,
  std::vector<NamedCount> unfinished_requests;  // and what they sent altogether.

  // Of every method.
  bool is_same_in_every_sample() const;
};

struct SubjectRows {
  std::string name;
  std::string version;  // Empty: not known.
  std::string label;    // The name, with the version where two subjects share the name.
  bool is_model = false;
  std::vector<StepRow> steps;  // In the order of StepsTable::step_names.
};

struct StepsTable {
  std::vector<std::string> step_names;  // In order of first appearance.
  std::vector<SubjectRows> subjects;    // By name, then version.
  uint64_t left_out = 0;                // Rows without a call, when only others were asked for.
};

// Null: the table has no such subject.
const SubjectRows* FindSubject(const StepsTable& table, const SubjectId& id);

// Ownership: keeps nothing it is handed.
// Limits:    a few hundred bytes for each live step and each (subject, step) pair, and 8 bytes for
//            each sample (medians are exact).
class StepsView final : public TimelineVisitor {
 public:
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kNothing; }
  void OnBudget(const BudgetReading& reading) override;
  void OnStepEnd(const Step& step) override;

  // With `only_with_calls`: without the rows of steps that no call is of.
  StepsTable Table(bool only_with_calls = false) const;

 private:
  struct Sample {
    MethodCounts calls{};
    MethodCounts failed{};
    MethodCounts local{};
    uint64_t columns = 0;  // A bit for each that is not 0 in `calls`, and so in the others.
    uint64_t failed_calls = 0;
    Throttling throttling;
    Time longest_queue{};
    std::optional<Range> written_bytes;
    StepBudgets budgets;

    void Clear();
  };
  struct Sum {
    uint64_t samples = 0;
    uint64_t failed = 0;
    uint64_t columns = 0;  // Of all samples; the ranges of others are 0.
    std::array<Range, kMethodColumns> calls{};
    std::array<Range, kMethodColumns> failed_by_method{};
    std::array<Range, kMethodColumns> local{};
    Range failed_calls;
    Throttling throttling;
    Time longest_queue{};
    std::map<RequestType, BudgetRange> budgets;
    std::vector<Time> times;
    std::vector<Time> failed_times;
    std::map<std::string, uint64_t> values_seen;
    uint64_t values_other = 0;
    LastSave last_save;
    std::optional<Range> written_bytes;
    uint64_t unfinished = 0;
    std::array<uint64_t, kMethodColumns> unfinished_calls{};
  };
  struct Subject {
    bool is_model = false;
    std::map<size_t, Sum> steps;  // By index in step_names_.
  };

  size_t IndexOfStep(const std::string& name);
  static void AddEnded(const Step& step, const Sample& sample, Sum& sum);
  static StepRow RowOf(std::string name, const Sum& sum);

  std::vector<Sample> live_;  // By Step::slot.
  // By Source::index: the steps that are open, and some that have ended since one began.
  std::vector<std::vector<const Step*>> open_;
  std::vector<std::string> step_names_;
  std::map<std::string, size_t> step_index_;
  std::map<SubjectId, Subject> subjects_;
};

}  // namespace dstap::analyzer
