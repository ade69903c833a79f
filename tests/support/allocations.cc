#include "tests/support/allocations.h"

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
// GCC does not ship the header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT
    void (*on_malloc)(const volatile void*, size_t), void (*on_free)(const volatile void*));
#endif

namespace dstap::test {

#ifdef __SANITIZE_ADDRESS__

const bool kCanCount = true;

namespace {
thread_local uint64_t allocations = 0;
}

uint64_t Allocations() {
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* /*at*/, size_t /*size*/) { ++allocations; },
      [](const volatile void* /*at*/) {});
  static_cast<void>(hooks);
  return allocations;
}

#else

const bool kCanCount = false;
uint64_t Allocations() { return 0; }

#endif

}  // namespace dstap::test
