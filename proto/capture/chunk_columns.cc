#include "proto/capture/chunk_columns.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "proto/capture/format.h"
#include "proto/capture/packed_varints.h"
#include "proto/capture/unknown_fields.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

using C = v1::Calls;
using R = v1::Records;

// How a column's numbers are stored. kNone: not a column.
enum class Kind : uint8_t { kNone, kVarint32, kVarint64, kZigZag, kBool, kFixed64 };

constexpr auto kKinds = [] {
  std::array<Kind, 46> kinds{};
  for (const int field :
       {C::kSourceFieldNumber,       C::kCallerFieldNumber,       C::kMethodFieldNumber,
        C::kStoreFieldNumber,        C::kScopeFieldNumber,        C::kStoreKindFieldNumber,
        C::kKeyFieldNumber,          C::kUseCacheFieldNumber,     C::kListFieldNumber,
        C::kTimesQueuedFieldNumber,  C::kServedByFieldNumber,     C::kTransformRunsFieldNumber,
        C::kRunOutcomeFieldNumber,   C::kOutcomeFieldNumber,      C::kErrorCodeFieldNumber,
        C::kErrorNameFieldNumber,    C::kErrorTextFieldNumber,    C::kReadValueFieldNumber,
        C::kReadEncodingFieldNumber, C::kWrittenValueFieldNumber, C::kWrittenEncodingFieldNumber,
        C::kVersionFieldNumber,      C::kFirstTypeFieldNumber,    C::kFirstTakenFieldNumber,
        C::kSecondTypeFieldNumber,   C::kSecondTakenFieldNumber}) {
    kinds[static_cast<size_t>(field)] = Kind::kVarint32;
  }
  for (const int field :
       {C::kAdmittedAfterFieldNumber, C::kCompletedAfterFieldNumber, C::kQueuedTicksFieldNumber,
        C::kRunStartedAfterFieldNumber, C::kRunTicksFieldNumber, C::kReadBytesFieldNumber,
        C::kWrittenBytesFieldNumber, C::kFirstBeforeFieldNumber, C::kFirstAfterFieldNumber,
        C::kSecondBeforeFieldNumber, C::kSecondAfterFieldNumber, C::kFaultFieldNumber}) {
    kinds[static_cast<size_t>(field)] = Kind::kVarint64;
  }
  kinds[C::kIdDeltaFieldNumber] = kinds[C::kIssuedDeltaFieldNumber] = Kind::kZigZag;
  kinds[C::kAllScopesFieldNumber] = Kind::kBool;
  kinds[C::kReadHashFieldNumber] = kinds[C::kWrittenHashFieldNumber] = Kind::kFixed64;
  return kinds;
}();

constexpr bool IsRunColumn(uint32_t field) {
  return field == C::kRunOutcomeFieldNumber || field == C::kRunStartedAfterFieldNumber ||
         field == C::kRunTicksFieldNumber;
}

Status Damaged(std::string message) { return {ErrorCode::kDamaged, std::move(message)}; }

const std::string& ColumnName(uint32_t field) {
  return C::descriptor()->FindFieldByNumber(static_cast<int>(field))->name();
}

}  // namespace

void ChunkColumns::Clear() {
  tick_ns_ = 0;
  base_ticks_ = 0;
  count_ = 0;
  unknown_fields_ = 0;
  rows_used_ = 0;
  for (auto& table : tables_) table.clear();
  columns_.fill({});
  list_arguments_.clear();
}

Status ChunkColumns::Load(std::string_view body) {
  Clear();
  Status status = LoadRecords(body);
  if (!status.ok()) Clear();
  return status;
}

