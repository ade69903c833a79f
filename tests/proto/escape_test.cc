#include "proto/base/escape.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace dstap::test {
namespace {

using namespace std::string_literals;

TEST(EscapeTest, TextThatCanBePrintedStaysAsItIs) {
  for (const char* text : {"", "Player_123", "a b~!\"'", "Größe", "鍵", "\xF0\x9F\x94\x91"}) {
    EXPECT_EQ(Escape(text), text);
  }
}

TEST(EscapeTest, WhatWouldMoveACursorOrHideTextIsSpeltOut) {
  EXPECT_EQ(Escape("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Escape("\x1B[2J\x7F\0"s), "\\x1b[2J\\x7f\\x00");
  EXPECT_EQ(Escape("\xC2\x9B"), "\\xc2\\x9b");           // C1: another way to write ESC [.
  EXPECT_EQ(Escape("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // Right-to-left override.
  EXPECT_EQ(Escape("\xE2\x80\xA8"), "\\xe2\\x80\\xa8");  // Line separator.
  EXPECT_EQ(Escape("\xEF\xBB\xBF"), "\\xef\\xbb\\xbf");  // Byte order mark.
  EXPECT_EQ(Escape("\\x41"), "\\\\x41");
}

TEST(EscapeTest, ALineKeepsItsBackslashesAndLosesWhatMovesACursor) {
  EXPECT_EQ(EscapeLine("a\\x1b \x1B[2J\xFF"), "a\\x1b \\x1b[2J\\xff");
}

TEST(EscapeTest, BytesThatAreNotUtf8AreSpeltOutAndTheRestIsKept) {
  EXPECT_EQ(Escape("a\xFF"
                   "b"),
            "a\\xffb");
  EXPECT_EQ(Escape("\xC3"), "\\xc3");                             // Cut off.
  EXPECT_EQ(Escape("\xE9\x8D"), "\\xe9\\x8d");                    // Likewise.
  EXPECT_EQ(Escape("\xC0\xAF"), "\\xc0\\xaf");                    // Overlong.
  EXPECT_EQ(Escape("\xE0\x80\xAF"), "\\xe0\\x80\\xaf");           // Overlong.
  EXPECT_EQ(Escape("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // A surrogate.
  EXPECT_EQ(Escape("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // Past U+10FFFF.
  EXPECT_EQ(Escape("\xF4\x8F\xBF\xBD"), "\xF4\x8F\xBF\xBD");
}

TEST(EscapeTest, DifferentInputsLookDifferent) {
  std::set<std::string> seen;
  for (int a = 0; a < 256; ++a) {
    EXPECT_TRUE(seen.insert(Escape(std::string(1, static_cast<char>(a)))).second) << a;
    for (int b = 0; b < 256; ++b) {
      EXPECT_TRUE(
          seen.insert(Escape(std::string{static_cast<char>(a), static_cast<char>(b)})).second);
    }
  }
}

}  // namespace
}  // namespace dstap::test
