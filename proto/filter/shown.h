// Pieces of an expression in messages about it.
#pragma once

#include <string>
#include <string_view>

namespace dstap::filter {

// As it is written: in quotes, on one line, and not much longer than a word.
std::string Shown(std::string_view text);

// Where byte `offset` of `text` stands, from 1, in characters as a person counts them.
size_t ColumnOf(std::string_view text, size_t offset);

}  // namespace dstap::filter
