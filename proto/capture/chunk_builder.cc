#include "proto/capture/chunk_builder.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "proto/base/check.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

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

// After this much, a cleared chunk gives its memory back.
constexpr size_t kKeepBytes = size_t{1} << 20;

using C = v1::Calls;
using R = v1::Records;

// As protobuf writes an enum.
uint64_t Enum(int value) { return static_cast<uint64_t>(int64_t{value}); }

// Absent is 0, so a value is stored plus 1; the largest one, which nothing real reaches, less 1.
uint64_t PlusOne(uint64_t value) {
  return value == std::numeric_limits<uint64_t>::max() ? value : value + 1;
}
uint64_t PlusOne(std::optional<uint64_t> value) { return value ? PlusOne(*value) : 0; }

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
    : tick_ns_(tick_ns),
      bytes_max_(std::min(bytes_max, kChunkBytesMax)),
      names_(R::kNamesFieldNumber),
      keys_(R::kKeysFieldNumber),
      texts_(R::kTextsFieldNumber),
      values_(R::kValuesFieldNumber),
      identities_(R::kIdentitiesFieldNumber),
      lists_(C::kListArgumentsFieldNumber) {
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
  if (runs_ + call.transform_runs.size() > kChunkCallsMax) return false;
  bytes_bound_ += bytes;
  AddNames(call);
  AddTimes(call);
  AddOutcome(call);
  AddValues(call);
  AddBudgets(call);
  ++calls_;
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
  const size_t size = row.ByteSizeLong();
  std::array<char, 16> head{};
  char* const head_end = WriteTagAndSize(head.data(), R::kRowFieldNumber, size);
  row_bytes_.insert(row_bytes_.end(), head.data(), head_end);
  const size_t begin = row_bytes_.size();
  row_bytes_.resize(begin + size);
  row.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(row_bytes_.data() + begin));
  ++rows_;
  return true;
}

void ChunkBuilder::AddNames(const CallRecord& call) {
  // Wraps around as the reader's sum does, so that every id is possible.
  const auto delta = static_cast<int64_t>(call.id - std::exchange(previous_id_, call.id));
  Put(C::kIdDeltaFieldNumber, ZigZagEncode(delta));
  Put(C::kSourceFieldNumber, call.source);
  PutText(C::kCallerFieldNumber, names_, last_.caller, call.caller);
  Put(C::kMethodFieldNumber, Enum(call.method));
  PutText(C::kStoreFieldNumber, names_, last_.store, call.store);
  PutText(C::kScopeFieldNumber, names_, last_.scope, call.scope);
  Put(C::kStoreKindFieldNumber, Enum(call.store_kind));
  Put(C::kAllScopesFieldNumber, call.all_scopes ? 1 : 0);
  PutText(C::kKeyFieldNumber, keys_, last_.key, call.key);
  Put(C::kUseCacheFieldNumber, Enum(call.use_cache));
  Put(C::kListFieldNumber, call.list == nullptr ? 0 : InternList(*call.list));
}

void ChunkBuilder::AddTimes(const CallRecord& call) {
  const int64_t issued = Ticks(call.issued);
  const int64_t base = Base(issued);
  const int64_t previous = calls_ == 0 ? base : previous_issued_;
  Put(C::kIssuedDeltaFieldNumber, ZigZagEncode(issued - previous));
  previous_issued_ = issued;

  int64_t last = issued;
  const auto after = [&](std::optional<Time> time) -> uint64_t {
    if (!time) return 0;
    const int64_t ticks = std::max(Ticks(*time), issued);
    last = std::max(last, ticks);
    return static_cast<uint64_t>(ticks - issued) + 1;
  };
  Put(C::kAdmittedAfterFieldNumber, after(call.admitted));
  Put(C::kCompletedAfterFieldNumber, after(call.completed));
  Put(C::kTimesQueuedFieldNumber, call.times_queued);
  Put(C::kQueuedTicksFieldNumber, static_cast<uint64_t>(Ticks(call.queued)));
  Put(C::kServedByFieldNumber, Enum(call.served_by));
  Cover(issued, last);
  AddRuns(call, issued);
}

void ChunkBuilder::AddRuns(const CallRecord& call, int64_t issued_ticks) {
  Put(C::kTransformRunsFieldNumber, call.transform_runs.size());
  runs_ += call.transform_runs.size();
  // These columns have an entry a run, and are always there when there are runs.
  for (const TransformRun& run : call.transform_runs) {
    const int64_t started = std::max(Ticks(run.started), issued_ticks);
    const int64_t ended = std::max(Ticks(End(run)), started);
    columns_[C::kRunOutcomeFieldNumber].Append(Enum(run.outcome));
    columns_[C::kRunStartedAfterFieldNumber].Append(static_cast<uint64_t>(started - issued_ticks));
    columns_[C::kRunTicksFieldNumber].Append(static_cast<uint64_t>(ended - started));
  }
}

void ChunkBuilder::AddOutcome(const CallRecord& call) {
  Put(C::kOutcomeFieldNumber, Enum(call.outcome));
  Put(C::kErrorCodeFieldNumber, call.error_code);
  PutText(C::kErrorNameFieldNumber, texts_, last_.error_name, call.error_name);
  PutText(C::kErrorTextFieldNumber, texts_, last_.error_text, call.error_text);
  PutText(C::kVersionFieldNumber, identities_, last_.version, call.version);
  Put(C::kFaultFieldNumber, call.fault);
}

