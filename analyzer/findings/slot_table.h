// Gives names small numbers, and forgets the one that was not seen for longest when it is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/base/check.h"

namespace dstap::analyzer {

// A text; found without making a std::string of it.
struct TextName {
  using Stored = std::string;
  using Given = std::string_view;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
};

// Two numbers.
struct PairName {
  struct Stored {
    uint64_t first = 0;
    uint64_t second = 0;
    friend bool operator==(const Stored&, const Stored&) = default;
  };
  using Given = Stored;
  struct Hash {
    size_t operator()(const Stored& pair) const {
      return static_cast<size_t>(pair.first * 0x9E3779B97F4A7C15U ^ (pair.second << 32));
    }
  };
};

// Limits: `slots_max` names.
template <typename Name>
class SlotTable {
 public:
  using Given = typename Name::Given;

  explicit SlotTable(size_t slots_max) : slots_max_(slots_max) {}
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(SlotTable&&) = default;

  struct Place {
    size_t slot = 0;
    bool is_new = false;     // The name had no slot.
    bool is_reused = false;  // The slot was another name's until now.
  };

  Place Of(Given name) {
    DSTAP_CHECK(slots_max_ > 0);
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
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
      by_name_.erase(by_name_.find(*entries_[oldest_].name));
      Unlink(oldest_);
    }
    const auto added = by_name_.emplace(typename Name::Stored(name), place.slot).first;
    entries_[place.slot].name = &added->first;
    LinkNewest(place.slot);
    return place;
  }

  // Without making it the one that was seen last.
  std::optional<size_t> Find(Given name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kEnd = static_cast<size_t>(-1);
  struct Entry {
    const typename Name::Stored* name = nullptr;  // In by_name_.
    size_t newer = kEnd;
    size_t older = kEnd;
  };

  void Unlink(size_t slot) {
    const Entry& entry = entries_[slot];
    (entry.newer == kEnd ? newest_ : entries_[entry.newer].older) = entry.older;
    (entry.older == kEnd ? oldest_ : entries_[entry.older].newer) = entry.newer;
  }
  void LinkNewest(size_t slot) {
    entries_[slot].newer = kEnd;
    entries_[slot].older = newest_;
    (newest_ == kEnd ? oldest_ : entries_[newest_].newer) = slot;
    newest_ = slot;
  }

  size_t slots_max_;
  std::vector<Entry> entries_;
  std::unordered_map<typename Name::Stored, size_t, typename Name::Hash, std::equal_to<>> by_name_;
  size_t newest_ = kEnd;
  size_t oldest_ = kEnd;
};

}  // namespace dstap::analyzer
