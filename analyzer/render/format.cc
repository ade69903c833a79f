#include "analyzer/render/format.h"

#include <fmt/format.h>

#include <cstdlib>

#include "proto/base/escape.h"

namespace dstap::analyzer {

int64_t RoundToMs(Time time) {
  const int64_t ns = time.count();
  const int64_t ms = ns / 1'000'000;
  const int64_t rest = ns % 1'000'000;
  if (rest >= 500'000) return ms + 1;
  if (rest <= -500'000) return ms - 1;
  return ms;
}

std::string FormatSeconds(Time time) {
  const int64_t ms = RoundToMs(time);
  return fmt::format("{}{}.{:03}", ms < 0 ? "-" : "", std::abs(ms / 1000), std::abs(ms % 1000));
}

std::string FormatShortSeconds(Time time) {
  std::string text = FormatSeconds(time);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

double SecondsNumber(Time time) { return static_cast<double>(RoundToMs(time)) / 1000.0; }

std::string FormatTimes(const TimeRange& times) {
  if (times.count == 1) return FormatSeconds(times.median) + " (range only)";
  return fmt::format("{} ({} to {})", FormatSeconds(times.median), FormatSeconds(times.min),
                     FormatSeconds(times.max));
}

std::string FormatRange(Range range) {
  if (range.min == range.max) return fmt::format("{}", range.min);
  return fmt::format("{} {} {}", range.min, range.max - range.min == 1 ? "or" : "to", range.max);
}

std::string_view MethodLabel(std::string_view column) {
  return column == "past" ? "GetAsync past the cache" : column;
}

std::string FormatRequests(const std::vector<NamedRange>& requests) {
  std::string text;
  for (const NamedRange& request : requests) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", FormatRange(request.range), MethodLabel(request.name));
  }
  return text.empty() ? "none" : text;
}

std::string ShortText(std::string_view text) {
  constexpr size_t kMax = 1000;
  if (text.size() <= kMax) return Escape(text);
  return fmt::format("{}... ({} bytes)", Escape(text.substr(0, kMax)), text.size());
}

std::string FormatValues(const StepRow& row) {
  std::string text;
  for (const auto& [value, count] : row.values_seen) {
    text += fmt::format("{}{} in {} of {}", text.empty() ? "" : ", ", Escape(value), count,
                        row.samples);
  }
  if (row.values_other > 0) text += fmt::format(", others in {}", row.values_other);
  return text;
}

std::string FormatGap(const Throttling& throttling) {
  std::string parts;
  const auto add = [&parts](uint64_t count, std::string_view what) {
    if (count == 0) return;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  add(throttling.in_flight, "in flight");
  add(throttling.rejected, "rejected");
  add(throttling.unknown, "unknown");
  if (parts.empty()) return fmt::format("{}", throttling.gap());
  return fmt::format("{} ({})", throttling.gap(), parts);
}

}  // namespace dstap::analyzer
