#include "tests/support/allocations.h"

#include <algorithm>
#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
// GCC does not ship the header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT
    void (*on_malloc)(const volatile void*, size_t), void (*on_free)(const volatile void*));
extern "C" size_t __sanitizer_get_allocated_size(const volatile void* at);  // NOLINT
#endif

namespace dstap::test {

#ifdef __SANITIZE_ADDRESS__

const bool kCanCount = true;

namespace {
thread_local uint64_t allocations = 0;
thread_local int64_t held = 0;
thread_local int64_t held_at_reset = 0;
thread_local int64_t most_held = 0;
}  // namespace

uint64_t Allocations() {
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* /*at*/, size_t size) {
        ++allocations;
        held += static_cast<int64_t>(size);
        most_held = std::max(most_held, held);
      },
      [](const volatile void* at) {
        if (at != nullptr) held -= static_cast<int64_t>(__sanitizer_get_allocated_size(at));
      });
  static_cast<void>(hooks);
  return allocations;
}

void ResetPeakBytes() {
  Allocations();  // Starts counting.
  most_held = held_at_reset = held;
}

uint64_t PeakBytes() { return static_cast<uint64_t>(most_held - held_at_reset); }

#else

const bool kCanCount = false;
uint64_t Allocations() { return 0; }
void ResetPeakBytes() {}
uint64_t PeakBytes() { return 0; }

#endif

}  // namespace dstap::test
