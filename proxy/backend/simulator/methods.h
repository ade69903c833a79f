// The methods that the simulator answers: what each spends and whether it changes anything.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dstap/v1/capture.pb.h"
#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {

struct MethodRow {
  // What a request's time is drawn from.
  enum class Latency : uint8_t { kNone, kRead, kWrite, kList };
  // Of which direction of its key's throughput a request counts.
  enum class Counts : uint8_t { kRead, kWrite, kNothing };

  // UpdateAsync: of its read.
  struct Cost {
    Latency latency;
    Counts counts;
  };

  v1::Method method;
  v1::StoreKind kind;  // Unknown: any.
  // Request types, the read part first; the second is unknown when there is only one. No legacy
  // ones: a method that is younger than they are.
  std::array<v1::RequestType, 2> current;
  std::array<v1::RequestType, 2> legacy;
  Cost cost;
  bool needs_versions = false;  // Not there before versions were.
};

std::span<const MethodRow> Methods();

// Null: not a method of this kind of store under these rules, or one that is not simulated.
const MethodRow* FindMethod(v1::Method method, v1::StoreKind kind, const RuleProfile& rules);

// Why FindMethod() gave none, as a script sees it.
CallError NoMethodError(v1::Method method, v1::StoreKind kind);

}  // namespace dstap::proxy
