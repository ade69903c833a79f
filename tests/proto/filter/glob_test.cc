#include "proto/filter/glob.h"

#include <gtest/gtest.h>

#include "proto/base/prng.h"

namespace dstap::filter {
namespace {

std::vector<bool> Wild(std::string_view pattern) {
  std::vector<bool> wild;
  for (const char c : pattern) wild.push_back(c == '*' || c == '?');
  return wild;
}

bool Matches(std::string_view pattern, std::string_view text) {
  return Glob(pattern, Wild(pattern)).Matches(text);
}

// By its definition, whatever it costs.
bool Naive(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return Naive(pattern.substr(1), text) || (!text.empty() && Naive(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
         Naive(pattern.substr(1), text.substr(1));
}

TEST(GlobTest, AStarStandsForAnyBytesAndAQuestionMarkForOne) {
  EXPECT_TRUE(Matches("Player_*", "Player_1"));
  EXPECT_TRUE(Matches("Player_*", "Player_"));
  EXPECT_FALSE(Matches("Player_*", "player_1"));
  EXPECT_TRUE(Matches("*_data", "Player_data"));
  EXPECT_FALSE(Matches("*_data", "Player_data2"));
  EXPECT_TRUE(Matches("a*c*e", "abcde"));
  EXPECT_TRUE(Matches("?b?", "abc"));
  EXPECT_FALSE(Matches("?b?", "ab"));
  EXPECT_TRUE(Matches("*", std::string_view("\0\xFF", 2)));
  EXPECT_TRUE(Matches("\xFF?", std::string_view("\xFF\0", 2)));
  EXPECT_TRUE(Matches("**", ""));
  EXPECT_FALSE(Matches("*?", ""));
}

TEST(GlobTest, WhatIsEscapedIsOnlyItself) {
  const Glob glob("a*b?*", {false, false, false, false, true});
  EXPECT_TRUE(glob.Matches("a*b?c"));
  EXPECT_FALSE(glob.Matches("aXb?c"));
  EXPECT_TRUE(Glob("a*").Matches("a*"));
  EXPECT_FALSE(Glob("a*").Matches("ab"));
}

TEST(GlobTest, IsWhatItsDefinitionSays) {
  Prng prng(1);
  const auto text_of = [&prng](std::string_view letters, uint64_t size_max) {
    std::string text;
    for (uint64_t size = prng.Below(size_max + 1); text.size() < size;) {
      text += letters[prng.Below(letters.size())];
    }
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string pattern = text_of("ab*?", 8);
    const std::string text = text_of("ab", 10);
    ASSERT_EQ(Matches(pattern, text), Naive(pattern, text)) << pattern << " " << text;
    matches += Matches(pattern, text) ? 1 : 0;
  }
  EXPECT_GT(matches, 1000);
}

// With one step too many for each star this would not end.
TEST(GlobTest, NoPatternTakesLong) {
  std::string pattern;
  while (pattern.size() < 254) pattern += "a*";
  EXPECT_FALSE(Matches(pattern + "b", std::string(20'000, 'a')));
  EXPECT_FALSE(Matches("*" + std::string(200, '?') + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace dstap::filter
