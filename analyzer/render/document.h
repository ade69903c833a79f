// A report as headings, paragraphs and tables: what text, Markdown and HTML have in common. Cells
// are printable UTF-8; a line break in one is a line break of the cell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/views/report.h"

namespace dstap::analyzer {

struct Column {
  std::string title = {};
  enum class Align { kLeft, kRight } align = Align::kLeft;
  // Cells of words. Others are kept whole where a line has a limit, as long as that can be done.
  bool is_text = false;
};

inline Column Words(std::string title) { return {.title = std::move(title), .is_text = true}; }

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows = {};  // Each as long as `columns`.
  // Rows with the same first cell belong together; it needs to be seen once.
  bool is_grouped = false;
};

using Block = std::variant<std::string, Table>;  // A paragraph or a table.

struct DocumentSection {
  std::string title;
  std::vector<Block> blocks;
};

struct Document {
  std::string title;
  std::vector<std::string> remarks;  // What must not be overlooked, one line each.
  std::vector<DocumentSection> sections;
};

struct SectionEntry {
  std::string_view name;  // As `--section` takes it.
  std::string_view title;
  std::vector<Block> (*blocks)(const Report& report);
};

// In the order in which they are printed.
std::span<const SectionEntry> AllSections();

// The sections of these names, in the order of AllSections(); all of them when `names` is empty.
Document DocumentOf(const Report& report, std::span<const std::string> names);

}  // namespace dstap::analyzer
