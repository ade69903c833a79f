#include "analyzer/render/text_table.h"

#include <algorithm>
#include <numeric>

#include "analyzer/render/display_width.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kGap = 2;
// Narrower, words fall apart; then it is better to cut the others too.
constexpr size_t kTextColumnsMin = 16;

// Of its longest line.
size_t CellWidth(std::string_view cell) {
  size_t width = 0;
  for (;;) {
    const size_t end = cell.find('\n');
    width = std::max(width, DisplayWidth(cell.substr(0, end)));
    if (end == std::string_view::npos) return width;
    cell.remove_prefix(end + 1);
  }
}

std::vector<size_t> ColumnWidths(const Table& table, size_t columns) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t width = CellWidth(table.columns[i].title);
    for (const auto& row : table.rows) width = std::max(width, CellWidth(row[i]));
    widths.push_back(width);
  }
  const size_t around = kIndent + kGap * (widths.size() - 1);
  size_t total = std::accumulate(widths.begin(), widths.end(), around);
  for (const bool only_text : {true, false}) {
    const size_t least = only_text ? kTextColumnsMin : 1;
    while (total > columns) {
      size_t* widest = nullptr;
      for (size_t i = 0; i < widths.size(); ++i) {
        if (only_text && !table.columns[i].is_text) continue;
        if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
      }
      if (widest == nullptr || *widest <= least) break;
      --*widest;
      --total;
    }
  }
  return widths;
}

void AppendRow(const Table& table, const std::vector<std::string>& cells,
               const std::vector<size_t>& widths, std::string& out) {
  std::vector<std::vector<std::string>> wrapped;
  size_t height = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(WrapText(cells[i], widths[i]));
    height = std::max(height, wrapped.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    std::string text(kIndent, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string part = line < wrapped[i].size() ? wrapped[i][line] : "";
      const size_t used = std::min(widths[i], DisplayWidth(part));
      const std::string padding(widths[i] - used, ' ');
      if (i > 0) text.append(kGap, ' ');
      text += table.columns[i].align == Column::Align::kRight ? padding + part : part + padding;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
}

void WrapLine(std::string_view line, size_t columns, std::vector<std::string>& out) {
  std::string current;
  size_t width = 0;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const size_t word_width = DisplayWidth(word);
    if (!current.empty() && width + 1 + word_width <= columns) {
      current.append(1, ' ').append(word);
      width += 1 + word_width;
      continue;
    }
    if (!current.empty()) out.push_back(std::move(current));
    while (DisplayWidth(word) > columns) {
      const size_t fits = BytesThatFit(word, columns);
      if (fits == word.size()) break;
      out.emplace_back(word.substr(0, fits));
      word.remove_prefix(fits);
    }
    current = word;
    width = DisplayWidth(word);
  }
  out.push_back(std::move(current));
}

}  // namespace

std::vector<std::string> WrapText(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  for (;;) {
    const size_t end = text.find('\n');
    WrapLine(text.substr(0, end), std::max<size_t>(columns, 1), lines);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string FormatTable(const Table& table, size_t columns) {
  const std::vector<size_t> widths = ColumnWidths(table, columns);
  std::string out;
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  AppendRow(table, titles, widths, out);
  std::string last_group;
  bool is_first = true;
  for (const auto& row : table.rows) {
    std::vector<std::string> cells = row;
    if (table.is_grouped && !is_first && cells.front() == last_group) {
      cells.front().clear();
    } else if (table.is_grouped) {
      last_group = cells.front();
    }
    AppendRow(table, cells, widths, out);
    is_first = false;
  }
  return out;
}

}  // namespace dstap::analyzer
