#include "proto/filter/shown.h"

#include <algorithm>

#include "proto/base/escape.h"

namespace dstap::filter {
namespace {

constexpr size_t kShownBytesMax = 40;

bool IsInsideACharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string Shown(std::string_view text) {
  if (text.size() <= kShownBytesMax) return '"' + EscapeLine(text) + '"';
  size_t size = kShownBytesMax;
  while (size > 0 && IsInsideACharacter(text[size])) --size;
  return '"' + EscapeLine(text.substr(0, size)) + "...\"";
}

size_t ColumnOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<size_t>(
                 std::ranges::count_if(before, [](char c) { return !IsInsideACharacter(c); }));
}

}  // namespace dstap::filter
