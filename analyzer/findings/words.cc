#include "analyzer/findings/words.h"

#include <chrono>

namespace dstap::analyzer {

std::string Seconds(Time time) {
  const bool is_negative = time < Time(0);
  const int64_t rest = time.count() % 1'000'000;
  int64_t ms = time.count() / 1'000'000;
  ms = is_negative ? -ms + (rest <= -500'000 ? 1 : 0) : ms + (rest >= 500'000 ? 1 : 0);
  std::string text = fmt::format("{}{}.{:03}", is_negative ? "-" : "", ms / 1000, ms % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string Count(uint64_t count, std::string_view what) {
  if (count == 1) return fmt::format("1 {}", what);
  if (what.ends_with("ry")) {
    return fmt::format("{} {}ies", count, what.substr(0, what.size() - 1));
  }
  return fmt::format("{} {}s", count, what);
}

std::string Bytes(uint64_t bytes) {
  constexpr uint64_t kKib = 1024;
  const auto tenths = [bytes](uint64_t unit, std::string_view name) {
    const uint64_t value = (bytes * 10 + unit / 2) / unit;
    return value % 10 == 0 ? fmt::format("{} {}", value / 10, name)
                           : fmt::format("{}.{} {}", value / 10, value % 10, name);
  };
  if (bytes < kKib) return Count(bytes, "byte");
  if (bytes < kKib * kKib) return tenths(kKib, "KiB");
  return tenths(kKib * kKib, "MiB");
}

}  // namespace dstap::analyzer
