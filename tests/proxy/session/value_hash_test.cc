#include "proxy/session/value_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace dstap::proxy {
namespace {

TEST(HashOfValueTest, KeyOrderAndWhiteSpaceDoNotMatter) {
  EXPECT_EQ(HashOfValue(R"({"a":1,"b":[1,2]})"), HashOfValue(R"({ "b": [1, 2], "a": 1 })"));
}

TEST(HashOfValueTest, OrderInAnArrayAndTheValueItselfDo) {
  EXPECT_NE(HashOfValue("[1,2]"), HashOfValue("[2,1]"));
  EXPECT_NE(HashOfValue("777"), HashOfValue("888"));
  EXPECT_NE(HashOfValue(R"({"a":1})"), HashOfValue(R"({"a":"1"})"));
}

TEST(HashOfValueTest, TextThatIsNotJsonHasAHashOfItsBytes) {
  EXPECT_NE(HashOfValue("not json"), HashOfValue("not JSON"));
  EXPECT_NE(HashOfValue("\xff\xfe\xfd"), HashOfValue("\xff\xfe\xfc"));
  EXPECT_NE(HashOfValue(""), 0U);
}

// To the JSON library a NUL is the end of the text.
TEST(HashOfValueTest, WhatStandsBehindANulCounts) {
  using std::string_literals::operator""s;
  EXPECT_NE(HashOfValue("[1]\0a"s), HashOfValue("[1]\0b"s));
  EXPECT_NE(HashOfValue("[1]\0"s), HashOfValue("[1]"));
}

TEST(HashOfValueTest, NestingToTheLimitIsCanonicalAndPastItIsTakenAsItStands) {
  const auto nested = [](int depth, const char* inside) {
    return std::string(static_cast<size_t>(depth), '[') + inside +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_EQ(HashOfValue(nested(256, "1")), HashOfValue(nested(256, " 1")));
  EXPECT_NE(HashOfValue(nested(257, "1")), HashOfValue(nested(257, " 1")));
}

TEST(HashOfValueTest, AMillionBracketsDoNotEndTheProgram) {
  EXPECT_NE(HashOfValue(std::string(4'000'000, '[')), 0U);
}

TEST(HashOfValueTest, BracketsInsideStringsAreNoNesting) {
  const std::string inside(300, '[');
  EXPECT_EQ(HashOfValue("{\"a\":\"" + inside + "\",\"b\":1}"),
            HashOfValue("{\"b\":1, \"a\":\"" + inside + "\"}"));
  EXPECT_EQ(HashOfValue("{\"a\":\"\\\"" + inside + "\",\"b\":1}"),
            HashOfValue("{\"b\":1, \"a\":\"\\\"" + inside + "\"}"));
}

}  // namespace
}  // namespace dstap::proxy
