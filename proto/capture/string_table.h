// One string table of a chunk while it is being filled.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dstap::capture {

// Finds a string's place in a table, or gives it one. Open addressing over the hashes; the strings
// themselves are only in the table.
//
// Limits: no allocation once it has held as many strings as it holds now.
class StringTable {
 public:
  using Strings = google::protobuf::RepeatedPtrField<std::string>;

  // Index + 1 of `text` in `strings`, to which it is added when it is new. `strings` must be the
  // same one until Clear().
  uint32_t Intern(std::string_view text, Strings& strings);

  // Forgets all strings; costs nothing.
  void Clear();

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t index_plus_1 = 0;
    uint32_t generation = 0;  // A slot of an earlier generation is free.
  };

  void Grow();

  std::vector<Slot> slots_;  // Always a power of two, at most half full.
  uint32_t used_ = 0;
  uint32_t generation_ = 1;
};

}  // namespace dstap::capture
