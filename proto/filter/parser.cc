#include "proto/filter/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "proto/filter/nearest.h"
#include "proto/filter/quantity.h"
#include "proto/filter/shown.h"

namespace dstap::filter {
namespace {

constexpr std::string_view kNone = "none";

struct Spoken {
  std::string_view word;
  std::string_view symbol;
};
constexpr std::array kSpoken = {Spoken{"and", "&&"}, Spoken{"or", "||"}, Spoken{"not", "!"},
                                Spoken{"AND", "&&"}, Spoken{"OR", "||"}, Spoken{"NOT", "!"}};

// Empty: the token is no word for a symbol.
std::string_view SymbolFor(const Token& token) {
  if (token.kind != Token::Kind::kWord) return {};
  const auto found = std::ranges::find(kSpoken, token.source, &Spoken::word);
  return found == kSpoken.end() ? std::string_view() : found->symbol;
}

std::string_view ExampleOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kText:
      return "Player_1 or \"any text\"";
    case FieldKind::kName:
      return "a name";
    case FieldKind::kFlag:
      return "true or false";
    case FieldKind::kNumber:
      return "301";
    case FieldKind::kTime:
      return "1s or 250ms";
    case FieldKind::kSize:
      return "900 or 4KB";
    case FieldKind::kHash:
      return "16 hexadecimal digits";
  }
  return "a value";
}

void Append(std::vector<auto>& to, const std::vector<auto>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

NameSet AllOf(const Field& field) {
  NameSet all = 0;
  const std::span<const std::string_view> names = field.names();
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) all |= NameSet{1} << i;
  }
  return all;
}

bool IsNegation(Operator op) { return op == Operator::kNotEqual || op == Operator::kNotLike; }
bool IsPattern(Operator op) { return op == Operator::kLike || op == Operator::kNotLike; }

bool IsOrder(Operator op) {
  return op == Operator::kLess || op == Operator::kLessOrEqual || op == Operator::kGreater ||
         op == Operator::kGreaterOrEqual;
}

std::vector<std::string_view> NamesOfFields() {
  std::vector<std::string_view> names;
  for (const Field& field : AllFields()) names.push_back(field.name);
  return names;
}

}  // namespace

Result<Program> Parser::Parse() {
  if (text_.size() > kFilterBytesMax) {
    return Status(ErrorCode::kUsage,
                  fmt::format("column {}: a filter ends at {} bytes, and this one has {}; ask for "
                              "less, or filter twice",
                              ColumnOf(text_, kFilterBytesMax), kFilterBytesMax, text_.size()));
  }
  DSTAP_TRY(Advance());
  DSTAP_TRY_ASSIGN(const Part whole, Or());
  if (token_.Is(")")) return Wrong("\")\" closes nothing; remove it, or write a \"(\" before");
  if (token_.kind != Token::Kind::kEnd) {
    const std::string_view symbol = SymbolFor(token_);
    return Wrong(symbol.empty()
                     ? fmt::format("{}; && or || must stand before another condition", Found())
                     : fmt::format("{}; write {}", Found(), symbol));
  }
  LeadTo(whole.when_true, kMatch);
  LeadTo(whole.when_false, kNoMatch);
  return std::move(program_);
}

Result<Parser::Part> Parser::Or() {
  DSTAP_TRY_ASSIGN(Part part, And());
  while (token_.Is("||")) {
    DSTAP_TRY(Advance());
    LeadTo(part.when_false, NextNode());
    DSTAP_TRY_ASSIGN(Part next, And());
    Append(part.when_true, next.when_true);
    part.when_false = std::move(next.when_false);
  }
  return part;
}

Result<Parser::Part> Parser::And() {
  DSTAP_TRY_ASSIGN(Part part, Not());
  while (token_.Is("&&")) {
    DSTAP_TRY(Advance());
    LeadTo(part.when_true, NextNode());
    DSTAP_TRY_ASSIGN(Part next, Not());
    Append(part.when_false, next.when_false);
    part.when_true = std::move(next.when_true);
  }
  return part;
}

Result<Parser::Part> Parser::Not() {
  bool is_negated = false;
  for (; token_.Is("!"); is_negated = !is_negated) DSTAP_TRY(Advance());
  DSTAP_TRY_ASSIGN(Part part, token_.Is("(") ? Group() : Comparison());
  if (is_negated) std::swap(part.when_true, part.when_false);
  return part;
}

