// docs/filter.md has the tables of the code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "proto/filter/filter.h"
#include "proto/filter/operators.h"

namespace dstap::filter {
namespace {

std::string Page() {
  std::ifstream file(DSTAP_SOURCE_DIR "/docs/filter.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(FilterDocTest, ThePageHasEveryFieldAndNoOther) {
  std::string table = "| field | kind | meaning |\n|---|---|---|\n";
  for (const Field& field : AllFields()) {
    table += fmt::format("| `{}` | {} | {} |\n", field.name, NameOf(field.kind), field.meaning);
  }
  EXPECT_THAT(Page(), testing::HasSubstr(table + "\n"));
}

TEST(FilterDocTest, ThePageHasEveryOperatorAndNoOther) {
  std::string table = "| operator | the field |\n|---|---|\n";
  for (const OperatorRow& row : kOperators) {
    table += fmt::format("| `{}` | {} |\n", row.text, row.meaning);
  }
  EXPECT_THAT(Page(), testing::HasSubstr(table + "\n"));
}

TEST(FilterDocTest, ThePageSaysWhatAKindTakes) {
  using enum FieldKind;
  for (const FieldKind kind : {kText, kName, kFlag, kNumber, kTime, kSize, kHash}) {
    std::string operators;
    for (const OperatorRow& row : kOperators) {
      if (Takes(kind, row.asks)) operators += fmt::format("`{}` ", row.text);
    }
    EXPECT_THAT(Page(), testing::HasSubstr(fmt::format("| {} | {}| ", NameOf(kind), operators)));
  }
}

TEST(FilterDocTest, ThePageHasTheLimits) {
  EXPECT_THAT(Page(), testing::HasSubstr(fmt::format("(at most {} in each other)", kDepthMax)));
  EXPECT_THAT(Page(), testing::HasSubstr(fmt::format("at most {} bytes, a pattern at most {}",
                                                     kFilterBytesMax, kPatternBytesMax)));
}

}  // namespace
}  // namespace dstap::filter
