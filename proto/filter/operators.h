// What a filter can compare with: a table with a row each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/filter/fields.h"

namespace dstap::filter {

enum class Operator : uint8_t {
  kEqual,
  kNotEqual,
  kLike,
  kNotLike,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIn,
};

// What can be asked of a kind of field.
enum class Asks : uint8_t {
  kEquality,  // Any.
  kPattern,   // Text and names.
  kOrder,     // Numbers, times and sizes.
};

struct OperatorRow {
  std::string_view text;
  Operator op;
  Asks asks;
  std::string_view meaning;  // For a table of docs/filter.md.
};

// In the order of docs/filter.md.
inline constexpr std::array kOperators = {
    OperatorRow{"==", Operator::kEqual, Asks::kEquality, "is this value"},
    OperatorRow{"!=", Operator::kNotEqual, Asks::kEquality, "is there, and is another value"},
    OperatorRow{"in", Operator::kIn, Asks::kEquality,
                "is one of these: `method in (GetAsync, SetAsync)`"},
    OperatorRow{"~", Operator::kLike, Asks::kPattern,
                "is like this pattern: `*` stands for any bytes or none, `?` for one"},
    OperatorRow{"!~", Operator::kNotLike, Asks::kPattern, "is there, and is not like this pattern"},
    OperatorRow{"<", Operator::kLess, Asks::kOrder, "is less"},
    OperatorRow{"<=", Operator::kLessOrEqual, Asks::kOrder, "is not more"},
    OperatorRow{">", Operator::kGreater, Asks::kOrder, "is more"},
    OperatorRow{">=", Operator::kGreaterOrEqual, Asks::kOrder, "is not less"},
};

constexpr bool Takes(FieldKind kind, Asks asks) {
  switch (asks) {
    case Asks::kEquality:
      return true;
    case Asks::kPattern:
      return kind == FieldKind::kText || kind == FieldKind::kName;
    case Asks::kOrder:
      return kind == FieldKind::kNumber || kind == FieldKind::kTime || kind == FieldKind::kSize;
  }
  return false;
}

// Null: there is none that is written so.
inline const OperatorRow* FindOperator(std::string_view text) {
  const auto found = std::ranges::find(kOperators, text, &OperatorRow::text);
  return found == kOperators.end() ? nullptr : &*found;
}

// "==, !=, in, ~, !~"
inline std::string OperatorsOf(FieldKind kind) {
  std::string text;
  for (const OperatorRow& row : kOperators) {
    if (!Takes(kind, row.asks)) continue;
    if (!text.empty()) text += ", ";
    text += row.text;
  }
  return text;
}

}  // namespace dstap::filter
