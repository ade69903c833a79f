// What keys that differ in an id have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dstap::analyzer {

// Longer patterns are cut, and end in "...".
inline constexpr size_t kFamilyBytesMax = 60;

// `name` with each run of digits, and each UUID, replaced by "#": "player_17_product_3" and
// "player_4_product_9" both give "player_#_product_#". Bytes stay as they are: Escape() before
// printing.
std::string FamilyOf(std::string_view name);

// How many "#" FamilyOf() puts into it.
size_t IdsIn(std::string_view name);

}  // namespace dstap::analyzer
