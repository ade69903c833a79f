#include "proto/filter/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "proto/filter/shown.h"

namespace dstap::filter {
namespace {

constexpr std::array kTimeUnits = {Unit{"ns", 1},
                                   Unit{"us", 1'000},
                                   Unit{"ms", 1'000'000},
                                   Unit{"s", 1'000'000'000},
                                   Unit{"m", 60'000'000'000},
                                   Unit{"h", 3'600'000'000'000}};

constexpr std::array kSizeUnits = {
    Unit{"B", 1},         Unit{"KB", 1'000},         Unit{"KiB", 1 << 10}, Unit{"MB", 1'000'000},
    Unit{"MiB", 1 << 20}, Unit{"GB", 1'000'000'000}, Unit{"GiB", 1 << 30}};

constexpr size_t kFractionDigitsMax = 9;
constexpr size_t kHashDigits = 16;

Status Wrong(std::string_view text, std::string_view what) {
  return {ErrorCode::kUsage, fmt::format("{} {}", Shown(text), what)};
}

std::string_view DigitsOf(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

std::optional<uint64_t> Parsed(std::string_view digits, int base) {
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

constexpr std::string_view kTooLarge = "is too large: values end at 18446744073709551615";
constexpr std::string_view kTimeTooLong = "is too long: times end at 292 years";

// "1.5" times a factor.
Result<Int128> Scaled(std::string_view text, std::string_view whole, std::string_view fraction,
                      const Unit& unit, bool is_time) {
  const std::optional<uint64_t> number = Parsed(whole, 10);
  const Int128 max = is_time ? Int128{std::numeric_limits<int64_t>::max()}
                             : Int128{std::numeric_limits<uint64_t>::max()};
  if (!number || Int128{*number} * unit.factor > max) {
    return Wrong(text, is_time ? kTimeTooLong : kTooLarge);
  }
  Int128 part = 0;
  Int128 scale = 1;
  for (const char digit : fraction) {
    part = part * 10 + (digit - '0');
    scale *= 10;
  }
  if (part * unit.factor % scale != 0) {
    return Wrong(text, is_time ? "is finer than a nanosecond" : "is no whole number of bytes");
  }
  return Int128{*number} * unit.factor + part * unit.factor / scale;
}

Result<Int128> MeasureOf(std::string_view text, bool is_time) {
  const Status no_such =
      Wrong(text, is_time ? "is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"
                          : "is no size; write 900, 900B, 4KB, 1.5MiB");
  const std::string_view whole = DigitsOf(text);
  std::string_view rest = text.substr(whole.size());
  std::string_view fraction;
  if (rest.starts_with('.')) {
    fraction = DigitsOf(rest.substr(1));
    if (fraction.empty() || fraction.size() > kFractionDigitsMax) return no_such;
    rest.remove_prefix(1 + fraction.size());
  }
  if (whole.empty()) return no_such;
  // Without a unit: bytes; of times only 0 is the same in all.
  const std::span<const Unit> units = is_time ? TimeUnits() : SizeUnits();
  const bool is_zero = whole.find_first_not_of('0') == std::string_view::npos && fraction.empty();
  const auto unit = rest.empty() && (!is_time || is_zero)
                        ? units.begin()
                        : std::ranges::find(units, rest, &Unit::name);
  if (unit == units.end()) return no_such;
  return Scaled(text, whole, fraction, *unit, is_time);
}

}  // namespace

std::span<const Unit> TimeUnits() { return kTimeUnits; }
std::span<const Unit> SizeUnits() { return kSizeUnits; }

Result<Int128> QuantityOf(std::string_view text, FieldKind kind) {
  if (kind == FieldKind::kTime) return MeasureOf(text, true);
  if (kind == FieldKind::kSize) return MeasureOf(text, false);
  if (kind == FieldKind::kHash) {
    const std::optional<uint64_t> hash = Parsed(text, 16);
    if (!hash || text.size() != kHashDigits) {
      return Wrong(text, "is no hash; write its 16 hexadecimal digits, as \"dstap cat\" has them");
    }
    return Int128{*hash};
  }
  if (text.empty() || DigitsOf(text) != text) return Wrong(text, "is no number; write digits: 301");
  const std::optional<uint64_t> number = Parsed(text, 10);
  if (!number) return Wrong(text, kTooLarge);
  return Int128{*number};
}

}  // namespace dstap::filter