Result<Parser::Part> Parser::Group() {
  const size_t begin = token_.offset;
  if (++depth_ > kDepthMax) {
    return Wrong(fmt::format("more than {} parentheses in each other; remove some", kDepthMax));
  }
  DSTAP_TRY(Advance());
  DSTAP_TRY_ASSIGN(Part part, Or());
  if (!token_.Is(")")) {
    const std::string_view symbol = SymbolFor(token_);
    if (!symbol.empty()) return Wrong(fmt::format("{}; write {}", Found(), symbol));
    return Wrong(fmt::format("{}; \")\" must close the \"(\" of column {}", Found(),
                             ColumnOf(text_, begin)));
  }
  --depth_;
  DSTAP_TRY(Advance());
  return part;
}

Result<Parser::Part> Parser::Comparison() {
  DSTAP_TRY_ASSIGN(const Field* const field, TakeField());
  program_.asks_for_steps = program_.asks_for_steps || field->is_of_step;
  Condition condition{.field = field};
  const bool is_alone =
      token_.kind == Token::Kind::kEnd || token_.Is(")") || token_.Is("&&") || token_.Is("||");
  if (field->kind == FieldKind::kFlag && is_alone) {
    condition.set = NameSet{1} << 1;
  } else {
    DSTAP_TRY_ASSIGN(const OperatorRow* const row, TakeOperator(*field));
    if (IsOrder(row->op)) condition.op = row->op;
    DSTAP_TRY(row->op == Operator::kIn ? TakeList(condition) : TakeValue(row->op, condition));
    condition.is_negated = IsNegation(row->op);
    if (condition.is_negated && field->names != nullptr) {
      condition.set = AllOf(*field) & ~condition.set;
    }
    // What is absent is no value: only "none" asks for it.
    if (condition.is_negated) condition.holds_if_absent = false;
  }
  const NodeIndex node = NextNode();
  program_.nodes.push_back({.condition = std::move(condition)});
  return Part{.when_true = {{node, true}}, .when_false = {{node, false}}};
}

Result<const Field*> Parser::TakeField() {
  constexpr std::string_view kExample = "outcome != ok";
  if (token_.kind == Token::Kind::kQuoted) {
    return Wrong(fmt::format("{}; the field stands first: key == Player_1", Found()));
  }
  if (token_.kind != Token::Kind::kWord) {
    return Wrong(fmt::format("{}; a condition must stand here: {}", Found(), kExample));
  }
  const std::string_view word = token_.source;
  if (const Field* field = FindField(word)) {
    if (field->is_of_step && !options_.has_steps) {
      return Wrong(
          fmt::format("{} is not known while recording; ask for source, store, key or "
                      "caller instead",
                      word));
    }
    DSTAP_TRY(Advance());
    return field;
  }
  if (const std::string_view symbol = SymbolFor(token_); !symbol.empty()) {
    return Wrong(symbol == "!"
                     ? fmt::format("{}; write !", Found())
                     : fmt::format("{}; a condition must stand before {}", Found(), symbol));
  }
  if (word.front() >= '0' && word.front() <= '9') {
    return Wrong(fmt::format("{}; the field stands first: queue > 5s", Found()));
  }
  const auto same = std::ranges::find(AllFields(), word, &Field::json);
  if (same != AllFields().end()) {
    return Wrong(fmt::format("{} is no field; here it is called {}", Shown(word), same->name));
  }
  const std::vector<std::string_view> names = NamesOfFields();
  if (const std::string_view near = Nearest(word, names); !near.empty()) {
    return Wrong(fmt::format("{} is no field; did you mean {}?", Shown(word), near));
  }
  return Wrong(fmt::format("{} is no field; there are {}", Shown(word), fmt::join(names, ", ")));
}

Result<const OperatorRow*> Parser::TakeOperator(const Field& field) {
  const bool can_be = token_.kind == Token::Kind::kSymbol || token_.kind == Token::Kind::kWord;
  const OperatorRow* const row = can_be ? FindOperator(token_.source) : nullptr;
  if (row == nullptr) {
    if (SymbolFor(token_) == "!") {
      return Wrong(
          fmt::format("{}; write ! before the whole: !({} in (...))", Found(), field.name));
    }
    return Wrong(fmt::format("{}; behind {} must stand one of {}", Found(), field.name,
                             OperatorsOf(field.kind)));
  }
  if (!Takes(field.kind, row->asks)) {
    return Wrong(fmt::format("{} is not for a {}; {} takes {}", row->text, NameOf(field.kind),
                             field.name, OperatorsOf(field.kind)));
  }
  DSTAP_TRY(Advance());
  return row;
}

Status Parser::TakeList(Condition& condition) {
  if (!token_.Is("(")) {
    return Wrong(fmt::format("{}; behind in must stand a list: (a, b)", Found()));
  }
  do {
    DSTAP_TRY(Advance());
    DSTAP_TRY(TakeValue(Operator::kIn, condition));
  } while (token_.Is(","));
  if (!token_.Is(")")) {
    return Wrong(fmt::format("{}; \",\" or \")\" must stand behind a value of a list", Found()));
  }
  return Advance();
}

