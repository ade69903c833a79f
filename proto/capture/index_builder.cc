#include "proto/capture/index_builder.h"

#include <algorithm>
#include <utility>

#include "proto/capture/format.h"

namespace dstap::capture {

void IndexBuilder::Join(v1::IndexEntry& into, const v1::IndexEntry& next) {
  into.set_calls(into.calls() + next.calls());
  into.set_rows(into.rows() + next.rows());
  into.set_first_ns(std::min(into.first_ns(), next.first_ns()));
  into.set_last_ns(std::max(into.last_ns(), next.last_ns()));
}

void IndexBuilder::Add(const v1::IndexEntry& chunk) {
  if (!entries_.empty() && chunks_in_last_ < chunks_per_entry_) {
    Join(entries_.back(), chunk);
    ++chunks_in_last_;
    return;
  }
  if (entries_.size() == kIndexEntriesMax) {
    for (size_t i = 0; i < kIndexEntriesMax / 2; ++i) {
      v1::IndexEntry joined = std::move(entries_[2 * i]);
      Join(joined, entries_[2 * i + 1]);
      entries_[i] = std::move(joined);
    }
    entries_.resize(kIndexEntriesMax / 2);
    chunks_per_entry_ *= 2;
  }
  entries_.push_back(chunk);
  chunks_in_last_ = 1;
}

v1::Index IndexBuilder::Build() const {
  v1::Index index;
  for (const v1::IndexEntry& entry : entries_) *index.add_entry() = entry;
  return index;
}

}  // namespace dstap::capture
