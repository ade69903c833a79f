// A filter as it is run: comparisons, each of which says where to go next. No stack, no recursion,
// nothing allocated, and every comparison is made at most once.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "proto/filter/fields.h"
#include "proto/filter/glob.h"
#include "proto/filter/operators.h"

namespace dstap::filter {

// One comparison of a field with what was written. By its kind one of the last three is used.
struct Condition {
  const Field* field = nullptr;
  Operator op = Operator::kIn;  // Of numbers: an order, or one of these.
  bool is_negated = false;      // Of texts and of numbers that have no order: none of these.
  bool holds_if_absent = false;
  NameSet set = 0;  // That hold.
  std::vector<Int128> numbers = {};
  std::vector<Glob> globs = {};

  bool Holds(const Subject& subject) const;
};

using NodeIndex = uint32_t;
inline constexpr NodeIndex kMatch = std::numeric_limits<NodeIndex>::max();
inline constexpr NodeIndex kNoMatch = kMatch - 1;

struct Node {
  Condition condition;
  // By whether it holds: a later node, kMatch or kNoMatch.
  std::array<NodeIndex, 2> next = {kNoMatch, kMatch};
};

struct Program {
  std::vector<Node> nodes;  // Not empty; begins at the first.
  bool asks_for_steps = false;

  bool Matches(const Subject& subject) const {
    NodeIndex at = 0;
    while (at < kNoMatch) at = nodes[at].next[nodes[at].condition.Holds(subject) ? 1 : 0];
    return at == kMatch;
  }
};

}  // namespace dstap::filter
