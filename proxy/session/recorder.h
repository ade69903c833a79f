// Follows each call from its request to its answer and writes its records.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/capture/capture_writer.h"
#include "proxy/backend/backend.h"
#include "proxy/session/call_trigger.h"

namespace dstap::proxy {

// Units:     times are nanoseconds since the recording began.
// Errors:    kWrite from Commit() and Close(); see CaptureWriter. Calls go on all the same.
// Ownership: owns the writer. Keeps copies of what it needs of an open call.
// Threads:   not thread-safe; lives on the hub's strand.
// Promises:  after Commit() every call that Answered() was told of is the kernel's, and every call
//            open for more than kBeginRecordAfterNs is there as in flight.
class Recorder {
 public:
  struct Options {
    bool values = false;  // Record the values themselves, not only size and hash.
    // Which calls a flight recorder waits for. Absent: none.
    std::optional<CallTrigger> trigger = std::nullopt;
  };

  Recorder(capture::CaptureWriter writer, Options options);
  ~Recorder();

  // A call arrives; `before` are the budgets of Backend::Spends(). The id is new.
  CallId Begin(Time now, const Request& request, std::string_view caller,
               const std::array<capture::BudgetUse, 2>& before);
  void Queued(CallId call, Time now);
  void Admitted(CallId call, Time now);
  void TransformAsked(CallId call, Time now, const TransformInput& input);
  void TransformDone(CallId call, const TransformOutput& output, Time took);
  // An injected fault is what becomes of the call.
  void Faulted(CallId call, uint64_t fault);
  // The call's last record; the caller may be told after the next Commit().
  void Answered(CallId call, Time now, const BackendAnswer& answer,
                const std::array<std::optional<uint64_t>, 2>& after);
  // Nobody waits for the call any more: it stays in flight.
  void Abandoned(CallId call);

  void AddRow(Time now, v1::Row row);
  void AddNotice(Time now, SourceId source, v1::NoticeKind kind, std::string_view text,
                 CallId call);

  // Marks calls that are open for too long, and hands everything to the kernel.
  Status Commit(Time now);
  // When something waits that must be committed though no answer does: a call that becomes long
  // open, or rows.
  std::optional<Time> NextDeadline() const;

  // Records what is open as in flight and ends the file.
  Status Close(Time now, v1::EndReason reason, std::string_view text = {});

  uint64_t calls() const { return last_id_; }
  uint64_t calls_lost() const { return writer_.calls_lost(); }
  uint64_t rows_lost() const { return writer_.rows_lost(); }
  size_t open_calls() const { return open_.size(); }

 private:
  struct OpenCall;
  // Ordered, so that what is written at a commit does not depend on a hash.
  using OpenCalls = std::map<CallId, std::unique_ptr<OpenCall>>;

  OpenCall& Find(CallId call);
  void AddInFlight(OpenCall& open);
  OpenCalls::node_type NewOpenCall(CallId id);

  capture::CaptureWriter writer_;
  Options options_;
  uint64_t last_id_ = 0;
  OpenCalls open_;
  std::vector<OpenCalls::node_type> free_;  // With the memory that their calls had.
  // Open calls below this id have a record already, or were begun less long ago than those above.
  CallId first_unmarked_ = 1;
  std::optional<Time> rows_since_;
};

}  // namespace dstap::proxy
