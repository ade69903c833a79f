#include "analyzer/findings/suppressions.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/findings/catalogue.h"
#include "proto/base/escape.h"
#include "proto/filter/nearest.h"

namespace dstap::analyzer {
namespace {

constexpr std::array<std::string_view, 7> kWords = {"rule", "reason", "file", "source",
                                                    "step", "store",  "keys"};

Status Wrong(std::string_view name, const toml::source_region& source, const std::string& what) {
  return {ErrorCode::kUsage, fmt::format("{}:{}: {}", name, source.begin.line, what)};
}

filter::Glob PatternOf(const std::string& text) {
  std::vector<bool> is_wild(text.size());
  for (size_t i = 0; i < text.size(); ++i) is_wild[i] = text[i] == '*' || text[i] == '?';
  return {text, is_wild};
}

// Where the word's text goes; the two that are no pattern are null.
std::optional<filter::Glob>* PatternAt(Suppression& made, std::string_view word) {
  if (word == "file") return &made.file;
  if (word == "source") return &made.source;
  if (word == "step") return &made.step;
  if (word == "store") return &made.store;
  if (word == "keys") return &made.keys;
  return nullptr;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view nearest = filter::Nearest(word, names);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

Result<Suppression> SuppressionOf(const toml::table& table, std::string_view name) {
  Suppression made;
  made.line = table.source().begin.line;
  for (const auto& [key, node] : table) {
    const std::string_view word = key.str();
    if (std::ranges::find(kWords, word) == kWords.end()) {
      return Wrong(name, key.source(),
                   fmt::format("\"{}\" is no word of a [[suppress]] table{}", Escape(word),
                               DidYouMean(word, kWords)));
    }
    const auto* text = node.as_string();
    if (text == nullptr) {
      return Wrong(name, key.source(), fmt::format("{} must be a text in quotes", word));
    }
    if (word == "rule") {
      made.rule = text->get();
    } else if (word == "reason") {
      made.reason = text->get();
    } else {
      *PatternAt(made, word) = PatternOf(text->get());
    }
  }
  if (made.rule.empty()) {
    return Wrong(name, table.source(), "a rule is missing; write rule = \"redundant-write\"");
  }
  if (FindRule(made.rule) == nullptr) {
    std::vector<std::string_view> ids;
    for (const RuleEntry* rule : AllRules()) ids.push_back(rule->id);
    return Wrong(name, table.source(),
                 fmt::format("\"{}\" is no rule{}", Escape(made.rule), DidYouMean(made.rule, ids)));
  }
  const bool has_reason = made.reason.find_first_not_of(" \t\r\n") != std::string::npos;
  if (!has_reason) {
    return Wrong(name, table.source(),
                 "a reason is missing; write reason = \"why it is accepted\"");
  }
  return made;
}

}  // namespace

bool Suppression::Accepts(const Finding& finding) const {
  const auto fits = [](const std::optional<filter::Glob>& pattern, std::string_view text) {
    return !pattern || pattern->Matches(text);
  };
  return finding.rule->id == rule && fits(file, finding.file) &&
         fits(source, finding.source_name) && fits(step, finding.step) &&
         fits(store, finding.store) && fits(keys, finding.keys);
}

Result<std::vector<Suppression>> ParseSuppressions(std::string_view toml, std::string_view name) {
  if (toml.size() > kSuppressionBytesMax) {
    return Status(ErrorCode::kUsage, fmt::format("{}: suppressions of more than {} bytes", name,
                                                 kSuppressionBytesMax));
  }
  // The one call that throws.
  toml::table table;
  try {
    table = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return Wrong(name, error.source(), Escape(error.description()));
  }
  std::vector<Suppression> suppressions;
  for (const auto& [key, node] : table) {
    const toml::array* list = node.as_array();
    if (key.str() != "suppress" || list == nullptr || !list->is_array_of_tables()) {
      return Wrong(name, key.source(),
                   fmt::format("{}: a suppressions file holds [[suppress]] tables and nothing else",
                               Escape(key.str())));
    }
    for (const toml::node& each : *list) {
      DSTAP_TRY_ASSIGN(Suppression made, SuppressionOf(*each.as_table(), name));
      if (suppressions.size() == kSuppressionsMax) {
        return Wrong(name, each.source(),
                     fmt::format("more than {} suppressions", kSuppressionsMax));
      }
      suppressions.push_back(std::move(made));
    }
  }
  return suppressions;
}

void Apply(std::vector<Suppression>& suppressions, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    for (Suppression& suppression : suppressions) {
      if (!suppression.Accepts(finding)) continue;
      ++suppression.used;
      if (!finding.accepted) finding.accepted = suppression.reason;
    }
  }
}

}  // namespace dstap::analyzer
