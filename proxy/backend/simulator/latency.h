// How long the service takes.
#pragma once

#include <cstdint>

#include "proto/base/clock.h"
#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {

// Which draw is meant. The same three numbers always give the same latency, whatever else happens,
// so traffic of one server never moves another's times.
struct LatencyDraw {
  SourceId source = 0;
  uint64_t request = 0;  // Counted by source, from 1.
  uint32_t part = 0;     // 0: the read; n: the n-th write of an UpdateAsync.
};

// Threads: not thread-safe only in that it is const after construction: use it from anywhere.
// Limits:  integers only, no library functions: the same nanoseconds on every machine.
class LatencyModel {
 public:
  LatencyModel(const RuleProfile& rules, uint64_t seed);

  // Lognormal within [low, high]; a few are tail_times as long.
  Time Draw(const LatencyRules& rules, LatencyDraw draw) const;

 private:
  uint64_t seed_;
  int64_t factor_permille_;
  int64_t tail_permille_;
  int64_t tail_times_;
};

// e^x for x in units of 2^-30, result in units of 2^-30; for |x| <= 8. Exposed for its test.
int64_t ExpFixed(int64_t x);

}  // namespace dstap::proxy
