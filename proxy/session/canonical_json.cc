#include "proxy/session/canonical_json.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

namespace dstap::proxy {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of 8 is the lowest");

constexpr size_t kPad = 16;  // Reads and writes of 8 bytes may pass an end.
constexpr size_t kKeepBytes = size_t{1} << 20;
constexpr int kIntDigitsMax = 18;  // So many always fit into an int64.

uint64_t Load8(const char* at) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, 8);
  return bytes;
}

// A bit in each byte that a string cannot simply hold: quotes, backslashes, control characters and
// whatever is not ASCII. The lowest such bit is right; those above it may not be.
uint64_t Special(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr uint64_t kHighs = 0x8080'8080'8080'8080;
  const auto has_zero = [](uint64_t v) { return (v - kOnes) & ~v; };
  return (bytes | (bytes - kOnes * 0x20) | has_zero(bytes ^ (kOnes * '"')) |
          has_zero(bytes ^ (kOnes * '\\'))) &
         kHighs;
}

// The length of the well-formed UTF-8 sequence at `at`, or 0.
size_t SequenceSize(const char* at) {
  const auto byte = [at](size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  if (first < 0xF0) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;   // Too long for what it says.
    if (first == 0xED && byte(1) >= 0xA0) return 0;  // A surrogate.
    return 3;
  }
  if (first > 0xF4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;  // Past U+10FFFF.
  return 4;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::string_view> CanonicalJson::Of(std::string_view json) {
  const size_t size = json.size() + kPad;
  if (in_.size() > kKeepBytes) *this = CanonicalJson();
  if (in_.size() < size) {
    for (std::vector<char>* bytes : {&in_, &out_, &sorted_}) bytes->resize(size);
  }
  std::copy(json.begin(), json.end(), in_.begin());
  std::memset(in_.data() + json.size(), 0, kPad);
  at_ = in_.data();
  to_ = out_.data();
  members_.clear();
  moves_left_ = kMovesMax * json.size();
  SkipSpace();
  if (!Value(0)) return std::nullopt;
  SkipSpace();
  if (at_ != in_.data() + json.size()) return std::nullopt;
  return std::string_view(out_.data(), Written());
}

void CanonicalJson::SkipSpace() {
  while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') ++at_;
}

bool CanonicalJson::Value(int depth) {
  switch (*at_) {
    case '{':
      return depth < kDepthMax && Object(depth + 1);
    case '[':
      return depth < kDepthMax && Array(depth + 1);
    case '"':
      return String();
    case 't':
      return Literal("true");
    case 'f':
      return Literal("false");
    case 'n':
      return Literal("null");
    default:
      return Number();
  }
}

bool CanonicalJson::Array(int depth) {
  ++at_;
  Put('[');
  SkipSpace();
  if (*at_ != ']') {
    for (;;) {
      if (!Value(depth)) return false;
      SkipSpace();
      if (*at_ != ',') break;
      ++at_;
      Put(',');
      SkipSpace();
    }
    if (*at_ != ']') return false;
  }
  ++at_;
  Put(']');
  return true;
}

bool CanonicalJson::Object(int depth) {
  ++at_;
  Put('{');
  const size_t begin = Written();
  const size_t first_member = members_.size();
  SkipSpace();
  if (*at_ != '}') {
    for (;;) {
      if (*at_ != '"') return false;
      const size_t key = Written();
      const char* const key_from = at_;
      if (!String()) return false;
      const size_t key_size = Written() - key - 2;
      // Escapes sort as what they stand for, not as they are written.
      if (std::memchr(key_from, '\\', static_cast<size_t>(at_ - key_from)) != nullptr) {
        return false;
      }
      uint64_t head = Load8(key_from + 1);
      if (key_size < 8) head &= (uint64_t{1} << 8 * key_size) - 1;
      SkipSpace();
      if (*at_ != ':') return false;
      ++at_;
      Put(':');
      SkipSpace();
      if (!Value(depth)) return false;
      members_.push_back({__builtin_bswap64(head), key, key_size, Written()});
      SkipSpace();
      if (*at_ != ',') break;
      ++at_;
      Put(',');
      SkipSpace();
    }
    if (*at_ != '}') return false;
    if (!Sort(first_member, begin)) return false;
  }
  ++at_;
  Put('}');
  return true;
}

// Puts the members of the innermost object in order, and forgets them.
bool CanonicalJson::Sort(size_t first_member, size_t begin) {
  const auto less = [this](const Member& a, const Member& b) {
    if (a.key_head != b.key_head) return a.key_head < b.key_head;
    const char* const out = out_.data() + 1;
    return std::string_view(out + a.begin, a.key_size) <
           std::string_view(out + b.begin, b.key_size);
  };
  const auto not_less = [&](const Member& a, const Member& b) { return !less(a, b); };
  const auto first = members_.begin() + static_cast<std::ptrdiff_t>(first_member);
  const auto unsorted = std::adjacent_find(first, members_.end(), not_less);
  if (unsorted != members_.end()) {
    std::sort(first, members_.end(), less);
    if (std::adjacent_find(first, members_.end(), not_less) != members_.end()) return false;
    const size_t size = Written() - begin;
    if (size > moves_left_) return false;
    moves_left_ -= size;
    char* to = sorted_.data();
    for (auto member = first; member != members_.end(); ++member) {
      if (member != first) *to++ = ',';
      to = std::copy(out_.data() + member->begin, out_.data() + member->end, to);
    }
    std::memcpy(out_.data() + begin, sorted_.data(), size);
  }
  members_.resize(first_member);
  return true;
}

bool CanonicalJson::String() {
  ++at_;
  Put('"');
  for (;;) {
    const uint64_t bytes = Load8(at_);
    std::memcpy(to_, &bytes, 8);
    const uint64_t special = Special(bytes);
    if (special == 0) {
      at_ += 8;
      to_ += 8;
      continue;
    }
    const int plain = std::countr_zero(special) / 8;
    at_ += plain;
    to_ += plain;
    if (*at_ == '"') {
      ++at_;
      Put('"');
      return true;
    }
    if (*at_ == '\\') {
      if (!Escape()) return false;
      continue;
    }
    const size_t size = SequenceSize(at_);
    if (size == 0) return false;  // A control character, or no UTF-8.
    std::memcpy(to_, at_, size);
    at_ += size;
    to_ += size;
  }
}

// Those that are printed as they are read, and the slash, which needs none.
bool CanonicalJson::Escape() {
  const char c = at_[1];
  if (c != '/') {
    if (c != '"' && c != '\\' && c != 'n' && c != 't' && c != 'r' && c != 'b' && c != 'f') {
      return false;
    }
    Put('\\');
  }
  Put(c);
  at_ += 2;
  return true;
}

bool CanonicalJson::Literal(std::string_view word) {
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  to_ = std::copy(word.begin(), word.end(), to_);
  at_ += word.size();
  return true;
}

bool CanonicalJson::Number() {
  const char* const begin = at_;
  if (*at_ == '-') ++at_;
  const char* const digits = at_;
  while (IsDigit(*at_)) ++at_;
  const auto count = at_ - digits;
  if (count == 0 || (*digits == '0' && count > 1)) return false;
  if (*at_ == '.' || *at_ == 'e' || *at_ == 'E') return Fraction(begin);
  if (count > kIntDigitsMax) return false;
  if (*digits == '0') {
    Put('0');  // Without a sign.
  } else {
    to_ = std::copy(begin, at_, to_);
  }
  return true;
}

bool CanonicalJson::Fraction(const char* begin) {
  if (*at_ == '.') {
    ++at_;
    if (!IsDigit(*at_)) return false;
    while (IsDigit(*at_)) ++at_;
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    if (!IsDigit(*at_)) return false;
    while (IsDigit(*at_)) ++at_;
  }
  double number = 0;
  if (std::from_chars(begin, at_, number).ec != std::errc()) return false;
  // nlohmann's own: which of several short spellings it takes is its affair.
  char text[64];
  const char* const end = nlohmann::detail::to_chars(text, text + sizeof text, number);
  if (end - text > at_ - begin) return false;
  to_ = std::copy(static_cast<const char*>(text), end, to_);
  return true;
}

}  // namespace dstap::proxy
