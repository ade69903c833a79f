// One string table of a chunk while it is being filled.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dstap::capture {

// Finds a string's place in a table, or gives it one. Open addressing over the hashes; the strings
// themselves are only in the table, as the bytes of the repeated field that they will be.
//
// Limits: no allocation once it has held as many strings, as long, as it holds now.
class StringTable {
 public:
  // Remembers the string that a column had last: often it has it again.
  struct Last {
    uint32_t index_plus_1 = 0;  // 0: none.
    uint32_t size = 0;
    uint64_t begin = 0;
  };

  // `field` is the repeated field's number, below 16.
  explicit StringTable(uint32_t field);

  // Index + 1 of `text`, which is added when it is new.
  uint32_t Intern(std::string_view text);
  uint32_t Intern(std::string_view text, Last& last) {
    if (last.index_plus_1 != 0 && TextAt(last.begin, last.size) == text) return last.index_plus_1;
    const uint32_t index = Intern(text);
    last = {index, static_cast<uint32_t>(text.size()), begin_of_last_};
    return index;
  }

  // Tag, length and bytes of each string.
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

  // Forgets all strings. Every Last of it must be forgotten too.
  void Clear();
  // The memory of its strings as well.
  void GiveBack();

 private:
  struct Slot {
    uint64_t hash = 0;
    uint64_t begin = 0;  // Of its text in bytes_.
    uint32_t size = 0;
    uint32_t index_plus_1 = 0;
    uint32_t generation = 0;  // A slot of an earlier generation is free.
  };

  void Grow();
  std::string_view TextAt(uint64_t begin, uint32_t size) const {
    return {bytes_.data() + begin, size};
  }

  std::vector<char> bytes_;
  std::vector<Slot> slots_;  // Always a power of two, at most half full.
  uint32_t used_ = 0;
  uint32_t generation_ = 1;
  uint64_t begin_of_last_ = 0;  // Of the text that Intern() gave last.
  char tag_;
};

}  // namespace dstap::capture
