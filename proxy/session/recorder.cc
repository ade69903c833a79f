#include "proxy/session/recorder.h"

#include "proto/base/check.h"
#include "proto/capture/format.h"
#include "proxy/session/value_hash.h"

namespace dstap::proxy {
namespace {

using capture::CallRecord;
using capture::TransformRun;
using capture::ValueInfo;

constexpr Time kBeginRecordAfter{capture::kBeginRecordAfterNs};

}  // namespace

// What is known of a call so far. `record` views into the strings beside it.
struct Recorder::OpenCall {
  CallRecord record;
  std::string caller, store, scope, key, error_name, error_text, version;
  std::string read_value, written_value;
  v1::ListArguments list;
  std::vector<TransformRun> runs;
  std::optional<Time> queued_since;
  bool marked = false;  // Has an in-flight record in the file.

  // Before a record is written: the views of what changed since it was begun.
  void Refresh() { record.transform_runs = runs; }

  ValueInfo Value(std::string_view json, std::string& keep, bool keep_value) {
    ValueInfo info;
    info.bytes = json.size();
    info.hash = HashOfValue(json);
    if (keep_value) {
      keep.assign(json);
      info.value = keep;
      info.encoding = v1::VALUE_ENCODING_JSON;
    }
    return info;
  }
};

Recorder::Recorder(capture::CaptureWriter writer, Options options)
    : writer_(std::move(writer)), options_(std::move(options)) {}

Recorder::~Recorder() = default;

Recorder::OpenCall& Recorder::Find(CallId call) {
  const auto found = open_.find(call);
  DSTAP_CHECK(found != open_.end());
  return *found->second;
}

Recorder::OpenCalls::node_type Recorder::NewOpenCall(CallId id) {
  if (free_.empty()) {
    OpenCalls one;
    return one.extract(one.emplace(id, std::make_unique<OpenCall>()).first);
  }
  OpenCalls::node_type node = std::move(free_.back());
  free_.pop_back();
  node.key() = id;
  OpenCall& open = *node.mapped();
  open.record = {};
  open.runs.clear();
  open.list.Clear();
  open.queued_since.reset();
  open.marked = false;
  return node;
}

CallId Recorder::Begin(Time now, const Request& request, std::string_view caller,
                       const std::array<capture::BudgetUse, 2>& before) {
  const CallId id = ++last_id_;
  OpenCalls::node_type node = NewOpenCall(id);
  OpenCall& open = *node.mapped();
  const auto keep = [](std::string& where, std::string_view what) {
    where.assign(what);
    return std::string_view(where);
  };
  CallRecord& record = open.record;
  record.id = id;
  record.source = request.source;
  record.caller = keep(open.caller, caller);
  record.method = request.method;
  record.store = keep(open.store, request.store.name);
  record.scope = keep(open.scope, request.store.scope);
  record.store_kind = request.store.kind;
  record.all_scopes = request.store.all_scopes;
  record.key = keep(open.key, request.key);
  record.use_cache = request.use_cache;
  if (request.list.ByteSizeLong() > 0) {
    open.list = request.list;
    open.list.clear_items();  // Counted here, whatever the client says.
    if (!options_.values) {
      // Bounds are values, and the cursor of a sorted listing holds one.
      open.list.clear_cursor();
      open.list.clear_min_value();
      open.list.clear_max_value();
    }
    record.list = &open.list;
  }
  record.issued = now;
  record.outcome = v1::OUTCOME_IN_FLIGHT;
  if (request.value) {
    record.written = open.Value(*request.value, open.written_value, options_.values);
  }
  record.budgets = before;
  open_.insert(open_.end(), std::move(node));
  return id;
}

void Recorder::Queued(CallId call, Time now) {
  OpenCall& open = Find(call);
  ++open.record.times_queued;
  open.queued_since = now;
}

void Recorder::Admitted(CallId call, Time now) {
  OpenCall& open = Find(call);
  open.record.admitted = now;
  if (open.queued_since) open.record.queued += now - *open.queued_since;
  open.queued_since.reset();
}

void Recorder::TransformAsked(CallId call, Time now, const TransformInput& input) {
  OpenCall& open = Find(call);
  open.runs.push_back({.outcome = v1::TRANSFORM_OUTCOME_NONE, .started = now});
  open.record.read.reset();
  if (input.value) {
    open.record.read = open.Value(*input.value, open.read_value, options_.values);
  }
}

void Recorder::TransformDone(CallId call, const TransformOutput& output, Time took) {
  OpenCall& open = Find(call);
  DSTAP_CHECK(!open.runs.empty());
  open.runs.back().outcome = output.outcome;
  open.runs.back().took = took;
  open.record.written.reset();
  if (output.outcome == v1::TRANSFORM_OUTCOME_VALUE && output.error.empty()) {
    open.record.written = open.Value(output.value, open.written_value, options_.values);
  }
}

void Recorder::Faulted(CallId call, uint64_t fault) { Find(call).record.fault = fault; }

void Recorder::Answered(CallId call, Time now, const BackendAnswer& answer,
                        const std::array<std::optional<uint64_t>, 2>& after) {
  const auto found = open_.find(call);
  DSTAP_CHECK(found != open_.end());
  OpenCall& open = *found->second;
  CallRecord& record = open.record;
  record.completed = now;
  if (open.queued_since) {  // Dropped out of its queue.
    record.queued += now - *open.queued_since;
    open.queued_since.reset();
  }
  record.outcome = answer.outcome;
  record.error_code = answer.error.code;
  record.error_name = answer.error.name;
  record.error_text = answer.error.text;
  record.version = answer.version;
  if (answer.version.empty() && answer.key_info) record.version = answer.key_info->version;
  record.served_by = answer.served_by;
  // What an UpdateAsync read is what its transform was given; its answer is what it wrote.
  if (open.runs.empty() && answer.value) {
    record.read = open.Value(*answer.value, open.read_value, options_.values);
  }
  if (!answer.items.empty()) {
    open.list.set_items(static_cast<uint32_t>(answer.items.size()));
    record.list = &open.list;
  }
  for (size_t i = 0; i < record.budgets.size(); ++i) {
    record.budgets[i].after = after[i];
    record.budgets[i].taken = answer.taken[i];
  }
  open.Refresh();
  writer_.Add(record);
  if (options_.trigger && options_.trigger->Fires(record)) writer_.Trigger();
  free_.push_back(open_.extract(found));
}

void Recorder::AddInFlight(OpenCall& open) {
  open.Refresh();
  writer_.Add(open.record);
  open.marked = true;
}

void Recorder::Abandoned(CallId call) {
  const auto found = open_.find(call);
  DSTAP_CHECK(found != open_.end());
  AddInFlight(*found->second);  // Again if it is marked: what happened since then is new.
  free_.push_back(open_.extract(found));
}

void Recorder::AddRow(Time now, v1::Row row) {
  if (!rows_since_) rows_since_ = now;
  if (options_.trigger) options_.trigger->OnRow(row);
  writer_.AddRow(now, std::move(row));
}

void Recorder::AddNotice(Time now, SourceId source, v1::NoticeKind kind, std::string_view text,
                         CallId call) {
  v1::Row row;
  v1::Notice& notice = *row.mutable_notice();
  notice.set_source(source);
  notice.set_kind(kind);
  notice.set_text(std::string(text));
  notice.set_call(call);
  AddRow(now, std::move(row));
}

Status Recorder::Commit(Time now) {
  // Ids rise with time, so the first call that is not due ends the search.
  for (auto at = open_.lower_bound(first_unmarked_); at != open_.end(); ++at) {
    if (at->second->record.issued + kBeginRecordAfter > now) break;
    AddInFlight(*at->second);
    first_unmarked_ = at->first + 1;
  }
  rows_since_.reset();
  return writer_.Commit();
}

std::optional<Time> Recorder::NextDeadline() const {
  std::optional<Time> next;
  const auto oldest = open_.lower_bound(first_unmarked_);
  if (oldest != open_.end()) next = oldest->second->record.issued + kBeginRecordAfter;
  if (rows_since_ && (!next || *rows_since_ + kBeginRecordAfter < *next)) {
    next = *rows_since_ + kBeginRecordAfter;
  }
  return next;
}

Status Recorder::Close(Time now, v1::EndReason reason, std::string_view text) {
  for (const auto& [id, open] : open_) {
    if (!open->marked) AddInFlight(*open);
  }
  open_.clear();
  return writer_.Close(now, reason, text);
}

}  // namespace dstap::proxy
