// "2", "1..3", "..3", "2..": how much a contract allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/base/status.h"

namespace dstap::analyzer {

enum class BoundsUnit : uint8_t {
  kCount,
  kTime,     // Nanoseconds, written as "250ms" or "1.5s".
  kPercent,  // Written with or without a % sign.
};

// Both ends belong to it.
struct Bounds {
  uint64_t min = 0;
  std::optional<uint64_t> max = {};  // Absent: no limit.

  bool Has(uint64_t value) const { return value >= min && (!max || value <= *max); }

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// Errors: kUsage with what `text` is not, and how one is written.
Result<Bounds> ParseBounds(std::string_view text, BoundsUnit unit);

// As a contract writes them, and as a table shows them: "2", "1..3", "at most 1.5 s".
std::string WriteBounds(const Bounds& bounds, BoundsUnit unit);
std::string ShowBounds(const Bounds& bounds, BoundsUnit unit);

// "3", "0.25 s", "12 %".
std::string ShowQuantity(uint64_t value, BoundsUnit unit);

}  // namespace dstap::analyzer
