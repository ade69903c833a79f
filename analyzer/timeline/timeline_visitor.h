// How a view sees the timeline.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/timeline/defects.h"
#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// What the builder calls, in this order: recordings one after the other, and within each the order
// of the file, with two exceptions. A call comes when its last record does (in flight ones at the
// recording's end), and OnStepEnd comes after all of the step's calls, so some time after its row.
//
// Ownership: arguments live until the callback returns. A Step's and a Source's address stays the
//            same from its first callback to OnStepEnd and OnRecordingEnd.
// Threads:   all callbacks come from TimelineBuilder's own calls.
// Limits:    a view must not keep anything for each call.
class TimelineVisitor {
 public:
  virtual ~TimelineVisitor() = default;

  virtual void OnRecordingBegin(const Recording& /*recording*/) {}
  // The source is new, or more became known of it.
  virtual void OnSource(const Source& /*source*/) {}
  virtual void OnLimits(const LimitsInForce& /*limits*/) {}
  virtual void OnStepBegin(const Step& /*step*/) {}
  // `step` is null for a call of no step.
  virtual void OnCall(const Call& /*call*/, const Step* /*step*/) {}
  // What the visitor needs to know of a call of no step. The builder may tell less than the whole
  // only if no visitor needs that.
  enum class OutsideSteps : uint8_t {
    kWhole,    // OnCall().
    kSummary,  // OnCallOutsideSteps() does as well, for one that was answered and did not fail.
    kNothing,
  };
  virtual OutsideSteps NeedsOutsideSteps() const { return OutsideSteps::kWhole; }
  virtual void OnCallOutsideSteps(const CallSummary& /*call*/) {}
  // The same of a call that the builder's filter does not select; only if one visitor wants them.
  virtual void OnOtherCall(const Call& /*call*/, const Step* /*step*/) {}
  virtual bool WantsOtherCalls() const { return false; }
  // Behind the OnCall() of a call that the builder's watch of this index selects.
  virtual void OnMatch(size_t /*watch*/, const Call& /*call*/, const Step* /*step*/) {}
  // Without `step.end`: it never ended.
  virtual void OnStepEnd(const Step& /*step*/) {}
  virtual void OnBudget(const BudgetReading& /*reading*/) {}
  virtual void OnClock(const ClockReading& /*reading*/) {}
  virtual void OnNotice(const Notice& /*notice*/) {}
  virtual void OnFault(const Fault& /*fault*/) {}
  virtual void OnLoss(const Loss& /*loss*/) {}
  // `text` says which one, in a few words.
  virtual void OnDefect(Defect /*defect*/, std::string_view /*text*/) {}
  virtual void OnRecordingEnd(const Recording& /*recording*/) {}
  // After the file's last recording. A file that could not be read has no recordings.
  virtual void OnFileEnd(const FileEnd& /*end*/) {}
};

}  // namespace dstap::analyzer
