#include "proto/capture/string_table.h"

#include <xxhash.h>

namespace dstap::capture {

uint32_t StringTable::Intern(std::string_view text, Strings& strings) {
  if (2 * (used_ + 1) > slots_.size()) Grow();
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.generation != generation_) {
      strings.Add()->assign(text);
      ++used_;
      slot = {hash, static_cast<uint32_t>(strings.size()), generation_};
      return slot.index_plus_1;
    }
    if (slot.hash == hash && strings[static_cast<int>(slot.index_plus_1) - 1] == text) {
      return slot.index_plus_1;
    }
  }
}

void StringTable::Clear() {
  used_ = 0;
  if (++generation_ == 0) {  // After 2^32 chunks the numbers begin again.
    slots_.assign(slots_.size(), Slot());
    generation_ = 1;
  }
}

void StringTable::Grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.generation != generation_) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].generation == generation_) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace dstap::capture
