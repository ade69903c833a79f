// A point in a recording, as a person names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"

namespace dstap::analyzer {

struct CutTime {
  // Nanoseconds: of Unix time, or since the recording began.
  int64_t ns = 0;
  bool is_date = false;
  std::string text;  // As it was given.

  // In a recording with this header. kUsage for a date in a recording whose time is virtual.
  Result<Time> In(const v1::Header& header) const;
};

// "90s", "1m30s", "250ms", "1.5h", "90" (seconds), or a date in UTC: "2026-05-01T12:00:00Z", with
// up to nine digits of a second.
//
// Errors: kUsage.
Result<CutTime> ParseCutTime(std::string_view text);

}  // namespace dstap::analyzer
