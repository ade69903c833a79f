#include "proto/base/escape.h"

#include <cstddef>
#include <cstdint>

namespace dstap {
namespace {

// Length of the UTF-8 sequence at the front of `bytes` if a terminal shows it as text, else 0.
// Refuses what decoders must refuse: overlong forms, surrogates, numbers past U+10FFFF.
size_t PrintableLength(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  uint32_t code = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  // C1 controls, line and paragraph separators, and what turns the direction of writing.
  const bool is_control = code < 0xA0 || code == 0x2028 || code == 0x2029 || code == 0x061C ||
                          code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                          (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
  return is_control ? 0 : length;
}

std::string Escaped(std::string_view bytes, bool doubles_backslashes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const char c = bytes.front();
    size_t length = PrintableLength(bytes);
    if (c == '\\' && doubles_backslashes) {
      out += "\\\\";
    } else if (length != 0) {
      out += bytes.substr(0, length);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

std::string Escape(std::string_view bytes) { return Escaped(bytes, true); }

std::string EscapeLine(std::string_view line) { return Escaped(line, false); }

}  // namespace dstap
