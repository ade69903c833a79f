// How many columns of a terminal text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dstap::analyzer {

// 0 for combining marks, 2 for East Asian wide characters and emoji, otherwise 1.
int DisplayWidth(char32_t code);

// Of valid UTF-8; a byte that is not takes 1.
size_t DisplayWidth(std::string_view text);

// How many bytes at the front of `text` fit into `columns`; at least one character, and combining
// marks stay with what they stand on.
size_t BytesThatFit(std::string_view text, size_t columns);

}  // namespace dstap::analyzer
