#include <string>

#include "analyzer/render/renderer.h"
#include "analyzer/render/text_table.h"

namespace dstap::analyzer {
namespace {

constexpr std::string_view kBold = "\x1B[1m";
constexpr std::string_view kYellow = "\x1B[33m";
constexpr std::string_view kPlain = "\x1B[0m";

void AppendLines(std::string_view text, size_t indent, std::string_view colour,
                 const RenderOptions& options, std::string& out) {
  for (const std::string& line : WrapText(text, options.columns - indent)) {
    out.append(indent, ' ');
    if (options.has_colour && !colour.empty()) {
      out.append(colour).append(line).append(kPlain);
    } else {
      out.append(line);
    }
    out += '\n';
  }
}

}  // namespace

std::string RenderText(const Report& report, const RenderOptions& options) {
  return TextOf(DocumentOf(report, options.sections), options);
}

std::string TextOf(const Document& document, const RenderOptions& options) {
  std::string out;
  AppendLines(document.title, 0, kBold, options, out);
  for (const std::string& remark : document.remarks) AppendLines(remark, 0, kYellow, options, out);
  for (const DocumentSection& section : document.sections) {
    out += '\n';
    AppendLines(section.title, 0, kBold, options, out);
    bool was_table = false;
    for (const Block& block : section.blocks) {
      const auto* table = std::get_if<Table>(&block);
      if (was_table && table != nullptr) out += '\n';
      if (table != nullptr) {
        out += FormatTable(*table, options.columns);
      } else {
        AppendLines(std::get<std::string>(block), 2, "", options, out);
      }
      was_table = true;
    }
  }
  return out;
}

}  // namespace dstap::analyzer
