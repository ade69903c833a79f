// JSON text with sorted keys and without white space, made without a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dstap::proxy {

// Writes what nlohmann/json would print of the same text, in one pass over it: tokens are copied as
// they are, and the members of an object moved where their keys are out of order.
//
// Errors:    nothing: the text is one of those that are left to nlohmann/json. Those are text that
//            is not JSON, nested deeper than kDepthMax, a key that stands twice in an object, \u
//            and escapes in keys, integers of more than 18 digits, numbers longer when printed.
// Ownership: what Of() gives lives until its next call.
// Threads:   not thread-safe.
// Limits:    no allocation once it was given a text as long with as many members, up to a MiB:
//            what a longer one took is given back. Moves at most kMovesMax bytes for each of the
//            text's.
class CanonicalJson {
 public:
  static constexpr int kDepthMax = 256;
  static constexpr size_t kMovesMax = 16;

  std::optional<std::string_view> Of(std::string_view json);

 private:
  // A member of an object that is open, by its place in out_.
  struct Member {
    uint64_t key_head;  // The key's first 8 bytes, comparable as a number.
    size_t begin;       // Of its key's quote.
    size_t key_size;
    size_t end;
  };

  bool Value(int depth);
  bool Object(int depth);
  bool Array(int depth);
  bool String();
  bool Escape();
  bool Number();
  bool Fraction(const char* begin);
  bool Literal(std::string_view word);
  bool Sort(size_t first_member, size_t begin);
  void SkipSpace();
  void Put(char c) { *to_++ = c; }
  size_t Written() const { return static_cast<size_t>(to_ - out_.data()); }

  const char* at_ = nullptr;  // In in_.
  char* to_ = nullptr;        // In out_.
  size_t moves_left_ = 0;
  std::vector<char> in_;  // The text and kPad zeros, which are no part of any token.
  std::vector<char> out_;
  std::vector<char> sorted_;
  std::vector<Member> members_;  // Of all open objects, the innermost one's last.
};

}  // namespace dstap::proxy
