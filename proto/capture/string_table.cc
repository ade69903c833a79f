#include "proto/capture/string_table.h"

#include <xxhash.h>

#include <array>

#include "proto/base/check.h"
#include "proto/capture/wire.h"

namespace dstap::capture {

StringTable::StringTable(uint32_t field)
    : tag_(static_cast<char>(WireTag(field, WireType::kBytes))) {
  DSTAP_CHECK(field < 16);
}

uint32_t StringTable::Intern(std::string_view text) {
  if (2 * (used_ + 1) > slots_.size()) Grow();
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.generation != generation_) {
      std::array<char, 11> head{tag_};
      bytes_.insert(bytes_.end(), head.data(), WriteVarint(head.data() + 1, text.size()));
      slot = {hash, bytes_.size(), static_cast<uint32_t>(text.size()), ++used_, generation_};
      bytes_.insert(bytes_.end(), text.begin(), text.end());
    } else if (slot.hash != hash || TextAt(slot.begin, slot.size) != text) {
      continue;
    }
    begin_of_last_ = slot.begin;
    return slot.index_plus_1;
  }
}

void StringTable::Clear() {
  bytes_.clear();
  used_ = 0;
  if (++generation_ == 0) {  // After 2^32 chunks the numbers begin again.
    slots_.assign(slots_.size(), Slot());
    generation_ = 1;
  }
}

void StringTable::GiveBack() {
  Clear();
  bytes_ = {};
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
