// How values are written. Independent of the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/views/steps.h"
#include "analyzer/views/traffic.h"

namespace dstap::analyzer {

// Milliseconds, rounded half away from zero.
int64_t RoundToMs(Time time);

// "0.083", "-1.500": seconds with three decimals.
std::string FormatSeconds(Time time);

// The same without zeros at the end: "0", "5.25", "0.017".
std::string FormatShortSeconds(Time time);

// The number nearest to the three decimals of FormatSeconds.
double SecondsNumber(Time time);

// "0.083 (0.067 to 0.100)"; of one sample "0.083 (range only)".
std::string FormatTimes(const TimeRange& times);

// "1", "1 or 2", "1 to 5".
std::string FormatRange(Range range);

// "UpdateAsync", "GetAsync past the cache".
std::string_view MethodLabel(std::string_view column);

// "1 or 2 UpdateAsync, 1 GetAsync past the cache"; "none".
std::string FormatRequests(const std::vector<NamedRange>& requests);

// Escaped, and cut after 1,000 bytes: an error's text can be as long as a value.
std::string ShortText(std::string_view text);

// "777 in 1 of 5, 888 in 4 of 5"; empty: nothing was observed.
std::string FormatValues(const StepRow& row);

// "3 (2 in flight, 1 unknown)"; "0".
std::string FormatGap(const Throttling& throttling);

}  // namespace dstap::analyzer
