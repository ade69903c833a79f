#include "analyzer/timeline/key_family.h"

namespace dstap::analyzer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// 8-4-4-4-12 hexadecimal digits.
bool IsUuid(std::string_view text) {
  if (text.size() < 36) return false;
  for (size_t i = 0; i < 36; ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

// Calls `plain(char)` and `id()` for the parts of `name`, until one says false.
template <typename Plain, typename Id>
void Walk(std::string_view name, Plain plain, Id id) {
  for (size_t at = 0; at < name.size();) {
    if (IsUuid(name.substr(at))) {
      at += 36;
      if (!id()) return;
    } else if (IsDigit(name[at])) {
      while (at < name.size() && IsDigit(name[at])) ++at;
      if (!id()) return;
    } else if (!plain(name[at++])) {
      return;
    }
  }
}

}  // namespace

std::string FamilyOf(std::string_view name) {
  std::string family;
  bool is_cut = false;
  const auto add = [&](char c) {
    is_cut = family.size() == kFamilyBytesMax;
    if (!is_cut) family += c;
    return !is_cut;
  };
  Walk(name, add, [&] { return add('#'); });
  return is_cut ? family + "..." : family;
}

size_t IdsIn(std::string_view name) {
  size_t ids = 0;
  const auto id = [&] { return ++ids > 0; };
  Walk(
      name, [](char) { return true; }, id);
  return ids;
}

}  // namespace dstap::analyzer
