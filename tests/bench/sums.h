// A number for each column of many calls. A reader that gives the same sums as the traffic it was
// given has read all of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/capture/chunk_columns.h"
#include "proto/capture/records.h"

namespace dstap::bench {

class Sums {
 public:
  void Add(const capture::CallRecord& call);
  // The same, of all calls of a chunk, column by column.
  void Add(const capture::ChunkColumns& chunk);

  uint64_t calls() const { return calls_; }
  // The numbers, for another process to compare.
  std::string Text() const;
  friend bool operator==(const Sums&, const Sums&) = default;

 private:
  // One for each member of a CallRecord, parts of parts included.
  static constexpr size_t kColumns = 40;
  uint64_t calls_ = 0;
  std::array<uint64_t, kColumns> sums_{};
};

// The same of one number, one time, one text, one value and one budget.
class FewSums {
 public:
  void Add(const capture::CallRecord& call) {
    ids_ += call.id;
    completed_ += call.completed.value_or(Time()).count();
    key_bytes_ += call.key.size();
    if (call.read) read_bytes_ += call.read->bytes;
    before_ += call.budgets[0].before.value_or(0);
  }

  friend bool operator==(const FewSums&, const FewSums&) = default;

 private:
  uint64_t ids_ = 0;
  int64_t completed_ = 0;
  uint64_t key_bytes_ = 0;
  uint64_t read_bytes_ = 0;
  uint64_t before_ = 0;
};

}  // namespace dstap::bench