void ChunkBuilder::AddValues(const CallRecord& call) {
  const ValueInfo none;
  const auto index = [this](const ValueInfo& value) -> uint32_t {
    return value.value ? values_.Intern(*value.value) : 0;
  };
  const ValueInfo& read = call.read ? *call.read : none;
  Put(C::kReadBytesFieldNumber, call.read ? PlusOne(read.bytes) : 0);
  columns_[C::kReadHashFieldNumber].PutFixed64(calls_, read.hash);
  Put(C::kReadValueFieldNumber, index(read));
  Put(C::kReadEncodingFieldNumber, Enum(read.encoding));
  const ValueInfo& written = call.written ? *call.written : none;
  Put(C::kWrittenBytesFieldNumber, call.written ? PlusOne(written.bytes) : 0);
  columns_[C::kWrittenHashFieldNumber].PutFixed64(calls_, written.hash);
  Put(C::kWrittenValueFieldNumber, index(written));
  Put(C::kWrittenEncodingFieldNumber, Enum(written.encoding));
}

void ChunkBuilder::AddBudgets(const CallRecord& call) {
  const auto& [first, second] = call.budgets;
  Put(C::kFirstTypeFieldNumber, Enum(first.type));
  Put(C::kFirstBeforeFieldNumber, PlusOne(first.before));
  Put(C::kFirstAfterFieldNumber, PlusOne(first.after));
  Put(C::kFirstTakenFieldNumber, first.taken);
  Put(C::kSecondTypeFieldNumber, Enum(second.type));
  Put(C::kSecondBeforeFieldNumber, PlusOne(second.before));
  Put(C::kSecondAfterFieldNumber, PlusOne(second.after));
  Put(C::kSecondTakenFieldNumber, second.taken);
}

uint32_t ChunkBuilder::InternList(const v1::ListArguments& list) {
  list_scratch_.clear();
  list.AppendToString(&list_scratch_);
  return lists_.Intern(list_scratch_);
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
    base_ticks_ = ticks;
    first_ticks_ = last_ticks_ = ticks;
  }
  return base_ticks_;
}

void ChunkBuilder::Cover(int64_t first_ticks, int64_t last_ticks) {
  first_ticks_ = std::min(first_ticks_, first_ticks);
  last_ticks_ = std::max(last_ticks_, last_ticks);
}

size_t ChunkBuilder::CallsSize() const {
  size_t size = lists_.bytes().size();
  if (calls_ != 0) size += 1 + VarintSize(calls_);
  for (size_t field = 0; field < kColumnsEnd; ++field) {
    const size_t bytes = columns_[field].bytes().size();
    if (bytes != 0) size += VarintSize(field << 3) + VarintSize(bytes) + bytes;
  }
  return size;
}

size_t ChunkBuilder::ByteSize() const {
  const size_t calls = CallsSize();
  size_t size = 1 + VarintSize(static_cast<uint64_t>(tick_ns_)) + 1 + VarintSize(calls) + calls +
                row_bytes_.size();
  if (base_ticks_ != 0) size += 1 + VarintSize(ZigZagEncode(base_ticks_));
  for (const StringTable* table : Tables()) size += table->bytes().size();
  return size;
}

// In the order of field numbers, as protobuf does.
void ChunkBuilder::WriteTo(char* at) const {
  const auto copy = [&at](std::string_view bytes) {
    at = std::copy(bytes.begin(), bytes.end(), at);
  };
  const auto number = [&at](uint32_t field, uint64_t value) {
    if (value == 0) return;
    at = WriteVarint(at, WireTag(field, WireType::kVarint));
    at = WriteVarint(at, value);
  };
  number(R::kTickNsFieldNumber, static_cast<uint64_t>(tick_ns_));
  number(R::kBaseTicksFieldNumber, ZigZagEncode(base_ticks_));
  for (const StringTable* table : Tables()) copy(table->bytes());
  at = WriteTagAndSize(at, R::kCallsFieldNumber, CallsSize());
  number(C::kCountFieldNumber, calls_);
  for (uint32_t field = 0; field < kColumnsEnd; ++field) {
    if (field == C::kListArgumentsFieldNumber) copy(lists_.bytes());
    const std::string_view bytes = columns_[field].bytes();
    if (bytes.empty()) continue;
    at = WriteTagAndSize(at, field, bytes.size());
    copy(bytes);
  }
  copy({row_bytes_.data(), row_bytes_.size()});
}

void ChunkBuilder::Clear() {
  const bool gives_back = ByteSize() > kKeepBytes;
  for (StringTable* table : {&names_, &keys_, &texts_, &values_, &identities_, &lists_}) {
    gives_back ? table->GiveBack() : table->Clear();
  }
  for (PackedColumn& column : columns_) gives_back ? column.GiveBack() : column.Clear();
  row_bytes_.clear();
  if (gives_back) row_bytes_ = {};
  last_ = {};
  base_ticks_ = 0;
  calls_ = rows_ = 0;
  runs_ = 0;
  bytes_bound_ = kChunkBytes;
  previous_id_ = 0;
  previous_issued_ = 0;
  first_ticks_ = last_ticks_ = 0;
}

}  // namespace dstap::capture
