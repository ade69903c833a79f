#include "proto/filter/glob.h"

#include <algorithm>

#include "proto/base/check.h"

namespace dstap::filter {

Glob::Glob(std::string_view pattern, const std::vector<bool>& is_wild) {
  DSTAP_CHECK(is_wild.size() == pattern.size());
  for (size_t i = 0; i < pattern.size(); ++i) {
    const auto byte = static_cast<unsigned char>(pattern[i]);
    if (!is_wild[i] && rest_.empty()) {
      prefix_ += pattern[i];
    } else {
      rest_ += !is_wild[i] ? char16_t{byte} : byte == '?' ? kOne : kAny;
    }
  }
  takes_any_rest_ =
      !rest_.empty() && std::ranges::all_of(rest_, [](char16_t c) { return c == kAny; });
}

// Only the last * is ever tried again with more: what an earlier one could take as well, the last
// one can reach too. So no pattern makes this exponential.
bool Glob::RestMatches(std::string_view text) const {
  size_t at = 0;
  size_t star = std::u16string::npos;
  size_t star_reaches = 0;  // In `text`.
  size_t i = 0;
  while (i < text.size()) {
    const bool is_over = at == rest_.size();
    if (!is_over && rest_[at] == kAny) {
      star = at++;
      star_reaches = i;
    } else if (!is_over &&
               (rest_[at] == kOne || rest_[at] == static_cast<unsigned char>(text[i]))) {
      ++at;
      ++i;
    } else if (star != std::u16string::npos) {
      at = star + 1;
      i = ++star_reaches;
    } else {
      return false;
    }
  }
  return std::all_of(rest_.begin() + static_cast<std::ptrdiff_t>(at), rest_.end(),
                     [](char16_t c) { return c == kAny; });
}

}  // namespace dstap::filter
