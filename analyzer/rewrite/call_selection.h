// Which calls of a capture a person means: those of a step, or those that match a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline_builder.h"
#include "analyzer/timeline/timeline_visitor.h"
#include "proto/filter/filter.h"

namespace dstap::analyzer {

// Asks the timeline which step each call belongs to.
//
// Ownership: owns the timeline. Keeps no reference to a record.
// Threads:   not thread-safe.
// Limits:    those of TimelineBuilder, and kStepNamesMax names of steps.
class CallSelection final : private TimelineVisitor {
 public:
  static constexpr size_t kStepNamesMax = 100;

  // Absent or null: no condition. Both: both must hold. The filter must outlive it.
  CallSelection(std::optional<std::string> step, const filter::Filter* filter);
  CallSelection(const CallSelection&) = delete;
  CallSelection& operator=(const CallSelection&) = delete;

  bool selects_all() const { return !step_ && filter_ == nullptr; }
  const std::optional<std::string>& step() const { return step_; }

  // All records of a file, in their order.
  void Add(const capture::Record& record);
  void EndFile();

  // Whether the call whose outcome was just added is selected.
  bool is_selected() const { return selects_all() || is_selected_; }
  // Calls of the recording that has just ended (by the next one's Header, or EndFile()) that were
  // never answered and are selected.
  std::vector<uint64_t> TakeNeverAnswered();

  // Whether a step of the name that was asked for began; and what names there are.
  bool has_step() const { return has_step_; }
  const std::set<std::string>& step_names() const { return step_names_; }

 private:
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;

  std::optional<std::string> step_;
  const filter::Filter* filter_;
  TimelineBuilder builder_;
  bool is_selected_ = false;
  bool has_step_ = false;
  std::vector<uint64_t> never_answered_;
  std::set<std::string> step_names_;
};

}  // namespace dstap::analyzer
