#include "tests/support/case_words.h"

#include <algorithm>
#include <charconv>

namespace dstap::test {

Result<std::vector<std::string>> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    std::string word;
    bool is_quoted = false;
    int braces = 0;
    for (; at < line.size() && (is_quoted || braces > 0 || line[at] != ' '); ++at) {
      const char c = line[at];
      if (braces == 0 && c == '"') {
        is_quoted = !is_quoted;
      } else if (is_quoted && braces == 0 && c == '\\' && at + 1 < line.size()) {
        const char escaped = line[++at];
        if (escaped == 'x' && at + 2 < line.size()) {
          unsigned value = 0;
          std::from_chars(line.data() + at + 1, line.data() + at + 3, value, 16);
          word += static_cast<char>(value);
          at += 2;
        } else {
          word += escaped == 'n' ? '\n' : escaped;
        }
      } else {
        if (!is_quoted && c == '{') ++braces;
        if (!is_quoted && c == '}') --braces;
        word += c;
      }
    }
    if (is_quoted || braces > 0) return Status(ErrorCode::kUsage, "a closing \" or } is missing");
    words.push_back(std::move(word));
  }
  return words;
}

std::optional<Time> TimeOf(std::string_view text) {
  int64_t whole = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc()) return std::nullopt;
  const bool is_negative = text.starts_with('-');
  int64_t part = 0;
  std::string_view rest = text.substr(static_cast<size_t>(stop - text.data()));
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    int64_t scale = 1'000'000'000;
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9' && scale > 1; rest.remove_prefix(1)) {
      scale /= 10;
      part += (rest[0] - '0') * scale;
    }
  }
  if (!rest.empty()) return std::nullopt;
  return Time(whole * 1'000'000'000 + (is_negative ? -part : part));
}

std::optional<uint64_t> NumberOf(std::string_view text) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<v1::RequestType> RequestTypeOf(std::string_view name) {
  std::string full = "REQUEST_TYPE";
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') full += '_';
    full += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  v1::RequestType type{};
  if (!v1::RequestType_Parse(full, &type)) return std::nullopt;
  return type;
}

uint64_t HashOf(std::string_view label) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : label) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

void Replace(std::string& text, std::string_view what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace dstap::test
