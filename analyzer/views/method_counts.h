// Calls counted by method.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/timeline/names.h"
#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// A column a method, and one for GetAsync past the cache (use_cache false), which costs a request
// where a plain GetAsync may not.
inline constexpr size_t kPastColumn = kMethodCount;
inline constexpr size_t kMethodColumns = kMethodCount + 1;

using MethodCounts = std::array<uint32_t, kMethodColumns>;

// Of a Call or a CallSummary.
template <typename T>
constexpr size_t ColumnOf(const T& call) {
  if (call.method == Method::kGetAsync && call.use_cache == UseCache::kFalse) return kPastColumn;
  return static_cast<size_t>(call.method);
}

// "past" for GetAsync past the cache.
inline std::string_view NameOfColumn(size_t column) {
  return column == kPastColumn ? "past" : NameOf(static_cast<Method>(column));
}

// Whether the column is of a method that spends DataStore budgets.
constexpr bool IsDataStoreColumn(size_t column) {
  return column == kPastColumn || IsDataStore(static_cast<Method>(column));
}

// Columns as they are listed: UpdateAsync first, since it is what most libraries live on, then the
// order of the methods, with GetAsync past the cache behind GetAsync.
inline constexpr std::array<size_t, kMethodColumns> kColumnOrder = [] {
  std::array<size_t, kMethodColumns> order{};
  size_t n = 0;
  order[n++] = static_cast<size_t>(Method::kUpdateAsync);
  order[n++] = static_cast<size_t>(Method::kGetAsync);
  order[n++] = kPastColumn;
  for (size_t column = 0; column < kMethodCount; ++column) {
    if (column != order[0] && column != order[1]) order[n++] = column;
  }
  return order;
}();

}  // namespace dstap::analyzer
