// Patterns with * and ?.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dstap::filter {

// A pattern over bytes: * stands for any bytes or none, ? for one.
//
// Threads: immutable.
// Limits:  Matches() takes at most pattern times text steps, whatever the two are, and does not
//          allocate.
class Glob {
 public:
  // `is_wild` says of each byte of `pattern` whether a * or ? there is one; it is as long.
  Glob(std::string_view pattern, const std::vector<bool>& is_wild);
  // Nothing but `text` itself.
  explicit Glob(std::string_view text) : prefix_(text) {}

  bool Matches(std::string_view text) const {
    if (!text.starts_with(prefix_)) return false;
    if (rest_.empty()) return text.size() == prefix_.size();
    return takes_any_rest_ || RestMatches(text.substr(prefix_.size()));
  }

 private:
  static constexpr char16_t kOne = 0x100;  // Bytes are below.
  static constexpr char16_t kAny = 0x101;

  bool RestMatches(std::string_view text) const;

  std::string prefix_;   // Up to the first wildcard.
  std::u16string rest_;  // From it on: bytes, kOne and kAny.
  bool takes_any_rest_ = false;
};

}  // namespace dstap::filter
