// Remembers where chunks are, in a fixed amount of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "dstap/v1/capture.pb.h"

namespace dstap::capture {

// An entry covers its chunk and those up to the next entry. When kIndexEntriesMax are full, pairs
// are joined and each entry covers twice as many chunks from then on.
class IndexBuilder {
 public:
  // `chunk` describes one chunk.
  void Add(const v1::IndexEntry& chunk);
  v1::Index Build() const;

 private:
  static void Join(v1::IndexEntry& into, const v1::IndexEntry& next);

  std::vector<v1::IndexEntry> entries_;
  uint64_t chunks_per_entry_ = 1;
  uint64_t chunks_in_last_ = 0;
};

}  // namespace dstap::capture
