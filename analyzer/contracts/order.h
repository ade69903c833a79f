// The order in which a sample's requests leave.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analyzer/contracts/contract.h"

namespace dstap::analyzer {

// Where `columns` leaves `order`: the first request that no reading of the order allows, or
// columns.size() when requests are missing at the end. Nothing: it is kept.
// Limits: items times requests steps.
std::optional<size_t> LeavesOrder(std::span<const OrderItem> order,
                                  std::span<const size_t> columns);

// "GetAsync past the cache?, UpdateAsync+".
std::string ShowOrder(std::span<const OrderItem> order);

// "UpdateAsync, GetAsync twice, ..."; of more than `max` kinds in a row the first.
std::string ShowColumns(std::span<const size_t> columns, size_t max);

}  // namespace dstap::analyzer
