// Subjects that were to be measured and finished nothing, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/subject.h"

namespace dstap::analyzer {

// Different reasons that are kept of one subject; the others are only counted.
inline constexpr size_t kReasonsMax = 5;

struct NotRun {
  SubjectId subject;
  bool is_model = false;
  uint64_t steps_failed = 0;
  uint64_t steps_unfinished = 0;
  // What failed steps and, where none gave a reason, the subject's servers said, as it first came.
  std::vector<std::pair<std::string, uint64_t>> reasons;
  uint64_t other_reasons = 0;
};

// A subject is listed when none of its steps ended well. A library that only a source names is a
// subject when steps were to be made: when anything that was read has a step, or when an error was
// reported of it. So is one that a recording was asked for and that no source of it names.
//
// Limits: kReasonsMax texts for each subject.
class NotRunView final : public TimelineVisitor {
 public:
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kNothing; }
  void OnSource(const Source& source) override;
  void OnStepBegin(const Step& step) override;
  void OnStepEnd(const Step& step) override;
  void OnNotice(const Notice& notice) override;
  void OnRecordingEnd(const Recording& recording) override;

  std::vector<NotRun> Table() const;  // By subject.

 private:
  struct Reasons {
    std::vector<std::pair<std::string, uint64_t>> texts;
    uint64_t others = 0;

    void Add(std::string_view text);
  };
  struct Subject {
    bool is_model = false;
    bool is_asked_for = false;
    uint64_t well = 0;
    uint64_t failed = 0;
    uint64_t unfinished = 0;
    bool is_partial = false;  // Nobody knows how its steps went.
    Reasons of_steps;
    Reasons of_notices;
  };

  std::map<SubjectId, Subject> subjects_;
  bool has_steps_ = false;
  // Of the recording that is being read.
  bool has_library_ = false;
  std::vector<std::string> sourceless_;  // Errors that are about no source.
};

}  // namespace dstap::analyzer
