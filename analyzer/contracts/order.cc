#include "analyzer/contracts/order.h"

#include <fmt/format.h>

#include <vector>

#include "analyzer/render/format.h"
#include "analyzer/views/method_counts.h"

namespace dstap::analyzer {
namespace {

// Places that a reading may stand at: before item i. Items that may lack can be passed over.
void PassOver(std::span<const OrderItem> order, std::vector<bool>& places) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (places[i] && order[i].may_lack) places[i + 1] = true;
  }
}

}  // namespace

std::optional<size_t> LeavesOrder(std::span<const OrderItem> order,
                                  std::span<const size_t> columns) {
  std::vector<bool> places(order.size() + 1);
  // Behind an item that may repeat: it may come again.
  std::vector<bool> inside(order.size());
  places[0] = true;
  PassOver(order, places);
  for (size_t n = 0; n < columns.size(); ++n) {
    std::vector<bool> next(order.size() + 1);
    std::vector<bool> next_inside(order.size());
    bool any = false;
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i].column != columns[n] || !(places[i] || inside[i])) continue;
      next[i + 1] = true;
      next_inside[i] = order[i].may_repeat;
      any = true;
    }
    if (!any) return n;
    PassOver(order, next);
    places = std::move(next);
    inside = std::move(next_inside);
  }
  if (!places.back()) return columns.size();
  return std::nullopt;
}

std::string ShowOrder(std::span<const OrderItem> order) {
  std::string text;
  for (const OrderItem& item : order) {
    const char* suffix = item.may_lack ? (item.may_repeat ? "*" : "?") : item.may_repeat ? "+" : "";
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", MethodLabel(NameOfColumn(item.column)),
                        suffix);
  }
  return text;
}

std::string ShowColumns(std::span<const size_t> columns, size_t max) {
  if (columns.empty()) return "none";
  std::string text;
  size_t kinds = 0;
  for (size_t i = 0; i < columns.size();) {
    size_t end = i;
    while (end < columns.size() && columns[end] == columns[i]) ++end;
    if (++kinds > max) return text + ", ...";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", MethodLabel(NameOfColumn(columns[i])));
    if (end - i > 1) text += fmt::format(" {} times", end - i);
    i = end;
  }
  return text;
}

}  // namespace dstap::analyzer
