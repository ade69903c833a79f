// Counts allocations. Works in builds with the address sanitizer, which offers a hook; elsewhere
// kCanCount is false.
#pragma once

#include <cstdint>

namespace dstap::test {

extern const bool kCanCount;

// Allocations of this thread so far, by new and by malloc. The first call starts counting.
uint64_t Allocations();

}  // namespace dstap::test