Status ChunkColumns::LoadRecords(std::string_view body) {
  WireReader reader(body);
  std::optional<std::string_view> calls;
  uint32_t field = 0;
  WireType type{};
  uint64_t number = 0;
  std::string_view bytes;
  while (!reader.AtEnd()) {
    if (!reader.Tag(field, type)) return Damaged("its records are not protobuf");
    const bool is_known = field <= R::kRowFieldNumber;
    if (!is_known) {
      ++unknown_fields_;
      if (!reader.Skip(type)) return Damaged("its records are not protobuf");
      continue;
    }
    const bool is_number = field == R::kTickNsFieldNumber || field == R::kBaseTicksFieldNumber;
    if (type != (is_number ? WireType::kVarint : WireType::kBytes) ||
        !(is_number ? reader.Varint(number) : reader.Bytes(bytes))) {
      return Damaged(fmt::format("field {} of its records is cut off or of the wrong type", field));
    }
    if (field == R::kTickNsFieldNumber) {
      tick_ns_ = number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                     ? 0
                     : static_cast<int64_t>(number);
    } else if (field == R::kBaseTicksFieldNumber) {
      base_ticks_ = ZigZagDecode(number);
    } else if (field <= R::kIdentitiesFieldNumber) {
      auto& table = tables_[field - R::kNamesFieldNumber];
      if (table.size() == kChunkRowsMax) return Damaged("a string table is over the limit");
      table.push_back(bytes);
    } else if (field == R::kCallsFieldNumber) {
      if (calls) return Damaged("it has its calls in two pieces");
      calls = bytes;
    } else {
      if (rows_used_ == kChunkRowsMax) {
        return Damaged(fmt::format("it has more than {} rows", kChunkRowsMax));
      }
      DSTAP_TRY(LoadRow(bytes));
    }
  }
  if (tick_ns_ <= 0) return Damaged("its tick_ns is not a length of time");
  max_ticks_ = std::numeric_limits<int64_t>::max() / tick_ns_;
  if (base_ticks_ < 0 || base_ticks_ > max_ticks_) {
    return Damaged(fmt::format("its base_ticks is {}: no time of a recording", base_ticks_));
  }
  if (calls) DSTAP_TRY(LoadCalls(*calls));
  return CheckRows();
}

Status ChunkColumns::CheckRows() const {
  uint32_t after = 0;
  for (size_t i = 0; i < rows_used_; ++i) {
    const v1::Row& row = rows_[i];
    if (row.after_calls() < after || row.after_calls() > count_) {
      return Damaged(fmt::format("row {} stands after {} calls of {}, the row before it after {}",
                                 i, row.after_calls(), count_, after));
    }
    after = row.after_calls();
    int64_t ticks = 0;
    if (__builtin_add_overflow(row.ticks(), base_ticks_, &ticks) || ticks < 0 ||
        ticks > max_ticks_) {
      return Damaged(fmt::format("row {} has no time of a recording", i));
    }
  }
  return {};
}

Status ChunkColumns::LoadRow(std::string_view bytes) {
  if (rows_.size() == rows_used_) rows_.emplace_back();
  v1::Row& row = rows_[rows_used_];
  if (!row.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged(fmt::format("row {} is not protobuf", rows_used_));
  }
  unknown_fields_ += CountUnknownFields(row);
  ++rows_used_;
  return {};
}

Status ChunkColumns::LoadCalls(std::string_view bytes) {
  // The count first, wherever it stands: nothing is allocated that it does not explain.
  struct Packed {
    uint32_t field;
    std::string_view bytes;
  };
  std::array<Packed, kColumnsEnd> packed{};
  size_t columns = 0;
  uint64_t seen = 0;  // A bit a field.
  WireReader reader(bytes);
  uint32_t field = 0;
  WireType type{};
  uint64_t count = 0;
  std::string_view value;
  while (!reader.AtEnd()) {
    if (!reader.Tag(field, type)) return Damaged("its calls are not protobuf");
    if (field >= kColumnsEnd) {
      ++unknown_fields_;
      if (!reader.Skip(type)) return Damaged("its calls are not protobuf");
    } else if (field == C::kCountFieldNumber && type == WireType::kVarint) {
      if (!reader.Varint(count)) return Damaged("its calls are not protobuf");
    } else if (type != WireType::kBytes || !reader.Bytes(value)) {
      return Damaged(fmt::format("column {} is cut off or not packed", ColumnName(field)));
    } else if (field == C::kListArgumentsFieldNumber) {
      if (list_arguments_.size() == kChunkCallsMax) {
        return Damaged("it has more list_arguments than a chunk has calls");
      }
      list_arguments_.push_back(value);
    } else {
      const uint64_t bit = uint64_t{1} << field;
      if ((std::exchange(seen, seen | bit) & bit) != 0) {
        return Damaged(fmt::format("column {} is in two pieces", ColumnName(field)));
      }
      packed[columns++] = {field, value};
    }
  }
  if (count > kChunkCallsMax) {
    return Damaged(fmt::format("it says {} calls; a chunk has at most {}", count, kChunkCallsMax));
  }
  count_ = static_cast<uint32_t>(count);
  for (size_t i = 0; i < columns; ++i) DSTAP_TRY(LoadColumn(packed[i].field, packed[i].bytes));
  DSTAP_TRY(CheckIndexes());
  DSTAP_TRY(CheckLists());
  MakeIds();
  DSTAP_TRY(MakeIssued());
  DSTAP_TRY(CheckTimes());
  return CheckRuns();
}

