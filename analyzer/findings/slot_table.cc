#include "analyzer/findings/slot_table.h"

#include "proto/base/check.h"

namespace dstap::analyzer {

void SlotTable::Unlink(size_t slot) {
  const Entry& entry = entries_[slot];
  (entry.newer == kEnd ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kEnd ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void SlotTable::LinkNewest(size_t slot) {
  entries_[slot].newer = kEnd;
  entries_[slot].older = newest_;
  (newest_ == kEnd ? oldest_ : entries_[newest_].newer) = slot;
  newest_ = slot;
}

SlotTable::Place SlotTable::Of(std::string_view name) {
  DSTAP_CHECK(slots_max_ > 0);
  wanted_ = name;
  if (const auto found = by_name_.find(wanted_); found != by_name_.end()) {
    const size_t slot = found->second;
    if (slot != newest_) {
      Unlink(slot);
      LinkNewest(slot);
    }
    return {.slot = slot};
  }
  Place place{.slot = entries_.size(), .is_new = true};
  if (entries_.size() < slots_max_) {
    entries_.emplace_back();
  } else {
    place.slot = oldest_;
    place.is_reused = true;
    by_name_.erase(entries_[oldest_].name);
    Unlink(oldest_);
  }
  entries_[place.slot].name = wanted_;
  by_name_.emplace(wanted_, place.slot);
  LinkNewest(place.slot);
  return place;
}

}  // namespace dstap::analyzer
