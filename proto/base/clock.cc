#include "proto/base/clock.h"

namespace dstap {

SystemClock::SystemClock()
    : start_(std::chrono::steady_clock::now()),
      start_unix_(std::chrono::system_clock::now().time_since_epoch()) {}

Time SystemClock::Now() const { return std::chrono::steady_clock::now() - start_; }

}  // namespace dstap
