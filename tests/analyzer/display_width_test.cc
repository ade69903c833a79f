#include "analyzer/render/display_width.h"

#include <gtest/gtest.h>

namespace dstap::analyzer {
namespace {

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("na\xC3\xAFve"), 5U);              // One letter in two bytes.
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1U);                 // A letter and an accent upon it.
  EXPECT_EQ(DisplayWidth("\xE6\x97\xA5\xE6\x9C\xAC"), 4U);  // Two wide letters.
  EXPECT_EQ(DisplayWidth("\xF0\x9F\x98\x80"), 2U);          // An emoji.
  EXPECT_EQ(DisplayWidth("\xFF\xFE"), 2U);                  // No text.
}

TEST(DisplayWidthTest, EdgesOfTheTables) {
  EXPECT_EQ(DisplayWidth(U'\x02FF'), 1);
  EXPECT_EQ(DisplayWidth(U'\x0300'), 0);
  EXPECT_EQ(DisplayWidth(U'\x036F'), 0);
  EXPECT_EQ(DisplayWidth(U'\x0370'), 1);
  EXPECT_EQ(DisplayWidth(U'\x115F'), 2);
  EXPECT_EQ(DisplayWidth(U'\x1160'), 1);
  EXPECT_EQ(DisplayWidth(char32_t{0x3FFFD}), 2);
  EXPECT_EQ(DisplayWidth(char32_t{0x3FFFE}), 1);
}

TEST(DisplayWidthTest, CutsBetweenCharactersAndTakesAtLeastOne) {
  EXPECT_EQ(BytesThatFit("abc", 2), 2U);
  EXPECT_EQ(BytesThatFit("abc", 9), 3U);
  EXPECT_EQ(BytesThatFit("\xE6\x97\xA5\xE6\x9C\xAC", 3), 3U);
  EXPECT_EQ(BytesThatFit("\xE6\x97\xA5", 1), 3U);
  EXPECT_EQ(BytesThatFit("ae\xCC\x81z", 2), 4U);
  EXPECT_EQ(BytesThatFit("", 3), 0U);
}

}  // namespace
}  // namespace dstap::analyzer
