// Cells that several tables have.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/render/document.h"
#include "analyzer/render/format.h"
#include "analyzer/views/stage.h"

namespace dstap::analyzer {

inline std::string OrDash(std::string text) { return text.empty() ? "-" : text; }

inline std::string Number(uint64_t value) { return fmt::format("{}", value); }

inline void AddThrottlingColumns(Table& table) {
  for (const char* title : {"sent", "local", "at once", "queued", "dropped", "gap"}) {
    table.columns.push_back({.title = title, .align = Column::Align::kRight});
  }
}

inline void AddThrottlingCells(const Throttling& counts, std::vector<std::string>& cells) {
  for (const uint64_t count :
       {counts.sent, counts.local, counts.admitted, counts.queued, counts.dropped}) {
    cells.push_back(Number(count));
  }
  cells.push_back(FormatGap(counts));
}

inline constexpr std::string_view kStages =
    "sent = local + at once + queued + dropped + gap; each call counts once, by its worst stage.";

}  // namespace dstap::analyzer
