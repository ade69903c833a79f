// How far records have come that were handed on to be written by somebody else.
#pragma once

#include <cstdint>

namespace dstap::proxy {

// Threads: thread-safe.
class CommitProgress {
 public:
  virtual ~CommitProgress() = default;

  // Chunks that were handed on, and of those the ones that are the kernel's, or lost for good.
  virtual uint64_t submitted() const = 0;
  virtual uint64_t written() const = 0;
};

}  // namespace dstap::proxy
