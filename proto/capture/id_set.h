// Ids that were seen, in little memory when they are nearly consecutive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace dstap::capture {

// Keeps runs of consecutive ids. A recorder numbers calls one after another, so there are hardly
// more runs than calls in flight.
//
// Limits: at most kRunsMax runs; past that the lowest ids are forgotten, and Insert() says "new"
// for
//         them again.
class IdSet {
 public:
  static constexpr size_t kRunsMax = 65'536;

  // False when it is there already.
  bool Insert(uint64_t id);
  bool Contains(uint64_t id) const;

 private:
  std::map<uint64_t, uint64_t> runs_;  // First id, last id.
};

}  // namespace dstap::capture
