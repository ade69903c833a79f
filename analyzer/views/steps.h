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
  uint64_t samples = 0;              // That ended.
  uint64_t failed = 0;               // Of those.
  std::vector<NamedRange> requests;  // DataStore methods.
  std::vector<NamedRange> services;  // Methods of MemoryStoreService and MessagingService.
  Range failed_calls;                // Calls that were dropped, rejected or failed.
  std::optional<TimeRange> seconds;
  std::optional<TimeRange> failed_seconds;  // Of the failed samples: how long until they gave up.
  std::vector<size_t> tie;                  // Subjects (indexes) whose median shows no difference.
  std::vector<std::pair<std::string, uint64_t>> values_seen;  // By value.
  uint64_t values_other = 0;
  Throttling throttling;                        // All ended samples together.
  uint64_t unfinished = 0;                      // Samples that began and never ended,
  std::vector<NamedCount> unfinished_requests;  // and what they sent altogether.
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
  void OnStepEnd(const Step& step) override;

  StepsTable Table() const;

 private:
  struct Sample {
    MethodCounts calls{};
    uint64_t failed_calls = 0;
    Throttling throttling;
  };
  struct Sum {
    uint64_t samples = 0;
    uint64_t failed = 0;
    std::array<Range, kMethodColumns> calls{};
    Range failed_calls;
    Throttling throttling;
    std::vector<Time> times;
    std::vector<Time> failed_times;
    std::map<std::string, uint64_t> values_seen;
    uint64_t values_other = 0;
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
  std::vector<std::string> step_names_;
  std::map<std::string, size_t> step_index_;
  std::map<SubjectId, Subject> subjects_;
};

}  // namespace dstap::analyzer
