// A filter's text as tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/status.h"

namespace dstap::filter {

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kWord,    // Without quotes.
    kQuoted,  // In quotes.
    kSymbol,  // An operator, a parenthesis or a comma.
  };

  Kind kind = Kind::kEnd;
  size_t offset = 0;               // Of its first byte.
  std::string_view source;         // As it is written.
  std::string text;                // What it means: without quotes, escapes resolved.
  std::vector<bool> is_wild = {};  // Which bytes of `text` are a * or ? that was not escaped.

  bool Is(std::string_view symbol) const { return kind == Kind::kSymbol && source == symbol; }
  bool IsWord(std::string_view word) const { return kind == Kind::kWord && source == word; }
  bool has_wildcard() const;
};

// Errors:    kUsage with the column.
// Ownership: tokens refer to the text, which must outlive them.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token; at the end kEnd, again and again.
  Result<Token> Next();

 private:
  Result<Token> Quoted();
  Status Escaped(Token& token);
  Status NoToken() const;
  Status Wrong(size_t offset, std::string_view what) const;

  std::string_view text_;
  size_t at_ = 0;
};

// "column 12: what".
Status WrongAt(std::string_view text, size_t offset, std::string_view what);

}  // namespace dstap::filter
