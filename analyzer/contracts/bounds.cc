#include "analyzer/contracts/bounds.h"

#include <fmt/format.h>

#include "analyzer/render/format.h"
#include "proto/base/escape.h"
#include "proto/filter/quantity.h"

namespace dstap::analyzer {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view ExampleOf(BoundsUnit unit) {
  switch (unit) {
    case BoundsUnit::kCount:
      return R"(2, "1..3", "..3" or "2..")";
    case BoundsUnit::kTime:
      return R"("1s", "0.9s..1.1s", "..250ms" or "1s..")";
    case BoundsUnit::kPercent:
      return R"("..25%")";
  }
  return "a number";
}

Result<uint64_t> ParseOne(std::string_view text, BoundsUnit unit) {
  if (unit == BoundsUnit::kPercent && text.ends_with('%'))
    text = Trim(text.substr(0, text.size() - 1));
  const auto kind =
      unit == BoundsUnit::kTime ? filter::FieldKind::kTime : filter::FieldKind::kNumber;
  DSTAP_TRY_ASSIGN(const filter::Int128 value, filter::QuantityOf(text, kind));
  if (value < 0 || value > INT64_MAX) {
    return Status(ErrorCode::kUsage, fmt::format("\"{}\" is too large", Escape(text)));
  }
  return static_cast<uint64_t>(value);
}

std::string Write(uint64_t value, BoundsUnit unit) {
  if (unit == BoundsUnit::kTime) {
    // What three decimals of a second do not hold is written whole.
    const Time time(static_cast<int64_t>(value));
    return value % 1'000'000 == 0 ? FormatShortSeconds(time) + "s" : fmt::format("{}ns", value);
  }
  return fmt::format("{}{}", value, unit == BoundsUnit::kPercent ? "%" : "");
}

}  // namespace

Result<Bounds> ParseBounds(std::string_view text, BoundsUnit unit) {
  text = Trim(text);
  const auto wrong = [&](std::string_view why) {
    return Status(ErrorCode::kUsage,
                  fmt::format("\"{}\" {}; write {}", Escape(text), why, ExampleOf(unit)));
  };
  const auto one = [&](std::string_view part) -> Result<uint64_t> {
    Result<uint64_t> value = ParseOne(Trim(part), unit);
    return value.ok() ? value : wrong("is no amount");
  };
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    DSTAP_TRY_ASSIGN(const uint64_t value, one(text));
    return Bounds{.min = value, .max = value};
  }
  const std::string_view low = Trim(text.substr(0, dots));
  const std::string_view high = Trim(text.substr(dots + 2));
  if (low.empty() && high.empty()) return wrong("limits nothing");
  Bounds bounds;
  if (!low.empty()) {
    DSTAP_TRY_ASSIGN(bounds.min, one(low));
  }
  if (!high.empty()) {
    DSTAP_TRY_ASSIGN(bounds.max, one(high));
    if (*bounds.max < bounds.min) return wrong("ends below its beginning");
  }
  return bounds;
}

std::string WriteBounds(const Bounds& bounds, BoundsUnit unit) {
  if (bounds.max == bounds.min) return Write(bounds.min, unit);
  return fmt::format("{}..{}", bounds.min == 0 && bounds.max ? "" : Write(bounds.min, unit),
                     bounds.max ? Write(*bounds.max, unit) : "");
}

std::string ShowQuantity(uint64_t value, BoundsUnit unit) {
  switch (unit) {
    case BoundsUnit::kTime:
      return FormatShortSeconds(Time(static_cast<int64_t>(value))) + " s";
    case BoundsUnit::kPercent:
      return fmt::format("{} %", value);
    case BoundsUnit::kCount:
      break;
  }
  return fmt::format("{}", value);
}

std::string ShowBounds(const Bounds& bounds, BoundsUnit unit) {
  if (!bounds.max) return fmt::format("at least {}", ShowQuantity(bounds.min, unit));
  if (*bounds.max == bounds.min) return ShowQuantity(bounds.min, unit);
  if (bounds.min == 0) return fmt::format("at most {}", ShowQuantity(*bounds.max, unit));
  return fmt::format("{} to {}", ShowQuantity(bounds.min, unit), ShowQuantity(*bounds.max, unit));
}

}  // namespace dstap::analyzer
