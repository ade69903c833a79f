// Numbers as a filter writes them: "301", "250ms", "1.5MiB".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "proto/base/status.h"
#include "proto/filter/fields.h"

namespace dstap::filter {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

// Smallest first. Times: of a nanosecond.
std::span<const Unit> TimeUnits();
std::span<const Unit> SizeUnits();

// What `text` is as a value of a field of this kind: kNumber, kTime, kSize or kHash. Exact, at most
// 2^64 - 1. Errors: kUsage with what it is not, and how one is written.
Result<Int128> QuantityOf(std::string_view text, FieldKind kind);

}  // namespace dstap::filter
