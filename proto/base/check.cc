#include "proto/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace dstap {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "dstap: a bug in dstap (%s:%d: %s does not hold)\n", file, line, condition);
  std::abort();
}

}  // namespace dstap