std::span<uint64_t> ChunkColumns::MakeColumn(uint32_t field, size_t entries) {
  std::vector<uint64_t>& storage = storage_[field];
  if (storage.size() < entries) storage.resize(entries);
  const std::span<uint64_t> numbers(storage.data(), entries);
  columns_[field] = Column(numbers);
  return numbers;
}

Status ChunkColumns::LoadColumn(uint32_t field, std::string_view packed) {
  if (packed.empty()) return {};
  const Kind kind = kKinds[field];
  const bool fixed = kind == Kind::kFixed64;
  const bool ends_whole =
      fixed ? packed.size() % 8 == 0 : static_cast<unsigned char>(packed.back()) < 0x80;
  if (!ends_whole) {
    return Damaged(fmt::format("column {} ends inside a number", ColumnName(field)));
  }
  const size_t entries = fixed ? packed.size() / 8 : CountVarints(packed);
  if (IsRunColumn(field)) {
    if (entries > kChunkCallsMax) {
      return Damaged(fmt::format("column {} has {} entries; at most {} are allowed",
                                 ColumnName(field), entries, kChunkCallsMax));
    }
  } else if (entries != count_) {
    return Damaged(
        fmt::format("column {} has {} entries for {} calls", ColumnName(field), entries, count_));
  }
  if (entries == packed.size() && kind != Kind::kBool) {  // The usual case.
    columns_[field] = Column({reinterpret_cast<const uint8_t*>(packed.data()), entries});
    return {};
  }
  const std::span<uint64_t> column = MakeColumn(field, entries);
  if (fixed) {
    std::memcpy(column.data(), packed.data(), packed.size());
  } else if (!DecodeVarints(packed, column.data())) {
    return Damaged(fmt::format("column {} has a number over 10 bytes", ColumnName(field)));
  }
  if (kind == Kind::kVarint32) {
    for (uint64_t& v : column) v = static_cast<uint32_t>(v);  // As protobuf reads them.
  } else if (kind == Kind::kBool) {
    for (uint64_t& v : column) v = v != 0 ? 1 : 0;
  }
  return {};
}

Status ChunkColumns::CheckIndexes() const {
  struct Use {
    uint32_t field;
    size_t strings;
  };
  const Use uses[] = {
      {C::kCallerFieldNumber, tables_[kNames].size()},
      {C::kStoreFieldNumber, tables_[kNames].size()},
      {C::kScopeFieldNumber, tables_[kNames].size()},
      {C::kKeyFieldNumber, tables_[kKeys].size()},
      {C::kListFieldNumber, list_arguments_.size()},
      {C::kErrorNameFieldNumber, tables_[kTexts].size()},
      {C::kErrorTextFieldNumber, tables_[kTexts].size()},
      {C::kReadValueFieldNumber, tables_[kValues].size()},
      {C::kWrittenValueFieldNumber, tables_[kValues].size()},
      {C::kVersionFieldNumber, tables_[kIdentities].size()},
  };
  for (const Use& use : uses) {
    const Column& column = columns_[use.field];
    if (column.empty() || column.Bound() <= use.strings) continue;
    const uint64_t highest = column.Max();
    if (highest > use.strings) {
      return Damaged(fmt::format("column {} refers to string {} of {}", ColumnName(use.field),
                                 highest, use.strings));
    }
  }
  return {};
}

Status ChunkColumns::CheckLists() {
  if (list_arguments_.size() > count_) {
    return Damaged(
        fmt::format("it has {} list_arguments for {} calls", list_arguments_.size(), count_));
  }
  v1::ListArguments scratch;
  for (const std::string_view list : list_arguments_) {
    if (!scratch.ParseFromArray(list.data(), static_cast<int>(list.size()))) {
      return Damaged("one of its list_arguments is not protobuf");
    }
    unknown_fields_ += CountUnknownFields(scratch);
  }
  return {};
}

