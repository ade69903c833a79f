// Gives names small numbers, and forgets the one that was not seen for longest when it is full.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dstap::analyzer {

// Limits: `slots_max` names.
class SlotTable {
 public:
  explicit SlotTable(size_t slots_max) : slots_max_(slots_max) {}

  struct Place {
    size_t slot = 0;
    bool is_new = false;     // The name had no slot.
    bool is_reused = false;  // The slot was another name's until now.
  };
  Place Of(std::string_view name);
  // Without making it the one that was seen last.
  std::optional<size_t> Find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kEnd = static_cast<size_t>(-1);
  struct Entry {
    std::string name;
    size_t newer = kEnd;
    size_t older = kEnd;
  };

  void Unlink(size_t slot);
  void LinkNewest(size_t slot);

  size_t slots_max_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> by_name_;
  std::string wanted_;  // Keeps its memory from call to call.
  size_t newest_ = kEnd;
  size_t oldest_ = kEnd;
};

}  // namespace dstap::analyzer
