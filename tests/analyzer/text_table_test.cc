#include "analyzer/render/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/render/display_width.h"

namespace dstap::analyzer {
namespace {

using testing::ElementsAre;

TEST(WrapTextTest, CutsAtSpaces) {
  EXPECT_THAT(WrapText("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapText("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(WrapText("", 6), ElementsAre(""));
  EXPECT_THAT(WrapText("one\ntwo", 9), ElementsAre("one", "two"));
}

TEST(WrapTextTest, CutsAWordOnlyIfItIsLongerThanALine) {
  EXPECT_THAT(WrapText("ab cdefgh", 6), ElementsAre("ab", "cdefgh"));
  EXPECT_THAT(WrapText("ab cdefghi", 6), ElementsAre("ab", "cdefgh", "i"));
  EXPECT_THAT(WrapText("\xE6\x97\xA5\xE6\x9C\xAC", 3), ElementsAre("\xE6\x97\xA5", "\xE6\x9C\xAC"));
}

TEST(FormatTableTest, AlignsByDisplayWidth) {
  const Table table{.columns = {{"key"}, {"n", Column::Align::kRight}},
                    .rows = {{"ab", "7"}, {"\xE6\x97\xA5\xE6\x9C\xAC", "100"}}};
  EXPECT_EQ(FormatTable(table, 100),
            "  key     n\n"
            "  ab      7\n"
            "  \xE6\x97\xA5\xE6\x9C\xAC  100\n");
}

TEST(FormatTableTest, SaysTheFirstCellOfAGroupOnce) {
  const Table table{
      .columns = {{"a"}, {"b"}}, .rows = {{"x", "1"}, {"x", "2"}, {"y", "3"}}, .is_grouped = true};
  EXPECT_EQ(FormatTable(table, 100), "  a  b\n  x  1\n     2\n  y  3\n");
}

TEST(FormatTableTest, KeepsToItsColumns) {
  const Table table{.columns = {{"a"}, {.title = "b", .is_text = true}},
                    .rows = {{std::string(300, 'x'), "some words that need a few lines"}}};
  for (const size_t columns : {20U, 50U, 100U}) {
    std::string text = FormatTable(table, columns);
    size_t widest = 0;
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      widest = std::max(widest, DisplayWidth(text.substr(at, text.find('\n', at) - at)));
    }
    EXPECT_LE(widest, columns);
    EXPECT_GE(widest, columns - 4);
  }
}

TEST(FormatTableTest, CutsTextBeforeAnythingElse) {
  const Table table{
      .columns = {{"a"}, {.title = "b", .is_text = true}},
      .rows = {{"0.083 (0.067 to 0.100)", "1 UpdateAsync, 1 GetAsync past the cache"}}};
  EXPECT_EQ(FormatTable(table, 50),
            "  a                       b\n"
            "  0.083 (0.067 to 0.100)  1 UpdateAsync, 1\n"
            "                          GetAsync past the cache\n");
}

}  // namespace
}  // namespace dstap::analyzer
