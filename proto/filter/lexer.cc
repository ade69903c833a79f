#include "proto/filter/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "proto/filter/shown.h"

namespace dstap::filter {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 14> kSymbols = {"==", "!=", "!~", "<=", ">=", "&&", "||",
                                                       "~",  "<",  ">",  "!",  "(",  ")",  ","};

// What people write who know other languages, and what is meant.
struct Foreign {
  std::string_view written;
  std::string_view remedy;
};
constexpr std::array kForeign = {
    Foreign{"=~", "write ~ for a pattern"},
    Foreign{"=>", "write >="},
    Foreign{"=<", "write <="},
    Foreign{"=", "write == for \"is\""},
    Foreign{"&", "write && for \"and\""},
    Foreign{"|", "write || for \"or\""},
    Foreign{";", "write && between conditions"},
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// What a word without quotes may hold: what keys are made of, and all that is not ASCII.
bool IsOfWord(char c) {
  return IsLetterOrDigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("_-.:/@+#%*?").find(c) != std::string_view::npos;
}

bool IsWildcard(char c) { return c == '*' || c == '?'; }

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Status WrongAt(std::string_view text, size_t offset, std::string_view what) {
  return {ErrorCode::kUsage, fmt::format("column {}: {}", ColumnOf(text, offset), what)};
}

bool Token::has_wildcard() const { return std::ranges::find(is_wild, true) != is_wild.end(); }

Status Lexer::Wrong(size_t offset, std::string_view what) const {
  return WrongAt(text_, offset, what);
}

Result<Token> Lexer::Next() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  Token token{.offset = at_};
  if (at_ == text_.size()) return token;
  const std::string_view rest = text_.substr(at_);
  if (rest.front() == '"' || rest.front() == '\'') return Quoted();
  if (IsOfWord(rest.front())) {
    const auto end = std::ranges::find_if_not(rest, &IsOfWord);
    token.kind = Token::Kind::kWord;
    token.source = rest.substr(0, static_cast<size_t>(end - rest.begin()));
    token.text = token.source;
    for (const char c : token.text) token.is_wild.push_back(IsWildcard(c));
    at_ += token.source.size();
    return token;
  }
  for (const Foreign& foreign : kForeign) {
    const bool is_ours = rest.starts_with("==") || rest.starts_with("&&") || rest.starts_with("||");
    if (!is_ours && rest.starts_with(foreign.written)) {
      return Wrong(
          at_, fmt::format("{} means nothing here; {}", Shown(foreign.written), foreign.remedy));
    }
  }
  for (const std::string_view symbol : kSymbols) {
    if (!rest.starts_with(symbol)) continue;
    token.kind = Token::Kind::kSymbol;
    token.source = rest.substr(0, symbol.size());
    at_ += symbol.size();
    return token;
  }
  return NoToken();
}

Status Lexer::NoToken() const {
  return Wrong(at_, fmt::format("{} means nothing here; write text that holds it in quotes",
                                Shown(text_.substr(at_, 1))));
}

Result<Token> Lexer::Quoted() {
  const char quote = text_[at_];
  Token token{.kind = Token::Kind::kQuoted, .offset = at_};
  for (++at_; at_ < text_.size() && text_[at_] != quote;) {
    if (text_[at_] == '\\') {
      DSTAP_TRY(Escaped(token));
    } else {
      token.text += text_[at_];
      token.is_wild.push_back(IsWildcard(text_[at_]));
      ++at_;
    }
  }
  if (at_ == text_.size()) {
    return Wrong(token.offset, fmt::format("this text never ends; write {} behind it", quote));
  }
  ++at_;
  token.source = text_.substr(token.offset, at_ - token.offset);
  return token;
}

// What stands behind a backslash is never a wildcard.
Status Lexer::Escaped(Token& token) {
  const size_t begin = at_;
  const std::string_view rest = text_.substr(at_ + 1);
  const char c = rest.empty() ? '\0' : rest.front();
  at_ += 2;
  char meant = c;
  switch (c) {
    case 'n':
      meant = '\n';
      break;
    case 't':
      meant = '\t';
      break;
    case 'r':
      meant = '\r';
      break;
    case 'x': {
      const int high = rest.size() > 2 ? DigitOf(rest[1]) : -1;
      const int low = rest.size() > 2 ? DigitOf(rest[2]) : -1;
      if (high < 0 || low < 0) {
        return Wrong(begin, "\\x takes two hexadecimal digits: \\x0a");
      }
      meant = static_cast<char>(high * 16 + low);
      at_ += 2;
      break;
    }
    case '\\':
    case '"':
    case '\'':
    case '*':
    case '?':
      break;
    default:
      return Wrong(begin,
                   fmt::format("{} is no escape; there are \\\\ \\\" \\' \\* \\? \\n \\t \\r "
                               "\\xNN",
                               Shown(text_.substr(begin, 2))));
  }
  token.text += meant;
  token.is_wild.push_back(false);
  return {};
}

}  // namespace dstap::filter
