// From a capture's messages to the values of timeline.h. Only the builder uses this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "proto/capture/records.h"

namespace dstap::analyzer {

// Where the parts of a converted Call live that cannot be views of the record.
struct CallParts {
  std::vector<TransformRun> runs;
  std::optional<ListArguments> list;
};

// The result refers to `record`, `parts` and `source`. `parts` may be used again for the next call.
Call CallOf(const capture::CallRecord& record, const Source& source, CallParts& parts);

// A call with all that it refers to, except for its source.
//
// Ownership: not movable: the call refers to its neighbours.
class HeldCall {
 public:
  HeldCall(const capture::CallRecord& record, const Source& source);
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;

  const Call& call() const { return call_; }

 private:
  std::string bytes_;
  CallParts parts_;
  Call call_;
};

void Update(const v1::Source& row, Source& source);
Step StepOf(const v1::StepBegin& row, Time time, const Source& source);
LimitsInForce LimitsOf(const v1::Limits& row, Time time, const Source& source);
void Update(const v1::Header& row, Recording& recording);

RequestType TypeOf(v1::RequestType type);
NoticeKind KindOf(v1::NoticeKind kind);
FaultKind KindOf(v1::FaultKind kind);
LossReason ReasonOf(v1::LossReason reason);
EndReason ReasonOf(v1::EndReason reason);

}  // namespace dstap::analyzer
