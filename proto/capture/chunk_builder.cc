#include "proto/capture/chunk_builder.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "proto/base/check.h"

namespace dstap::capture {
namespace {

using google::protobuf::RepeatedField;

// Upper bounds of what things cost in the file.
constexpr size_t kColumns = 45;
constexpr size_t kVarintBytes = 10;
constexpr size_t kRunBytes = 3 * kVarintBytes;
constexpr size_t kStringBytes = 8;  // A table entry's tag and length.
constexpr size_t kRowBytes = 40;    // A row's own fields, tags and lengths.
constexpr size_t kCallBytes = kColumns * kVarintBytes;
constexpr size_t kChunkBytes = kColumns * kStringBytes + 64;
// A call in columns that are still empty: what filling one up with defaults would cost.
constexpr size_t kPaddingBytes = kColumns + 2 * 8;

// After this much, a cleared chunk gives its memory back: strings keep the space of the longest
// value they ever held.
constexpr size_t kKeepBytes = size_t{1} << 20;

// A column stays empty until its first value that is not the default; then it is filled up.
template <typename T>
void Put(RepeatedField<T>& column, int row, T value) {
  if (value == T{} && column.empty()) return;
  while (column.size() < row) column.Add(T{});
  column.Add(value);
}

// Absent is 0, so a value is stored plus 1; the largest one, which nothing real reaches, less 1.
uint64_t PlusOne(uint64_t value) {
  return value == std::numeric_limits<uint64_t>::max() ? value : value + 1;
}
uint64_t PlusOne(std::optional<uint64_t> value) { return value ? PlusOne(*value) : 0; }

uint32_t InternText(StringTable& table, std::string_view text, StringTable::Strings& strings) {
  return text.empty() ? 0 : table.Intern(text, strings);
}

Time End(const TransformRun& run) {
  const Time started = std::max(run.started, Time(0));
  return run.took > Time::max() - started ? Time::max() : started + run.took;
}

size_t ValueBytes(const std::optional<ValueInfo>& value) {
  return value && value->value ? value->value->size() + kStringBytes : 0;
}

size_t BytesBound(const CallRecord& call) {
  size_t bytes = kCallBytes + call.transform_runs.size() * kRunBytes;
  for (const std::string_view text : {call.caller, call.store, call.scope, call.key,
                                      call.error_name, call.error_text, call.version}) {
    bytes += text.size() + kStringBytes;
  }
  bytes += ValueBytes(call.read) + ValueBytes(call.written);
  if (call.list != nullptr) bytes += call.list->ByteSizeLong() + kStringBytes;
  return bytes;
}

}  // namespace

ChunkBuilder::ChunkBuilder(int64_t tick_ns, size_t bytes_max)
    : tick_ns_(tick_ns), bytes_max_(std::min(bytes_max, kChunkBytesMax)) {
  DSTAP_CHECK(tick_ns > 0);
  Clear();
}

bool ChunkBuilder::Fits(size_t bytes) {
  const size_t max = empty() ? kChunkBytesMax : bytes_max_;
  if (bytes_bound_ + bytes <= max) return true;
  // The bound is generous: see how much it really is.
  bytes_bound_ = kChunkBytes + ByteSize() + calls() * kPaddingBytes;
  return bytes_bound_ + bytes <= max;
}

bool ChunkBuilder::Add(const CallRecord& call) {
  const size_t bytes = BytesBound(call);
  if (calls() == kChunkCallsMax || !Fits(bytes)) return false;
  // Runs are stored for all calls together, and a reader has one limit for them.
  const auto runs = static_cast<size_t>(records_.calls().run_outcome_size());
  if (runs + call.transform_runs.size() > kChunkCallsMax) return false;
  bytes_bound_ += bytes;

  v1::Calls& calls = *records_.mutable_calls();
  const auto row = static_cast<int>(calls.count());
  AddNames(call, row);
  AddTimes(call, row);
  AddOutcome(call, row);
  AddValues(call, row);
  AddBudgets(call, row);
  calls.set_count(static_cast<uint32_t>(row) + 1);
  return true;
}

bool ChunkBuilder::AddRow(Time time, v1::Row&& row) {
  const size_t bytes = row.ByteSizeLong() + kRowBytes;
  if (rows() == kChunkRowsMax || !Fits(bytes)) return false;
  bytes_bound_ += bytes;
  const int64_t ticks = Ticks(time);
  row.set_ticks(ticks - Base(ticks));
  row.set_after_calls(calls());
  Cover(ticks, ticks);
  *records_.add_row() = std::move(row);
  return true;
}

void ChunkBuilder::AddNames(const CallRecord& call, int row) {
  v1::Calls& c = *records_.mutable_calls();
  // Wraps around as the reader's sum does, so that every id is possible.
  Put(*c.mutable_id_delta(), row,
      static_cast<int64_t>(call.id - std::exchange(previous_id_, call.id)));
  Put(*c.mutable_source(), row, call.source);
  v1::Records& r = records_;
  Put(*c.mutable_caller(), row, InternText(names_, call.caller, *r.mutable_names()));
  Put(*c.mutable_method(), row, static_cast<int>(call.method));
  Put(*c.mutable_store(), row, InternText(names_, call.store, *r.mutable_names()));
  Put(*c.mutable_scope(), row, InternText(names_, call.scope, *r.mutable_names()));
  Put(*c.mutable_store_kind(), row, static_cast<int>(call.store_kind));
  Put(*c.mutable_all_scopes(), row, call.all_scopes);
  Put(*c.mutable_key(), row, InternText(keys_, call.key, *r.mutable_keys()));
  Put(*c.mutable_use_cache(), row, static_cast<int>(call.use_cache));
  Put(*c.mutable_list(), row, call.list == nullptr ? 0 : InternList(*call.list));
}

void ChunkBuilder::AddTimes(const CallRecord& call, int row) {
  v1::Calls& c = *records_.mutable_calls();
  const int64_t issued = Ticks(call.issued);
  const int64_t base = Base(issued);
  const int64_t previous = row == 0 ? base : previous_issued_;
  Put(*c.mutable_issued_delta(), row, issued - previous);
  previous_issued_ = issued;

  int64_t last = issued;
  const auto after = [&](std::optional<Time> time) -> uint64_t {
    if (!time) return 0;
    const int64_t ticks = std::max(Ticks(*time), issued);
    last = std::max(last, ticks);
    return static_cast<uint64_t>(ticks - issued) + 1;
  };
  Put(*c.mutable_admitted_after(), row, after(call.admitted));
  Put(*c.mutable_completed_after(), row, after(call.completed));
  Put(*c.mutable_times_queued(), row, call.times_queued);
  Put(*c.mutable_queued_ticks(), row, static_cast<uint64_t>(Ticks(call.queued)));
  Put(*c.mutable_served_by(), row, static_cast<int>(call.served_by));
  Cover(issued, last);
  AddRuns(call, row, issued);
}

void ChunkBuilder::AddRuns(const CallRecord& call, int row, int64_t issued_ticks) {
  v1::Calls& c = *records_.mutable_calls();
  Put(*c.mutable_transform_runs(), row, static_cast<uint32_t>(call.transform_runs.size()));
  // These columns have an entry a run, and are always there when there are runs.
  for (const TransformRun& run : call.transform_runs) {
    const int64_t started = std::max(Ticks(run.started), issued_ticks);
    const int64_t ended = std::max(Ticks(End(run)), started);
    c.add_run_outcome(run.outcome);
    c.add_run_started_after(static_cast<uint64_t>(started - issued_ticks));
    c.add_run_ticks(static_cast<uint64_t>(ended - started));
  }
}

void ChunkBuilder::AddOutcome(const CallRecord& call, int row) {
  v1::Calls& c = *records_.mutable_calls();
  v1::Records& r = records_;
  Put(*c.mutable_outcome(), row, static_cast<int>(call.outcome));
  Put(*c.mutable_error_code(), row, call.error_code);
  Put(*c.mutable_error_name(), row, InternText(texts_, call.error_name, *r.mutable_texts()));
  Put(*c.mutable_error_text(), row, InternText(texts_, call.error_text, *r.mutable_texts()));
  Put(*c.mutable_version(), row, InternText(identities_, call.version, *r.mutable_identities()));
  Put(*c.mutable_fault(), row, call.fault);
}

void ChunkBuilder::AddValues(const CallRecord& call, int row) {
  v1::Calls& c = *records_.mutable_calls();
  const ValueInfo none;
  const auto index = [this](const ValueInfo& value) -> uint32_t {
    return value.value ? values_.Intern(*value.value, *records_.mutable_values()) : 0;
  };
  const ValueInfo& read = call.read ? *call.read : none;
  Put(*c.mutable_read_bytes(), row, call.read ? PlusOne(read.bytes) : 0);
  Put(*c.mutable_read_hash(), row, read.hash);
  Put(*c.mutable_read_value(), row, index(read));
  Put(*c.mutable_read_encoding(), row, static_cast<int>(read.encoding));
  const ValueInfo& written = call.written ? *call.written : none;
  Put(*c.mutable_written_bytes(), row, call.written ? PlusOne(written.bytes) : 0);
  Put(*c.mutable_written_hash(), row, written.hash);
  Put(*c.mutable_written_value(), row, index(written));
  Put(*c.mutable_written_encoding(), row, static_cast<int>(written.encoding));
}

void ChunkBuilder::AddBudgets(const CallRecord& call, int row) {
  v1::Calls& c = *records_.mutable_calls();
  const auto& [first, second] = call.budgets;
  Put(*c.mutable_first_type(), row, static_cast<int>(first.type));
  Put(*c.mutable_first_before(), row, PlusOne(first.before));
  Put(*c.mutable_first_after(), row, PlusOne(first.after));
  Put(*c.mutable_first_taken(), row, first.taken);
  Put(*c.mutable_second_type(), row, static_cast<int>(second.type));
  Put(*c.mutable_second_before(), row, PlusOne(second.before));
  Put(*c.mutable_second_after(), row, PlusOne(second.after));
  Put(*c.mutable_second_taken(), row, second.taken);
}

uint32_t ChunkBuilder::InternList(const v1::ListArguments& list) {
  list_scratch_.clear();
  list.AppendToString(&list_scratch_);
  const uint32_t index = lists_.Intern(list_scratch_, list_strings_);
  auto& stored = *records_.mutable_calls()->mutable_list_arguments();
  if (index > static_cast<uint32_t>(stored.size())) stored.Add()->CopyFrom(list);
  return index;
}

int64_t ChunkBuilder::Ticks(Time time) const {
  const int64_t ns = std::max<int64_t>(time.count(), 0);
  const int64_t whole = ns / tick_ns_;
  // Not past the last instant that a reader can turn back into nanoseconds.
  if (whole == std::numeric_limits<int64_t>::max() / tick_ns_) return whole;
  return whole + (ns % tick_ns_ >= (tick_ns_ + 1) / 2 ? 1 : 0);
}

int64_t ChunkBuilder::Base(int64_t ticks) {
  if (empty()) {
    records_.set_base_ticks(ticks);
    first_ticks_ = last_ticks_ = ticks;
  }
  return records_.base_ticks();
}

void ChunkBuilder::Cover(int64_t first_ticks, int64_t last_ticks) {
  first_ticks_ = std::min(first_ticks_, first_ticks);
  last_ticks_ = std::max(last_ticks_, last_ticks);
}

void ChunkBuilder::WriteTo(char* at) const {
  records_.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(at));
}

void ChunkBuilder::Clear() {
  if (bytes_bound_ > kKeepBytes) {
    records_ = v1::Records();
    list_strings_.Clear();
  }
  // Field by field: Records::Clear() would free `calls`.
  records_.clear_base_ticks();
  records_.clear_names();
  records_.clear_keys();
  records_.clear_texts();
  records_.clear_values();
  records_.clear_identities();
  records_.clear_row();
  records_.mutable_calls()->Clear();
  records_.set_tick_ns(static_cast<uint64_t>(tick_ns_));
  names_.Clear();
  keys_.Clear();
  texts_.Clear();
  values_.Clear();
  identities_.Clear();
  lists_.Clear();
  list_strings_.Clear();
  bytes_bound_ = kChunkBytes;
  previous_id_ = 0;
  previous_issued_ = 0;
  first_ticks_ = last_ticks_ = 0;
}

}  // namespace dstap::capture
