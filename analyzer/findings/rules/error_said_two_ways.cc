#include <array>
#include <map>
#include <set>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

bool IsNumber(std::string_view shape) {
  return !shape.empty() && std::ranges::all_of(shape, [](char c) { return c >= '0' && c <= '9'; });
}

// Limits: kShapesMax ways to say an error.
class ErrorSaidTwoWays final : public Rule {
 public:
  using Rule::Rule;

  void OnCall(const SeenCall& seen) override {
    if (seen.error == ErrorClass::kNone || seen.error == ErrorClass::kOther) return;
    std::string shape = ShapeOf(seen.call);
    // Names differ by budget and method; that they are names is what matters.
    if (!IsNumber(shape) && shape != "words") shape = "a name";
    Said& said = by_class_[seen.error];
    if (said.shapes.size() < kShapesMax) said.shapes.insert(shape);
    said.evidence.Add(seen.call.id);
    if (said.evidence.count == 1) said.time = seen.issued();
    if (!IsNumber(shape) || (numbers_.size() >= kShapesMax && !numbers_.contains(shape))) return;
    Number& number = numbers_[shape];
    ++number.classes[seen.error];
    if (number.evidence.count == 0) number.time = seen.issued();
    number.evidence.Add(seen.call.id);
  }

  void OnRecordingEnd(const Recording& /*recording*/) override {
    for (auto& [name, number] : numbers_) {
      if (number.classes.size() < 2) continue;
      std::string list;
      for (const auto& [error, count] : number.classes) {
        list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", NameOf(error), count);
      }
      Report({.confidence = Confidence::kObserved,
              .severity = Severity::kWarning,
              .text = fmt::format("the number {} stood for {} kinds of error: {}", name,
                                  number.classes.size(), list),
              .evidence = std::move(number.evidence),
              .time = number.time,
              .weight = 100.0 + static_cast<double>(number.classes.size())});
    }
    for (auto& [error, said] : by_class_) {
      if (said.shapes.size() < 2) continue;
      std::string list;
      for (const std::string& shape : said.shapes) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", shape);
      }
      Report({.confidence = Confidence::kObserved,
              .severity = std::nullopt,
              .text = fmt::format("one kind of error, {}, was said in {} ways: {}", NameOf(error),
                                  said.shapes.size(), list),
              .evidence = std::move(said.evidence),
              .time = said.time,
              .weight = static_cast<double>(said.shapes.size())});
    }
  }

 private:
  static constexpr size_t kShapesMax = 64;
  struct Said {
    std::set<std::string> shapes;
    Evidence evidence;
    Time time{};
  };
  struct Number {
    std::map<ErrorClass, uint64_t> classes;
    Evidence evidence;
    Time time{};
  };

  std::map<ErrorClass, Said> by_class_;
  std::map<std::string, Number> numbers_;
};

}  // namespace

constinit const RuleEntry kErrorSaidTwoWays = {
    .id = "error-number-misleads",
    .severity = Severity::kNote,
    .title = "An error's number does not say what happened",
    .meaning =
        "502 alone stands for at least three things (no access, a key that is throttled, a "
        "value that is refused), and since 2026 many errors have a name and no number. Code "
        "that looks at the number treats one thing in two ways or two things alike.",
    .evidence =
        "Errors of one kind, by their text and inner code, with and without a number or with "
        "two numbers; a warning for one number with errors of several kinds.",
    .fix = "Look at the text and at the inner code, for the old and the new wording.",
    .source = "Error codes of the platform's documentation; field reports of both wordings",
    .make = &MakeRule<ErrorSaidTwoWays>};

}  // namespace dstap::analyzer