Status Parser::TakeValue(Operator op, Condition& condition) {
  const Field& field = *condition.field;
  if (token_.kind != Token::Kind::kWord && token_.kind != Token::Kind::kQuoted) {
    return Wrong(fmt::format("{}; a value must stand here: {}", Found(), ExampleOf(field.kind)));
  }
  if (token_.IsWord(kNone)) {
    DSTAP_TRY(AddNone(op, condition));
  } else if (field.texts != nullptr) {
    DSTAP_TRY(AddText(op, condition));
  } else if (field.set != nullptr) {
    DSTAP_TRY(AddName(op, condition));
  } else {
    const Result<Int128> number = QuantityOf(token_.text, field.kind);
    if (!number.ok()) return Wrong(number.status().message());
    condition.numbers.push_back(*number);
  }
  return Advance();
}

Status Parser::AddNone(Operator op, Condition& condition) const {
  const Field& field = *condition.field;
  if (field.is_never_absent) {
    const bool has_unknown = field.names != nullptr && field.names().front() == "unknown";
    return Wrong(has_unknown ? fmt::format("{} is never none; what is not known of it is unknown",
                                           field.name)
                             : fmt::format("{} is never none; every call has one", field.name));
  }
  if (IsPattern(op) || IsOrder(op)) {
    return Wrong(
        fmt::format("none is no value; write {0} == none or {0} != none, or \"none\" in "
                    "quotes for the text",
                    field.name));
  }
  condition.holds_if_absent = true;
  return {};
}

Status Parser::AddText(Operator op, Condition& condition) const {
  const Field& field = *condition.field;
  if (token_.text.empty()) {
    return Wrong(fmt::format("a {} is never an empty text; write {} == none for calls without one",
                             field.name, field.name));
  }
  if (!IsPattern(op)) {
    if (token_.kind == Token::Kind::kWord && token_.has_wildcard()) {
      return Wrong(
          fmt::format("{} is a pattern; write {} ~ {}, or put it in quotes if it is the "
                      "text itself",
                      Shown(token_.source), field.name, Shown(token_.source)));
    }
    condition.globs.emplace_back(token_.text);
    return {};
  }
  if (token_.text.size() > kPatternBytesMax) {
    return Wrong(
        fmt::format("a pattern ends at {} bytes, and this one has {}; make it shorter "
                    "with a *",
                    kPatternBytesMax, token_.text.size()));
  }
  condition.globs.emplace_back(token_.text, token_.is_wild);
  return {};
}

Status Parser::AddName(Operator op, Condition& condition) const {
  const Field& field = *condition.field;
  const std::span<const std::string_view> names = field.names();
  const Glob glob = IsPattern(op) ? Glob(token_.text, token_.is_wild) : Glob(token_.text);
  NameSet found = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() && glob.Matches(names[i])) found |= NameSet{1} << i;
  }
  if (found == 0) {
    return NoSuchName(field, IsPattern(op)
                                 ? fmt::format("no {} is like {}", field.name, Shown(token_.text))
                                 : fmt::format("{} is no {}", Shown(token_.text), field.name));
  }
  condition.set |= found;
  return {};
}

Status Parser::NoSuchName(const Field& field, std::string_view what) const {
  constexpr size_t kListedMax = 8;
  if (const std::string_view near = Nearest(token_.text, field.names()); !near.empty()) {
    return Wrong(fmt::format("{}; did you mean {}?", what, near));
  }
  std::vector<std::string_view> names;
  std::ranges::copy_if(field.names(), std::back_inserter(names),
                       [](std::string_view name) { return !name.empty(); });
  const size_t listed = std::min(names.size(), kListedMax);
  std::string list = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed), ", "));
  if (listed < names.size()) list += fmt::format(" and {} others", names.size() - listed);
  return Wrong(fmt::format("{}; there are {}", what, list));
}

Status Parser::Advance() {
  Result<Token> token = lexer_.Next();
  if (!token.ok()) return token.status();
  token_ = *std::move(token);
  return {};
}

void Parser::LeadTo(const std::vector<Exit>& exits, NodeIndex node) {
  for (const Exit& exit : exits) program_.nodes[exit.node].next[exit.holds ? 1 : 0] = node;
}

std::string Parser::Found() const {
  if (token_.kind == Token::Kind::kEnd) {
    return text_.find_first_not_of(" \t\r\n") == std::string_view::npos ? "the filter is empty"
                                                                        : "the filter ends here";
  }
  return "found " + Shown(token_.kind == Token::Kind::kQuoted ? token_.text : token_.source);
}

}  // namespace dstap::filter
