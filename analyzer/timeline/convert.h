// From a capture's messages to the values of timeline.h. Only the builder uses this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "proto/capture/chunk_columns.h"
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

// A chunk's calls by their columns, as far as a CallSummary needs them.
//
// Ownership: refers to the chunk.
class SummaryColumns {
 public:
  explicit SummaryColumns(const capture::ChunkColumns& chunk);

  // It was answered and did not fail: a summary says all that is counted of it.
  bool IsPlain(size_t call) const {
    const uint64_t outcome = At(outcome_, call);
    return outcome == v1::OUTCOME_OK || outcome == v1::OUTCOME_CANCELLED ||
           outcome == v1::OUTCOME_DROPPED || outcome == v1::OUTCOME_REJECTED;
  }
  uint64_t id(size_t call) const { return At(id_, call); }
  uint32_t source(size_t call) const { return static_cast<uint32_t>(At(source_, call)); }
  Time issued(size_t call) const { return Time(static_cast<int64_t>(issued_[call]) * tick_ns_); }
  // When it was completed, or issued if it never was.
  Time last(size_t call) const {
    const uint64_t after = At(completed_, call);
    return after == 0 ? issued(call)
                      : issued(call) + Time(static_cast<int64_t>(after - 1) * tick_ns_);
  }
  CallSummary Summary(size_t call, const Source& source) const;

 private:
  using Column = capture::Column;
  static uint64_t At(const Column& column, size_t call) {
    return column.empty() ? 0 : column[call];
  }

  Column id_, source_, method_, use_cache_, outcome_, served_by_, issued_, admitted_, completed_,
      times_queued_, first_taken_, second_taken_;
  int64_t tick_ns_;
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
