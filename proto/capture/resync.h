// Finds the next good chunk after damage.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/capture/chunk_frame.h"

namespace dstap::capture {

// How far a reader looks at a time.
inline constexpr size_t kScanBytes = size_t{64} << 10;

// A hostile file could hold a false start every few bytes, each with 16 MiB to hash. So hashing may
// cost kPerByte times what was scanned, and a start more; a false start past it is not tried.
struct ScanBudget {
  static constexpr uint64_t kPerByte = 16;
  uint64_t bytes = uint64_t{256} << 20;
};

struct ScanResult {
  bool found = false;
  // With `found`: the sync of a chunk whose length in front is wrong. Otherwise a magic, or a
  // chunk's tag and length.
  bool from_sync = false;
  // With `found` where it stands. Otherwise nothing stands before this that could be the start.
  size_t at = 0;
  // Not 0: what may start at `at` can only be judged with this many bytes of view.
  size_t need = 0;
};

// Searches `view` from `from` on. `is_last`: the file ends with it.
ScanResult ScanForItem(std::string_view view, size_t from, bool is_last, ScanBudget& budget);

// Whether `bytes` are the end of the file (empty) or begin with a magic or a chunk's framing, as
// far as they go.
bool StartsItem(std::string_view bytes);

}  // namespace dstap::capture
