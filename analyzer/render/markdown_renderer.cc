#include <algorithm>
#include <string>

#include "analyzer/render/renderer.h"

namespace dstap::analyzer {
namespace {

// Takes their meaning from the characters that Markdown or HTML would act on.
std::string Literal(std::string_view text) {
  constexpr std::string_view kActive = R"(\`*_[]<>|#&~!$)";
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "<br>";
      continue;
    }
    if (kActive.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void AppendTable(const Table& table, std::string& out) {
  std::string rule = "|";
  out += '|';
  for (const Column& column : table.columns) {
    out += ' ' + Literal(column.title) + " |";
    rule += column.align == Column::Align::kRight ? " ---: |" : " --- |";
  }
  out += '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (const std::string& cell : row) out += (cell.empty() ? "" : ' ' + Literal(cell)) + " |";
    out += '\n';
  }
}

}  // namespace

std::string RenderMarkdown(const Report& report, const RenderOptions& options) {
  return MarkdownOf(DocumentOf(report, options.sections));
}

std::string MarkdownOf(const Document& document) {
  std::string out = "# " + Literal(document.title) + '\n';
  for (const std::string& remark : document.remarks) out += "\n**" + Literal(remark) + "**\n";
  for (const DocumentSection& section : document.sections) {
    out += "\n## " + Literal(section.title) + '\n';
    for (const Block& block : section.blocks) {
      out += '\n';
      if (const auto* table = std::get_if<Table>(&block)) {
        AppendTable(*table, out);
      } else {
        out += Literal(std::get<std::string>(block)) + '\n';
      }
    }
  }
  return out;
}

}  // namespace dstap::analyzer
