// A contract drafted from what a library was seen to send.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/method_counts.h"
#include "analyzer/views/steps.h"
#include "analyzer/views/subject.h"

namespace dstap::analyzer {

// What a draft promises is what was seen, no more: counts and order as they were, gaps with a frame
// to both sides, times twice as long. Its captures keep it.
//
// Ownership: keeps nothing that it is handed.
// Limits:    kCallsOfSampleMax calls of each live step.
class DraftView final : public TimelineVisitor {
 public:
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;
  void OnStepEnd(const Step& step) override;

  // Of steps with a whole sample, by name then version.
  std::vector<SubjectId> Subjects() const;
  // The contract's file. `subject` is one of Subjects().
  std::string Write(const SubjectId& subject) const;

 private:
  struct SeenCall {
    uint64_t id = 0;
    size_t column = 0;
    std::string what;
    Time issued{};
  };
  struct Sample {
    std::vector<SeenCall> calls;
    bool is_whole = true;
    MethodCounts counts{};
    std::map<RequestType, uint64_t> taken;
  };
  struct Sum {
    uint64_t samples = 0;
    uint64_t failed = 0;
    std::array<Range, kMethodColumns> counts{};
    std::vector<size_t> order;
    bool has_one_order = true;
    bool has_tries = true;  // Every sample's were looked at.
    uint64_t tries = 0;
    Range gap;  // ns.
    bool has_gap = false;
    Range time;  // ns.
    std::map<RequestType, Range> taken;
    uint64_t last_saves_seen = 0;
  };

  void AddTries(const Sample& sample, Sum& sum) const;
  void WriteStep(const std::string& name, const Sum& sum, std::string& out) const;

  std::vector<Sample> live_;                             // By Step::slot.
  std::map<SubjectId, std::map<size_t, Sum>> subjects_;  // By index in step_names_.
  std::vector<std::string> step_names_;                  // In order of first appearance.
};

}  // namespace dstap::analyzer
