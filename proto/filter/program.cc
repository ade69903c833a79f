#include "proto/filter/program.h"

#include <algorithm>

namespace dstap::filter {
namespace {

// Any of several texts that makes it true is enough.
bool TextHolds(const Condition& condition, const Subject& subject) {
  const Texts texts = condition.field->texts(subject);
  const auto holds = [&condition](std::string_view text) {
    const auto matches = [text](const Glob& glob) { return glob.Matches(text); };
    return std::ranges::any_of(condition.globs, matches) != condition.is_negated;
  };
  bool is_absent = true;
  if (!texts.first.empty()) {
    if (holds(texts.first)) return true;
    is_absent = false;
  }
  if (texts.others != nullptr) {
    for (const std::string& text : *texts.others) {
      if (text.empty()) continue;
      if (holds(text)) return true;
      is_absent = false;
    }
  }
  return is_absent && condition.holds_if_absent;
}

// A number that still grows is not yet known to be less than, or equal to, anything.
bool NumberHolds(const Condition& condition, const Subject& subject) {
  const Number number = condition.field->number(subject);
  if (number.known == Number::Known::kNo) return condition.holds_if_absent;
  const bool is_final = number.known == Number::Known::kYes;
  const auto& operands = condition.numbers;
  switch (condition.op) {
    case Operator::kLess:
      return is_final && number.value < operands.front();
    case Operator::kLessOrEqual:
      return is_final && number.value <= operands.front();
    case Operator::kGreater:
      return number.value > operands.front();
    case Operator::kGreaterOrEqual:
      return number.value >= operands.front();
    default:
      break;
  }
  if (is_final) {
    return (std::ranges::find(operands, number.value) != operands.end()) != condition.is_negated;
  }
  return condition.is_negated && std::ranges::all_of(operands, [&number](const Int128& operand) {
           return number.value > operand;
         });
}

}  // namespace

bool Condition::Holds(const Subject& subject) const {
  if (field->set != nullptr) {
    const NameSet names = field->set(subject);
    return names == 0 ? holds_if_absent : (names & set) != 0;
  }
  return field->number != nullptr ? NumberHolds(*this, subject) : TextHolds(*this, subject);
}

}  // namespace dstap::filter
