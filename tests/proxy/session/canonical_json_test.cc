// The hash without a tree against the hash of what nlohmann/json prints of a tree.
#include "proxy/session/canonical_json.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proto/base/prng.h"
#include "proxy/session/value_hash.h"
#include "tests/support/allocations.h"

namespace dstap::proxy {
namespace {

std::optional<std::string> ByTree(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Of text that is not nested too deep.
uint64_t HashByTree(std::string_view json) {
  const std::string text =
      json.size() < 3 ? std::string(json) : ByTree(json).value_or(std::string(json));
  return XXH3_64bits(text.data(), text.size());
}

// Whether it is one of those that need no tree; and whatever it is, its hash is right.
bool NeedsNoTree(std::string_view json) {
  EXPECT_EQ(HashOfValue(json), HashByTree(json)) << json;
  CanonicalJson canonical;
  const auto text = canonical.Of(json);
  if (text) {
    EXPECT_EQ(std::string(*text), ByTree(json).value_or("(not JSON)")) << json;
  }
  return text.has_value();
}

// JSON text of every shape, and sometimes something close to it.
class Writer {
 public:
  explicit Writer(uint64_t seed) : prng_(seed) {}

  std::string Text() {
    text_.clear();
    Space();
    Value(0);
    Space();
    if (prng_.Below(4) == 0) Spoil();
    return text_;
  }

 private:
  template <size_t N>
  void OneOf(const std::string_view (&pieces)[N]) {
    text_ += pieces[prng_.Below(N)];
  }
  void Space() {
    static constexpr std::string_view kSpaces[] = {"", "", "", "", " ", "\n", "\t", "\r\n  "};
    OneOf(kSpaces);
  }

  void Value(int depth) {
    switch (prng_.Below(depth > 5 ? 5 : 8)) {
      case 0: {
        static constexpr std::string_view kLiterals[] = {"true", "false", "null"};
        return OneOf(kLiterals);
      }
      case 1:
        return Number();
      case 2: {
        static constexpr std::string_view kNumbers[] = {"0",
                                                        "-0",
                                                        "1.0",
                                                        "-0.0",
                                                        "1e5",
                                                        "1E-7",
                                                        "0.1",
                                                        "100.50",
                                                        "1e400",
                                                        "1e-400",
                                                        "5e-324",
                                                        "123456789012345678",
                                                        "1234567890123456789",
                                                        "-9223372036854775808",
                                                        "9223372036854775808",
                                                        "18446744073709551615",
                                                        "18446744073709551616",
                                                        "1e+2",
                                                        "0.30000000000000004",
                                                        "1700000000.123",
                                                        "3.0e0",
                                                        "9007199254740993",
                                                        "2.5e-3"};
        return OneOf(kNumbers);
      }
      case 3:
      case 4:
        return String();
      case 5:
        return Array(depth);
      default:
        return Object(depth);
    }
  }

  void Number() {
    if (prng_.Below(3) == 0) text_ += '-';
    text_ += std::to_string(prng_.Next() >> prng_.Below(64));
    if (prng_.Below(3) == 0) text_ += '.' + std::to_string(prng_.Below(100'000));
    if (prng_.Below(8) == 0) text_ += "e-" + std::to_string(prng_.Below(30));
  }

  void String() {
    static constexpr std::string_view kPieces[] = {"a",
                                                   "b",
                                                   "Coins",
                                                   "user_",
                                                   "a longer piece of plain text, in several words",
                                                   "\\\"",
                                                   "\\\\",
                                                   "\\/",
                                                   "\\n",
                                                   "\\b\\f\\r\\t",
                                                   "\\u0041",
                                                   "\\u001F",
                                                   "\\u00e9",
                                                   "\\ud83d\\ude00",
                                                   "\\ud83d",
                                                   "\xC3\xA9",
                                                   "\xE2\x82\xAC",
                                                   "\xF0\x9F\x98\x80",
                                                   "\x7F",
                                                   "\xED\xA0\x80",
                                                   "\xC0\xAF",
                                                   "\xF4\x90\x80\x80",
                                                   "\xE2\x82",
                                                   "\t",
                                                   "\\x",
                                                   "'",
                                                   "/",
                                                   "{[,:]}"};
    text_ += '"';
    // Pieces from the middle on are rare: most strings are plain.
    for (uint64_t n = prng_.Below(4); n > 0; --n) {
      text_ += kPieces[prng_.Below(prng_.Below(6) == 0 ? std::size(kPieces) : 6)];
    }
    text_ += '"';
  }

  void Array(int depth) {
    text_ += '[';
    Space();
    for (uint64_t n = prng_.Below(4), i = 0; i < n; ++i) {
      if (i > 0) text_ += ',';
      Space();
      Value(depth + 1);
      Space();
    }
    text_ += ']';
  }

  void Object(int depth) {
    text_ += '{';
    Space();
    for (uint64_t n = prng_.Below(6), i = 0; i < n; ++i) {
      if (i > 0) text_ += ',';
      Space();
      if (prng_.Below(3) == 0) {
        String();
      } else {  // Seldom twice the same.
        text_ += '"' + std::string(prng_.Below(12), 'k') + std::to_string(prng_.Below(100)) + '"';
      }
      Space();
      text_ += ':';
      Space();
      Value(depth + 1);
      Space();
    }
    text_ += '}';
  }

  void Spoil() {
    static constexpr std::string_view kBytes[] = {"",  ",",    "}", "]", "\"",
                                                  "0", "\xFF", "x", "-", "."};
    const size_t at = prng_.Below(text_.size() + 1);
    text_.replace(at, prng_.Below(2), kBytes[prng_.Below(std::size(kBytes))]);
    if (prng_.Below(8) == 0) text_.resize(prng_.Below(text_.size() + 1));
  }

  Prng prng_;
  std::string text_;
};

TEST(CanonicalJsonTest, HashesAreThoseOfTheTreeForTextOfEveryShape) {
  constexpr int kTexts = 20'000;
  int without_tree = 0;
  for (uint64_t seed = 0; seed < kTexts; ++seed) {
    SCOPED_TRACE(seed);
    without_tree += NeedsNoTree(Writer(seed).Text()) ? 1 : 0;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(without_tree, kTexts / 4);
}

TEST(CanonicalJsonTest, EveryPrefixAndEveryByteFlippedHasTheHashOfTheTree) {
  const std::string text =
      R"({"b": [1, -2.5, "x\"y\/z"], "a": {"key":"Grüße","n":null}, "Z":1e-2, "a longer key":true})";
  EXPECT_TRUE(NeedsNoTree(text));
  for (size_t i = 0; i < text.size(); ++i) {
    NeedsNoTree(text.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      NeedsNoTree(flipped);
    }
  }
}

TEST(CanonicalJsonTest, WhatPlayersDataLooksLikeNeedsNoTree) {
  EXPECT_TRUE(NeedsNoTree(R"({"Coins":12345,"Level":17,"Items":[{"Id":"sword","Count":3}]})"));
  EXPECT_TRUE(NeedsNoTree(R"({"Position":[1.5,-20.25,0.1],"Last":1700000000.123})"));
  EXPECT_TRUE(NeedsNoTree(R"({"inventory-1":1,"inventory-10":2,"inventory-2":3,"inventory":4})"));
  EXPECT_TRUE(NeedsNoTree("{\"Name\":\"J\xC3\xBCrgen\",\"Path\":\"a\\/b\",\"Quote\":\"\\\"\"}"));
  EXPECT_TRUE(NeedsNoTree(R"({"":-0,"a":[],"b":{},"c":[[],{}]})"));
}

TEST(CanonicalJsonTest, AnIntegerOf18DigitsNeedsNoTreeAndOneOf19Does) {
  EXPECT_TRUE(NeedsNoTree("-123456789012345678"));
  EXPECT_FALSE(NeedsNoTree("1234567890123456789"));
}

TEST(CanonicalJsonTest, AKeyThatStandsTwiceTakesATreeAndTheLastOneCounts) {
  EXPECT_FALSE(NeedsNoTree(R"({"a":1,"b":2,"a":3})"));
  EXPECT_EQ(HashOfValue(R"({"a":1,"b":2,"a":3})"), HashOfValue(R"({"a":3,"b":2})"));
}

TEST(CanonicalJsonTest, NestingToTheLimitNeedsNoTree) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(NeedsNoTree(nested(256)));
  CanonicalJson canonical;
  EXPECT_FALSE(canonical.Of(nested(257)));
}

// Objects that are each moved whole: so deep that they would be moved more often than is allowed.
TEST(CanonicalJsonTest, TextThatWouldBeMovedTooOftenTakesATree) {
  const auto nested = [](size_t depth) {
    std::string text(1000, '1');
    text = '"' + text + '"';
    for (size_t i = 0; i < depth; ++i) text = R"({"b":)" + text + R"(,"a":1})";
    return text;
  };
  EXPECT_TRUE(NeedsNoTree(nested(CanonicalJson::kMovesMax)));
  EXPECT_FALSE(NeedsNoTree(nested(2 * CanonicalJson::kMovesMax)));
}

TEST(CanonicalJsonTest, OnceWarmAHashTakesNoAllocation) {
  if (!test::kCanCount) GTEST_SKIP() << "this build cannot count allocations";
  const std::string values[] = {
      R"({"Coins":12345,"Level":17,"Items":[{"Id":"sword","Count":3},{"Id":"bow","Count":1}]})",
      R"({"Z":1.25,"A":"text","M":[true,false,null,{"b":2,"a":1}]})"};
  const auto hash_all = [&] {
    uint64_t sum = 0;
    for (const std::string& value : values) sum += HashOfValue(value);
    return sum;
  };
  hash_all();
  const uint64_t warm = test::Allocations();
  hash_all();
  EXPECT_EQ(test::Allocations(), warm);
}

}  // namespace
}  // namespace dstap::proxy
