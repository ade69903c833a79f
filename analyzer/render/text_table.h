// Tables and paragraphs of fixed-width text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/render/document.h"

namespace dstap::analyzer {

// Cuts `text` into lines of at most `columns`, at spaces and line breaks, and inside a word only if
// it is longer than a line.
std::vector<std::string> WrapText(std::string_view text, size_t columns);

// `table` with aligned columns, two spaces apart and indented by two. Where all are too wide for
// `columns`, columns of text are made narrower, the widest first, and their cells wrapped; the
// others only when that is not enough.
std::string FormatTable(const Table& table, size_t columns);

}  // namespace dstap::analyzer
