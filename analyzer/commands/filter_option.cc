#include "analyzer/commands/filter_option.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <utility>

#include "proto/filter/fields.h"

namespace dstap::analyzer {

void FilterOption::Declare(CLI::App& command) {
  command
      .add_option("--filter", text_,
                  "Only calls that match, such as 'outcome != ok && queue > 1s'; see below")
      ->type_name("EXPR");
}

Result<std::optional<filter::Filter>> FilterOption::Parse() const {
  if (!text_) return std::optional<filter::Filter>();
  Result<filter::Filter> filter = filter::Filter::Parse(*text_);
  if (!filter.ok()) return Status(filter.status()).At("--filter");
  return std::optional(*std::move(filter));
}

std::string FilterOption::Help() {
  constexpr size_t kColumns = 96;
  std::string text =
      "--filter 'id == 17' is one call, 'key ~ \"Player_*\" && latency > 1s' are slow ones. "
      "Compare "
      "with\n== != in ~ !~ < <= > >=, join with && || ! and parentheses; \"== none\" asks for what "
      "is absent.\nFields:";
  size_t column = 7;
  for (const filter::Field& field : filter::AllFields()) {
    if (column + 1 + field.name.size() > kColumns) {
      text += "\n ";
      column = 1;
    }
    text += fmt::format(" {}", field.name);
    column += 1 + field.name.size();
  }
  return text;
}

}  // namespace dstap::analyzer
