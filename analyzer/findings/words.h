// Numbers in sentences.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/findings/finding.h"
#include "proto/base/clock.h"

namespace dstap::analyzer {

// "0.25 s", "7 s": at most three decimals, without zeros at the end.
std::string Seconds(Time time);

// "1 write", "12 writes", "2 tries".
std::string Count(uint64_t count, std::string_view what);

// "98.4 %".
inline std::string Percent(uint64_t part, uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  const auto tenths = static_cast<uint64_t>(std::lround(share * 1000));
  return tenths % 10 == 0 ? fmt::format("{} %", tenths / 10)
                          : fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

// "1.5 MiB", "350 KiB", "120 bytes".
std::string Bytes(uint64_t bytes);

}  // namespace dstap::analyzer
