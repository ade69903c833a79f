#include "proto/capture/id_set.h"

#include <iterator>

namespace dstap::capture {

bool IdSet::Contains(uint64_t id) const {
  const auto after = runs_.upper_bound(id);
  return after != runs_.begin() && std::prev(after)->second >= id;
}

bool IdSet::Insert(uint64_t id) {
  auto after = runs_.upper_bound(id);
  const bool joins_after = after != runs_.end() && after->first - 1 == id;
  if (after != runs_.begin()) {
    const auto before = std::prev(after);
    if (before->second >= id) return false;
    if (before->second + 1 == id) {
      before->second = joins_after ? after->second : id;
      if (joins_after) runs_.erase(after);
      return true;
    }
  }
  const uint64_t last = joins_after ? after->second : id;
  if (joins_after) after = runs_.erase(after);
  runs_.emplace_hint(after, id, last);
  if (runs_.size() > kRunsMax) runs_.erase(runs_.begin());
  return true;
}

}  // namespace dstap::capture
