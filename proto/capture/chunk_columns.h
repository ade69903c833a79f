// The columns, rows and string tables of one chunk, checked.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/status.h"
#include "proto/capture/column.h"

namespace dstap::capture {

// Decodes one chunk after another. What Load() accepts can be read without a further check.
//
// Errors:    kDamaged: bytes whose checksum is right and that still make no sense.
// Ownership: refers to the bytes given to Load() until the next Load() or Clear().
// Threads:   not thread-safe.
// Limits:    refuses, before allocating for it, a count that the bytes cannot hold, and more than
//            kChunkCallsMax calls or transform runs, kChunkRowsMax rows or strings in a table. No
//            allocation per call.
class ChunkColumns {
 public:
  enum Table : uint8_t { kNames, kKeys, kTexts, kValues, kIdentities, kTables };

  // `body` is a serialized Records. Empty after an error.
  Status Load(std::string_view body);
  void Clear();

  uint32_t calls() const { return count_; }
  // By field number of Calls: empty (all calls have the default), or one number a call. The columns
  // of runs have one a run. id_delta holds ids; issued_delta holds ticks since the recording began
  // and is never empty.
  const Column& column(int field) const { return columns_[static_cast<size_t>(field)]; }
  uint64_t id(size_t call) const {
    const Column& ids = columns_[v1::Calls::kIdDeltaFieldNumber];
    return ids.empty() ? 0 : ids[call];
  }
  // The strings of a table; a column's number is an index into them plus 1.
  std::span<const std::string_view> table(Table table) const { return tables_[table]; }
  // What a column's number `index` stands for; 0 is "none".
  std::string_view Text(Table table, uint64_t index) const {
    return index == 0 ? std::string_view() : tables_[table][static_cast<size_t>(index) - 1];
  }
  // list_arguments, serialized.
  std::string_view ListAt(uint64_t index) const {
    return list_arguments_[static_cast<size_t>(index) - 1];
  }
  std::span<const v1::Row> rows() const { return {rows_.data(), rows_used_}; }

  int64_t tick_ns() const { return tick_ns_; }
  int64_t base_ticks() const { return base_ticks_; }
  // Fields of this chunk that this version does not know, nested ones included.
  uint64_t unknown_fields() const { return unknown_fields_; }

 private:
  static constexpr size_t kColumnsEnd = 46;  // Highest field number of Calls, plus 1.

  Status LoadRecords(std::string_view body);
  Status LoadRow(std::string_view bytes);
  Status CheckRows() const;
  Status LoadCalls(std::string_view bytes);
  Status LoadColumn(uint32_t field, std::string_view packed);
  // Room for `entries` numbers, which become the column.
  std::span<uint64_t> MakeColumn(uint32_t field, size_t entries);
  void MakeIds();
  Status MakeIssued();
  Status CheckIndexes() const;
  Status CheckLists();
  Status CheckTimes() const;
  Status CheckRuns() const;
  bool TimeFits(uint64_t after, int64_t ticks) const;

  int64_t tick_ns_ = 1;
  int64_t base_ticks_ = 0;
  int64_t max_ticks_ = 0;  // The last tick that is a Time.
  int64_t last_issued_ = 0;
  uint32_t count_ = 0;
  uint64_t unknown_fields_ = 0;
  std::array<std::vector<std::string_view>, kTables> tables_;
  std::vector<std::string_view> list_arguments_;
  std::array<Column, kColumnsEnd> columns_;
  std::array<std::vector<uint64_t>, kColumnsEnd> storage_;  // Only ever grows.
  std::vector<v1::Row> rows_;  // The first rows_used_ are this chunk's; the others are kept warm.
  size_t rows_used_ = 0;
};

}  // namespace dstap::capture
