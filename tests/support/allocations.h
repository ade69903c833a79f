// Counts allocations. Works in builds with the address sanitizer, which offers a hook; elsewhere
// kCanCount is false.
#pragma once

#include <cstdint>

namespace dstap::test {

extern const bool kCanCount;

// Allocations of this thread so far, by new and by malloc. The first call starts counting.
uint64_t Allocations();

// The most bytes that this thread held at once since ResetPeakBytes(), over what it held then.
void ResetPeakBytes();
uint64_t PeakBytes();

}  // namespace dstap::test