bool ChunkColumns::TimeFits(uint64_t after, int64_t ticks) const {
  return after <= static_cast<uint64_t>(max_ticks_ - ticks);
}

// Ids from their differences.
void ChunkColumns::MakeIds() {
  const Column deltas = columns_[C::kIdDeltaFieldNumber];
  if (deltas.empty()) return;
  const std::span<uint64_t> ids = MakeColumn(C::kIdDeltaFieldNumber, count_);
  deltas.Visit([&](auto numbers) {
    uint64_t id = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      ids[i] = id += static_cast<uint64_t>(ZigZagDecode(numbers[i]));
    }
  });
}

// Times from their differences; all of them are checked to be some.
Status ChunkColumns::MakeIssued() {
  const Column deltas = columns_[C::kIssuedDeltaFieldNumber];
  const std::span<uint64_t> issued = MakeColumn(C::kIssuedDeltaFieldNumber, count_);
  if (deltas.empty()) {
    std::ranges::fill(issued, static_cast<uint64_t>(base_ticks_));
    last_issued_ = base_ticks_;
    return {};
  }
  const bool fits = deltas.Visit([&](auto numbers) {
    int64_t ticks = base_ticks_;
    int64_t last = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (__builtin_add_overflow(ticks, ZigZagDecode(numbers[i]), &ticks) || ticks < 0) {
        return false;
      }
      last = std::max(last, ticks);
      issued[i] = static_cast<uint64_t>(ticks);
    }
    last_issued_ = last;
    return last <= max_ticks_;
  });
  return fits ? Status() : Damaged("column issued_delta leads to no time of a recording");
}

Status ChunkColumns::CheckTimes() const {
  const Column& issued = columns_[C::kIssuedDeltaFieldNumber];
  for (const uint32_t field : {C::kAdmittedAfterFieldNumber, C::kCompletedAfterFieldNumber}) {
    const Column& column = columns_[field];
    if (TimeFits(column.Bound(), last_issued_)) continue;  // All of them, however they meet.
    for (size_t i = 0; i < column.size(); ++i) {
      if (column[i] == 0 || TimeFits(column[i] - 1, static_cast<int64_t>(issued[i]))) continue;
      return Damaged(fmt::format("column {} leads to no time of a recording", ColumnName(field)));
    }
  }
  if (!TimeFits(columns_[C::kQueuedTicksFieldNumber].Max(), 0)) {
    return Damaged("column queued_ticks has no length of time");
  }
  return {};
}

Status ChunkColumns::CheckRuns() const {
  const Column& runs = columns_[C::kTransformRunsFieldNumber];
  const uint64_t total = runs.Sum();
  if (total > kChunkCallsMax) {
    return Damaged(
        fmt::format("it says {} transform runs; a chunk has at most {}", total, kChunkCallsMax));
  }
  for (const uint32_t field :
       {C::kRunOutcomeFieldNumber, C::kRunStartedAfterFieldNumber, C::kRunTicksFieldNumber}) {
    const size_t entries = columns_[field].size();
    if (entries != 0 && entries != total) {
      return Damaged(fmt::format("column {} has {} entries for {} transform runs",
                                 ColumnName(field), entries, total));
    }
  }
  const Column& issued = columns_[C::kIssuedDeltaFieldNumber];
  const Column& started = columns_[C::kRunStartedAfterFieldNumber];
  const Column& took = columns_[C::kRunTicksFieldNumber];
  const uint64_t started_bound = started.Bound();
  if (TimeFits(started_bound, last_issued_) &&
      TimeFits(took.Bound(), last_issued_ + static_cast<int64_t>(started_bound))) {
    return {};  // All of them, however they meet.
  }
  size_t run = 0;
  for (size_t call = 0; call < runs.size(); ++call) {
    for (uint64_t i = 0; i < runs[call]; ++i, ++run) {
      auto ticks = static_cast<int64_t>(issued[call]);
      for (const Column* column : {&started, &took}) {
        if (column->empty()) continue;
        if (!TimeFits((*column)[run], ticks)) {
          return Damaged("a transform run leads to no time of a recording");
        }
        ticks += static_cast<int64_t>((*column)[run]);
      }
    }
  }
  return {};
}

}  // namespace dstap::capture
