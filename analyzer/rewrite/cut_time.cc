#include "analyzer/rewrite/cut_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

// Takes digits from the front.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  int64_t number = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// Takes ".25" from the front: a part of `whole`, which is a power of ten times a small number.
std::optional<int64_t> TakeFraction(std::string_view& text, int64_t whole) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  size_t digits = 0;
  __extension__ using Wide = __int128;
  Wide sum = 0;
  Wide scale = 1;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 9) return std::nullopt;
    sum = sum * 10 + (text[digits] - '0');
    scale *= 10;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<int64_t>(sum * whole / scale);
}

struct Unit {
  std::string_view name;
  int64_t ns;
};
// Longer names before those they begin with.
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};

std::optional<int64_t> ParseDuration(std::string_view text) {
  int64_t sum = 0;
  int64_t smallest = std::numeric_limits<int64_t>::max();
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::optional<int64_t> number = TakeNumber(text);
    if (!number) return std::nullopt;
    std::string_view fraction = text;
    while (!text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
      text.remove_prefix(1);
    }
    fraction.remove_suffix(text.size());
    int64_t unit = 1'000'000'000;
    if (!text.empty()) {
      const auto* found = std::ranges::find_if(
          kUnits, [&](const Unit& each) { return text.starts_with(each.name); });
      if (found == kUnits.end()) return std::nullopt;
      unit = found->ns;
      text.remove_prefix(found->name.size());
    } else if (smallest != std::numeric_limits<int64_t>::max()) {
      return std::nullopt;  // "1m30": of what?
    }
    if (unit >= smallest) return std::nullopt;  // "1s1m", "1s1s"
    smallest = unit;
    const std::optional<int64_t> part = TakeFraction(fraction, unit);
    if (!part || !fraction.empty()) return std::nullopt;
    int64_t whole = 0;
    if (__builtin_mul_overflow(*number, unit, &whole) || __builtin_add_overflow(sum, whole, &sum) ||
        __builtin_add_overflow(sum, *part, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

// "2026-05-01T12:00:00.5Z"
std::optional<int64_t> ParseDate(std::string_view text) {
  std::array<int64_t, 6> fields{};
  constexpr std::string_view kAfter = "--T::";
  for (size_t i = 0; i < fields.size(); ++i) {
    const size_t width = i == 0 ? 4 : 2;
    if (text.size() < width) return std::nullopt;
    std::string_view digits = text.substr(0, width);
    const std::optional<int64_t> number = TakeNumber(digits);
    if (!number || !digits.empty()) return std::nullopt;
    fields[i] = *number;
    text.remove_prefix(width);
    if (i == kAfter.size()) break;
    if (!text.starts_with(kAfter[i])) return std::nullopt;
    text.remove_prefix(1);
  }
  const std::optional<int64_t> part = TakeFraction(text, 1'000'000'000);
  if (!part || text != "Z") return std::nullopt;
  using namespace std::chrono;  // NOLINT(google-build-using-namespace)
  const year_month_day day{year(static_cast<int>(fields[0])),
                           month(static_cast<unsigned>(fields[1])),
                           std::chrono::day(static_cast<unsigned>(fields[2]))};
  const bool fits = fields[0] >= 1970 && fields[0] <= 2200 && day.ok() && fields[3] < 24 &&
                    fields[4] < 60 && fields[5] < 60;
  if (!fits) return std::nullopt;
  const auto at = sys_days(day) + hours(fields[3]) + minutes(fields[4]) + seconds(fields[5]);
  return nanoseconds(at.time_since_epoch()).count() + *part;
}

}  // namespace

Result<Time> CutTime::In(const v1::Header& header) const {
  if (!is_date) return Time(ns);
  if (header.clock() != v1::CLOCK_KIND_WALL) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: the recording's time is virtual and has no dates; say how long "
                              "after its beginning, as in \"90s\"",
                              Escape(text)));
  }
  return Time(ns - header.start_unix_ns());
}

Result<CutTime> ParseCutTime(std::string_view text) {
  if (const std::optional<int64_t> ns = ParseDuration(text)) {
    return CutTime{.ns = *ns, .is_date = false, .text = std::string(text)};
  }
  if (const std::optional<int64_t> ns = ParseDate(text)) {
    return CutTime{.ns = *ns, .is_date = true, .text = std::string(text)};
  }
  return Status(ErrorCode::kUsage,
                fmt::format("\"{}\" is no time; write one as 90s, 1m30s, 250ms or "
                            "2026-05-01T12:00:00Z",
                            Escape(text)));
}

}  // namespace dstap::analyzer
