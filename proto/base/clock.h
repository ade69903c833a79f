// Time, passed in and never looked up.
//
// Only a command's Run() constructs a SystemClock. Everything else is told the time with each
// event, so the same code runs under virtual time, where an hour of retries takes a moment and
// always ends the same.
#pragma once

#include <chrono>

namespace dstap {

// Nanoseconds since the recording began. Not a date: two captures share no origin.
using Time = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
};

// The machine's monotonic clock, from 0 at construction. Thread-safe.
class SystemClock final : public Clock {
 public:
  SystemClock();
  Time Now() const override;
  // Unix time at Now() = 0.
  std::chrono::nanoseconds start_unix() const { return start_unix_; }

 private:
  std::chrono::steady_clock::time_point start_;
  std::chrono::nanoseconds start_unix_;
};

}  // namespace dstap
