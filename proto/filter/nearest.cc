#include "proto/filter/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dstap::filter {
namespace {

constexpr size_t kWordBytesMax = 64;      // No name is nearly as long.
constexpr size_t kBeginningBytesMin = 3;  // Of a name, to mean it.

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool AreSame(char a, char b) { return Lower(a) == Lower(b); }

// Letters to insert, remove or change to make the one the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);  // To the beginnings of `b`.
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (const char c : a) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (AreSame(c, b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

bool BeginsWith(std::string_view name, std::string_view word) {
  return word.size() >= kBeginningBytesMin && word.size() <= name.size() &&
         std::ranges::equal(name.substr(0, word.size()), word, &AreSame);
}

}  // namespace

std::string_view Nearest(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > kWordBytesMax) return {};
  const auto longer =
      std::ranges::find_if(names, [word](std::string_view name) { return BeginsWith(name, word); });
  if (longer != names.end()) return *longer;
  std::string_view best;
  size_t best_distance = 1 + std::clamp<size_t>(word.size() / 3, 1, 3);
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    const size_t distance = Distance(word, name);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace dstap::filter
