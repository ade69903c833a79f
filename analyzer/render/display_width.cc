#include "analyzer/render/display_width.h"

#include <algorithm>
#include <array>

#include "analyzer/render/utf8.h"

namespace dstap::analyzer {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Unicode 15: the larger blocks of general categories Mn, Me and Cf. In order.
constexpr std::array kZeroWidth = {
    CodeRange{0x0300, 0x036F}, CodeRange{0x0483, 0x0489},   CodeRange{0x0591, 0x05BD},
    CodeRange{0x0610, 0x061A}, CodeRange{0x064B, 0x065F},   CodeRange{0x06D6, 0x06DC},
    CodeRange{0x0900, 0x0902}, CodeRange{0x093C, 0x093C},   CodeRange{0x0941, 0x0948},
    CodeRange{0x0E31, 0x0E31}, CodeRange{0x0E34, 0x0E3A},   CodeRange{0x0E47, 0x0E4E},
    CodeRange{0x1AB0, 0x1AFF}, CodeRange{0x1DC0, 0x1DFF},   CodeRange{0x200B, 0x200D},
    CodeRange{0x2060, 0x2064}, CodeRange{0x20D0, 0x20F0},   CodeRange{0xFE00, 0xFE0F},
    CodeRange{0xFE20, 0xFE2F}, CodeRange{0xE0100, 0xE01EF},
};

// Unicode 15, EastAsianWidth W and F. In order.
constexpr std::array kDoubleWidth = {
    CodeRange{0x1100, 0x115F},   CodeRange{0x231A, 0x231B},   CodeRange{0x23E9, 0x23EC},
    CodeRange{0x25FD, 0x25FE},   CodeRange{0x2614, 0x2615},   CodeRange{0x2648, 0x2653},
    CodeRange{0x26AA, 0x26AB},   CodeRange{0x26BD, 0x26BE},   CodeRange{0x2705, 0x2705},
    CodeRange{0x270A, 0x270B},   CodeRange{0x2728, 0x2728},   CodeRange{0x274C, 0x274C},
    CodeRange{0x2753, 0x2755},   CodeRange{0x2795, 0x2797},   CodeRange{0x2B1B, 0x2B1C},
    CodeRange{0x2B50, 0x2B50},   CodeRange{0x2E80, 0x303E},   CodeRange{0x3041, 0x33FF},
    CodeRange{0x3400, 0x4DBF},   CodeRange{0x4E00, 0x9FFF},   CodeRange{0xA000, 0xA4CF},
    CodeRange{0xA960, 0xA97F},   CodeRange{0xAC00, 0xD7A3},   CodeRange{0xF900, 0xFAFF},
    CodeRange{0xFE30, 0xFE6F},   CodeRange{0xFF00, 0xFF60},   CodeRange{0xFFE0, 0xFFE6},
    CodeRange{0x16FE0, 0x18AFF}, CodeRange{0x1B000, 0x1B2FF}, CodeRange{0x1F300, 0x1F64F},
    CodeRange{0x1F680, 0x1F6FF}, CodeRange{0x1F7E0, 0x1F7EB}, CodeRange{0x1F90C, 0x1F9FF},
    CodeRange{0x1FA70, 0x1FAFF}, CodeRange{0x20000, 0x3FFFD},
};

template <size_t n>
bool IsIn(const std::array<CodeRange, n>& ranges, char32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CodeRange::first);
  return after != ranges.begin() && code <= std::prev(after)->last;
}

// The width of the character at the front, and its bytes; a byte that is no text counts as one.
struct Front {
  size_t width;
  size_t bytes;
};

Front FrontOf(std::string_view text) {
  const Utf8Char c = DecodeUtf8(text);
  if (c.bytes == 0) return {1, 1};
  return {static_cast<size_t>(DisplayWidth(c.code)), c.bytes};
}

}  // namespace

int DisplayWidth(char32_t code) {
  if (code < 0x300) return 1;
  if (IsIn(kZeroWidth, code)) return 0;
  return IsIn(kDoubleWidth, code) ? 2 : 1;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Front front = FrontOf(text);
    width += front.width;
    text.remove_prefix(front.bytes);
  }
  return width;
}

size_t BytesThatFit(std::string_view text, size_t columns) {
  size_t width = 0;
  size_t at = 0;
  while (at < text.size()) {
    const Front front = FrontOf(text.substr(at));
    if (at > 0 && width + front.width > columns) break;
    width += front.width;
    at += front.bytes;
  }
  return at;
}

}  // namespace dstap::analyzer
