// UTF-8, one character at a time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace dstap::analyzer {

struct Utf8Char {
  char32_t code = 0;
  size_t bytes = 0;  // 0: the text does not begin with a valid character.
};

// The character that `text` begins with. Overlong forms, surrogates and what is past U+10FFFF are
// not valid.
constexpr Utf8Char DecodeUtf8(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLowest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLowest[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, bytes};
}

constexpr bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = DecodeUtf8(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace dstap::analyzer
