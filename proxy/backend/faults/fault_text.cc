// The two ways to write a rule down, taken apart into words.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "proto/base/escape.h"
#include "proxy/backend/faults/fault_parser.h"

namespace dstap::proxy {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A value that stands in double quotes from `at` on; leaves `at` behind the closing one. Nothing
// when there is none.
std::optional<std::string> TakeQuoted(std::string_view text, size_t& at) {
  std::string value;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') {
      ++at;
      return value;
    }
    if (text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\')) {
      ++at;
    }
    value += text[at];
  }
  return std::nullopt;
}

std::string TextOf(const FaultWord& word) {
  if (!word.value) return word.name;
  const bool plain = !word.value->empty() && word.value->front() != '"' &&
                     std::ranges::none_of(*word.value, IsSpace);
  if (plain) return word.name + "=" + *word.value;
  std::string quoted;
  for (const char c : *word.value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("{}=\"{}\"", word.name, quoted);
}

Status At(std::string_view name, const toml::source_region& source, std::string what) {
  return {ErrorCode::kUsage, fmt::format("{}:{}: {}", name, source.begin.line, what)};
}

// Numbers are given on as they are written in a rule; what has no such form is refused.
Result<FaultWord> WordOf(std::string key, const toml::node& node, std::string_view name) {
  FaultWord word;
  word.where = fmt::format("{}:{}", name, node.source().begin.line);
  if (const auto* text = node.as_string()) {
    word.value = text->get();
  } else if (const auto* integer = node.as_integer()) {
    word.value = fmt::format("{}", integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    word.value = fmt::format("{}", number->get());
  } else if (const auto* flag = node.as_boolean()) {
    if (!flag->get()) word.value = "false";
  } else {
    return At(name, node.source(),
              Escape(key) + ": a value is a text, a number or true, and nothing else");
  }
  word.name = std::move(key);
  return word;
}

Result<FaultRule> RuleOf(const toml::table& table, std::string_view name) {
  // In the order they were written in, so that the capture shows the rule as its author knows it.
  std::vector<std::pair<toml::source_position, FaultWord>> placed;
  for (const auto& [key, node] : table) {
    DSTAP_TRY_ASSIGN(FaultWord word, WordOf(std::string(key.str()), node, name));
    placed.emplace_back(key.source().begin, std::move(word));
  }
  std::ranges::sort(placed, {},
                    [](const auto& each) { return std::pair(each.first.line, each.first.column); });
  std::vector<FaultWord> words;
  std::string text;
  for (auto& [position, word] : placed) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", TextOf(word));
    words.push_back(std::move(word));
  }
  return MakeFaultRule(words, std::move(text),
                       fmt::format("{}:{}", name, table.source().begin.line));
}

}  // namespace

Result<FaultRule> ParseFaultRule(std::string_view text) {
  const std::string where = fmt::format("--fault \"{}\"", Escape(text));
  const auto wrong = [&where](std::string_view word, std::string_view reason) {
    return Status(ErrorCode::kUsage, fmt::format("{}: {}: {}", where, Escape(word), reason));
  };
  std::vector<FaultWord> words;
  for (size_t at = 0; at < text.size();) {
    if (IsSpace(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && !IsSpace(text[at]) && text[at] != '=') ++at;
    FaultWord word{
        .name = std::string(text.substr(begin, at - begin)), .value = {}, .where = where};
    if (at < text.size() && text[at] == '=') {
      ++at;
      if (at < text.size() && text[at] == '"') {
        word.value = TakeQuoted(text, at);
        if (!word.value) return wrong(text.substr(begin), "the closing \" is missing");
        if (at < text.size() && !IsSpace(text[at])) {
          return wrong(text.substr(begin), "a space is missing behind the closing \"");
        }
      } else {
        const size_t value = at;
        while (at < text.size() && !IsSpace(text[at])) ++at;
        word.value = text.substr(value, at - value);
      }
    }
    words.push_back(std::move(word));
  }
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return MakeFaultRule(words, std::string(text), where);
}

Result<FaultPlan> ParseFaultPlan(std::string_view toml, std::string_view name) {
  if (toml.size() > kFaultPlanBytesMax) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: a fault plan of more than {} bytes", name, kFaultPlanBytesMax));
  }
  // The one call that throws.
  toml::table table;
  try {
    table = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return At(name, error.source(), Escape(error.description()));
  }
  FaultPlan plan;
  for (const auto& [key, node] : table) {
    const toml::array* rules = node.as_array();
    if (key.str() != "fault" || rules == nullptr || !rules->is_array_of_tables()) {
      return At(name, key.source(),
                fmt::format("{}: a fault plan holds [[fault]] tables and nothing else",
                            Escape(key.str())));
    }
    for (const toml::node& rule : *rules) {
      DSTAP_TRY_ASSIGN(FaultRule made, RuleOf(*rule.as_table(), name));
      plan.push_back(std::move(made));
      if (plan.size() > kFaultRulesMax) break;  // CheckTogether() says so.
    }
  }
  if (plan.empty()) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: there is no [[fault]] table in this fault plan", name));
  }
  return plan;
}

}  // namespace dstap::proxy
