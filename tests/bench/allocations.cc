// The counter of tests/support/allocations.h for builds without the address sanitizer: malloc and
// its family, which new calls too, go through here.
#include "tests/support/allocations.h"

#include <cstddef>

// The names under which glibc offers the real ones to whoever replaces them.
extern "C" {
void* __libc_malloc(size_t size);                  // NOLINT
void* __libc_calloc(size_t count, size_t size);    // NOLINT
void* __libc_realloc(void* at, size_t size);       // NOLINT
void* __libc_memalign(size_t align, size_t size);  // NOLINT
}

namespace {

thread_local uint64_t allocations = 0;

}  // namespace

extern "C" {

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* at, size_t size) {
  ++allocations;
  return __libc_realloc(at, size);
}

void* aligned_alloc(size_t align, size_t size) {
  ++allocations;
  return __libc_memalign(align, size);
}

}  // extern "C"

namespace dstap::test {

const bool kCanCount = true;
uint64_t Allocations() { return allocations; }

}  // namespace dstap::test
