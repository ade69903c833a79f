// What can be written, and what is said of what cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/proto/filter/filter_cases.h"

namespace dstap::filter {
namespace {

using test::AFullSubject;
using test::Matches;

std::string ErrorOf(std::string_view text, Options options = {}) {
  const Result<Filter> filter = Filter::Parse(text, options);
  if (filter.ok()) return "no error";
  EXPECT_EQ(filter.status().code(), ErrorCode::kUsage);
  return filter.status().message();
}

TEST(FilterParserTest, AndBindsMoreTightlyThanOr) {
  const auto is_true = [](std::string_view text) { return Matches(text, AFullSubject()); };
  // id is 77, runs is 2.
  EXPECT_TRUE(is_true("id == 77 || id == 1 && runs == 1"));
  EXPECT_FALSE(is_true("(id == 77 || id == 1) && runs == 1"));
  EXPECT_TRUE(is_true("runs == 1 && id == 1 || id == 77"));
  EXPECT_FALSE(is_true("runs == 1 && (id == 1 || id == 77)"));
  EXPECT_TRUE(is_true("!id == 1 && runs == 2"));  // ! takes the next condition alone.
  EXPECT_FALSE(is_true("!(id == 1 || runs == 2)"));
  EXPECT_TRUE(is_true("!!id == 77"));
  EXPECT_TRUE(is_true("!(!(id == 77) || !(runs == 2))"));
}

TEST(FilterParserTest, SpacesDoNotMatter) {
  EXPECT_TRUE(Matches("id==77&&runs>1", AFullSubject()));
  EXPECT_TRUE(Matches(" \t( id\n== 77 )\r\n&&\n!outcome==ok ", AFullSubject()));
  EXPECT_TRUE(Matches("method in(GetAsync,ListKeysAsync)", AFullSubject()));
}

TEST(FilterParserTest, EachComparisonOfNumbersIsExactAtItsBound) {
  const auto is_true = [](std::string_view text) { return Matches(text, AFullSubject()); };
  EXPECT_TRUE(is_true("latency <= 500ms && latency >= 500ms && latency == 0.5s"));
  EXPECT_FALSE(is_true("latency < 500ms"));
  EXPECT_FALSE(is_true("latency > 500ms"));
  EXPECT_FALSE(is_true("latency != 500ms"));
  EXPECT_TRUE(is_true("latency < 500001us && latency > 499.999ms && latency != 1ns"));
  EXPECT_TRUE(is_true("latency in (1s, 500ms) && !latency in (1s, 2s)"));
}

TEST(FilterParserTest, UnitsAreWhatTheySay) {
  capture::CallRecord call{.id = 1};
  call.issued = std::chrono::hours(36);
  for (const char* text : {"36h", "2160m", "129600s", "129600000ms", "129600000000us",
                           "129600000000000ns", "1.5h", "0.025h"}) {
    const bool is_all = std::string_view(text).find('.') == std::string_view::npos;
    EXPECT_EQ(Matches("issued == " + std::string(text), {.call = call}), is_all) << text;
  }
  EXPECT_TRUE(Matches("issued != 0", {.call = call}));
  call.read = capture::ValueInfo{.bytes = uint64_t{3} << 29};
  for (const char* text : {"1.5GiB", "1536MiB", "1572864KiB", "1610612736B", "1610612736",
                           "1.610612736GB", "1610.612736MB", "1610612.736KB"}) {
    EXPECT_TRUE(Matches("read_size == " + std::string(text), {.call = call})) << text;
  }
}

TEST(FilterParserTest, TextIsComparedByteByByte) {
  capture::CallRecord call{.id = 1};
  call.key = std::string_view("a\"b\\c\n\xFF*\0", 9);
  EXPECT_TRUE(Matches(R"(key == "a\"b\\c\n\xff\*\x00")", {.call = call}));
  EXPECT_TRUE(Matches(R"(key == 'a"b\\c\n\xFF*\x00')", {.call = call}));
  EXPECT_TRUE(Matches(R"(key ~ "a\"b??\n\xff\*?")", {.call = call}));
  EXPECT_TRUE(Matches(R"(key ~ "*\*?")", {.call = call}));
  EXPECT_FALSE(Matches(R"(key ~ "*\??")", {.call = call}));
  EXPECT_TRUE(Matches(R"(key !~ "A*")", {.call = call}));
  call.key = "プレイヤー_1";
  EXPECT_TRUE(Matches("key ~ プレイヤー_*", {.call = call}));
  call.key = "a\t'\r";
  EXPECT_TRUE(Matches(R"(key == 'a\t\'\r')", {.call = call}));
  call.key = "none";
  EXPECT_TRUE(Matches("key == 'none' && key != none", {.call = call}));
  call.key = "in";
  EXPECT_TRUE(Matches("key in (in)", {.call = call}));
}

TEST(FilterParserTest, NamesCanBeLikeAPattern) {
  capture::CallRecord call{.id = 1};
  call.method = v1::METHOD_MEMORY_QUEUE_READ;
  EXPECT_TRUE(Matches("method ~ Memory*", {.call = call}));
  EXPECT_TRUE(Matches("method ~ 'MemoryQueue.*'", {.call = call}));
  EXPECT_FALSE(Matches("method !~ Memory*", {.call = call}));
  EXPECT_TRUE(Matches("method !~ *Update* && method != GetAsync", {.call = call}));
}

TEST(FilterParserTest, AFlagStandsAlone) {
  EXPECT_TRUE(Matches("all_scopes", AFullSubject()));
  EXPECT_TRUE(Matches("(all_scopes) && !unchanged", AFullSubject()));
  EXPECT_TRUE(Matches("all_scopes != false || id == 1", AFullSubject()));
}

TEST(FilterParserTest, AskingForAStepIsKnown) {
  EXPECT_TRUE(Filter::Parse("id == 1 || !(step == load)")->asks_for_steps());
  EXPECT_FALSE(Filter::Parse("id == 1 || !(key == step)")->asks_for_steps());
}

TEST(FilterParserTest, AFilterKeepsWhatItIsMadeFrom) {
  std::string text = "key == \"some key\"";
  Filter filter = *Filter::Parse(text);
  text.assign(text.size(), 'x');
  const Filter copy = filter;
  capture::CallRecord call{.id = 1};
  call.key = "some key";
  EXPECT_TRUE(copy.Matches({.call = call}));
  EXPECT_EQ(copy.text(), "key == \"some key\"");
}

struct WrongCase {
  std::string_view text;
  std::string_view error;
};

constexpr WrongCase kWrong[] = {
    // The whole.
    {"", "column 1: the filter is empty; a condition must stand here: outcome != ok"},
    {" \t", "column 3: the filter is empty; a condition must stand here: outcome != ok"},
    {"id == 1 &&", "column 11: the filter ends here; a condition must stand here: outcome != ok"},
    {"id == 1 || && id == 2",
     "column 12: found \"&&\"; a condition must stand here: outcome != ok"},
    {"id == 1 id == 2", "column 9: found \"id\"; && or || must stand before another condition"},
    {"id == 1 and id == 2", "column 9: found \"and\"; write &&"},
    {"(id == 1 or id == 2)", "column 10: found \"or\"; write ||"},
    {"not id == 1", "column 1: found \"not\"; write !"},
    {"and id == 1", "column 1: found \"and\"; a condition must stand before &&"},
    {"(id == 1", "column 9: the filter ends here; \")\" must close the \"(\" of column 1"},
    {"id == 1)", "column 8: \")\" closes nothing; remove it, or write a \"(\" before"},
    {"()", "column 2: found \")\"; a condition must stand here: outcome != ok"},
    // Tokens.
    {"id = 1", "column 4: \"=\" means nothing here; write == for \"is\""},
    {"id =~ 1", "column 4: \"=~\" means nothing here; write ~ for a pattern"},
    {"id => 1", "column 4: \"=>\" means nothing here; write >="},
    {"id =< 1", "column 4: \"=<\" means nothing here; write <="},
    {"id == 1 & id == 2", "column 9: \"&\" means nothing here; write && for \"and\""},
    {"id == 1 | id == 2", "column 9: \"|\" means nothing here; write || for \"or\""},
    {"id == 1; id == 2", "column 8: \";\" means nothing here; write && between conditions"},
    {"key == a$b", "column 9: \"$\" means nothing here; write text that holds it in quotes"},
    {"key == \"a", "column 8: this text never ends; write \" behind it"},
    {"key == 'a\\",
     "column 10: \"\\\" is no escape; there are \\\\ \\\" \\' \\* \\? \\n \\t \\r \\xNN"},
    {"key == 'a\\q'",
     "column 10: \"\\q\" is no escape; there are \\\\ \\\" \\' \\* \\? \\n \\t \\r \\xNN"},
    {"key == 'a\\x4'", "column 10: \\x takes two hexadecimal digits: \\x0a"},
    // Columns are characters.
    {"key == \"プレイヤー\" && scpe == 1", "column 19: \"scpe\" is no field; did you mean scope?"},
    // Fields.
    {"methd == GetAsync", "column 1: \"methd\" is no field; did you mean method?"},
    {"Outcome == ok", "column 1: \"Outcome\" is no field; did you mean outcome?"},
    {"store_kind == ordered", "column 1: \"store_kind\" is no field; here it is called kind"},
    {"read_bytes > 5", "column 1: \"read_bytes\" is no field; here it is called read_size"},
    {"5s < queue", "column 1: found \"5s\"; the field stands first: queue > 5s"},
    {"'a' == key", "column 1: found \"a\"; the field stands first: key == Player_1"},
    // Operators.
    {"key", "column 4: the filter ends here; behind key must stand one of ==, !=, in, ~, !~"},
    {"key Player_1",
     "column 5: found \"Player_1\"; behind key must stand one of ==, !=, in, ~, !~"},
    {"id ! 1", "column 4: found \"!\"; behind id must stand one of ==, !=, in, <, <=, >, >="},
    {"method not in (GetAsync)",
     "column 8: found \"not\"; write ! before the whole: !(method in (...))"},
    {"key < a", "column 5: < is not for a text; key takes ==, !=, in, ~, !~"},
    {"outcome >= ok", "column 9: >= is not for a name; outcome takes ==, !=, in, ~, !~"},
    {"queue ~ 5*", "column 7: ~ is not for a time; queue takes ==, !=, in, <, <=, >, >="},
    {"read_hash > 0", "column 11: > is not for a hash; read_hash takes ==, !=, in"},
    {"all_scopes ~ t*", "column 12: ~ is not for a flag; all_scopes takes ==, !=, in"},
    // Values.
    {"key ==", "column 7: the filter ends here; a value must stand here: Player_1 or \"any text\""},
    {"queue > && id == 1", "column 9: found \"&&\"; a value must stand here: 1s or 250ms"},
    {"key == ''",
     "column 8: a key is never an empty text; write key == none for calls without one"},
    {"key ~ \"\"",
     "column 7: a key is never an empty text; write key == none for calls without one"},
    {"key == Player_*",
     "column 8: \"Player_*\" is a pattern; write key ~ \"Player_*\", or put it in quotes if "
     "it is "
     "the text itself"},
    {"outcome == OK", "column 12: \"OK\" is no outcome; did you mean ok?"},
    {"method != updateasync", "column 11: \"updateasync\" is no method; did you mean UpdateAsync?"},
    {"method == Update", "column 11: \"Update\" is no method; did you mean UpdateAsync?"},
    {"method == Delete_Everything_There_Is",
     "column 11: \"Delete_Everything_There_Is\" is no method; there are unknown, GetAsync, "
     "SetAsync, "
     "UpdateAsync, IncrementAsync, RemoveAsync, GetVersionAsync, GetVersionAtTimeAsync and 26 "
     "others"},
    {"served_by == somebody",
     "column 14: \"somebody\" is no served_by; there are unknown, backend, local_copy"},
    {"method ~ Foo*",
     "column 10: no method is like \"Foo*\"; there are unknown, GetAsync, SetAsync, "
     "UpdateAsync, IncrementAsync, RemoveAsync, GetVersionAsync, GetVersionAtTimeAsync and 26 "
     "others"},
    {"all_scopes == yes", "column 15: \"yes\" is no all_scopes; there are false, true"},
    {"id == seven", "column 7: \"seven\" is no number; write digits: 301"},
    {"id == -1", "column 7: \"-1\" is no number; write digits: 301"},
    {"id == 18446744073709551616",
     "column 7: \"18446744073709551616\" is too large: values end at 18446744073709551615"},
    {"queue > 5", "column 9: \"5\" is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"},
    {"queue > 5sec",
     "column 9: \"5sec\" is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"},
    {"queue > -5s",
     "column 9: \"-5s\" is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"},
    {"queue > 1.s",
     "column 9: \"1.s\" is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"},
    {"queue > 0.5",
     "column 9: \"0.5\" is no time; write it with a unit: 5s, 250ms, 20us, 1.5m, 1h"},
    {"queue > 1.5ns", "column 9: \"1.5ns\" is finer than a nanosecond"},
    {"queue > 2562048h", "column 9: \"2562048h\" is too long: times end at 292 years"},
    {"read_size > 4kb", "column 13: \"4kb\" is no size; write 900, 900B, 4KB, 1.5MiB"},
    {"read_size > 1.5", "column 13: \"1.5\" is no whole number of bytes"},
    {"read_size > 18446744073709551616",
     "column 13: \"18446744073709551616\" is too large: values end at 18446744073709551615"},
    {"read_hash == written_hash",
     "column 14: \"written_hash\" is no hash; write its 16 hexadecimal "
     "digits, as \"dstap cat\" has them"},
    {"id == none", "column 7: id is never none; every call has one"},
    {"served_by != none", "column 14: served_by is never none; what is not known of it is unknown"},
    {"key ~ none",
     "column 7: none is no value; write key == none or key != none, or \"none\" in quotes "
     "for the text"},
    {"queue > none",
     "column 9: none is no value; write queue == none or queue != none, or \"none\" in "
     "quotes for the text"},
    // Lists.
    {"method in GetAsync", "column 11: found \"GetAsync\"; behind in must stand a list: (a, b)"},
    {"method in ()", "column 12: found \")\"; a value must stand here: a name"},
    {"method in (GetAsync SetAsync)",
     "column 21: found \"SetAsync\"; \",\" or \")\" must stand behind a value of a list"},
    {"method in (GetAsync,", "column 21: the filter ends here; a value must stand here: a name"},
};

TEST(FilterParserTest, WhatIsWrongIsSaidWithItsPlaceAndARemedy) {
  for (const WrongCase& one : kWrong) EXPECT_EQ(ErrorOf(one.text), one.error) << one.text;
}

TEST(FilterParserTest, AFieldThatIsNearNoneIsAnsweredWithAll) {
  const std::string error = ErrorOf("whatever_it_is == 1");
  EXPECT_THAT(error,
              testing::StartsWith("column 1: \"whatever_it_is\" is no field; there are id, "));
  EXPECT_THAT(error, testing::EndsWith(", taken"));
}

TEST(FilterParserTest, StepsAreNotKnownWhileRecording) {
  const Options recording{.has_steps = false};
  for (const char* field : {"step", "step_id", "sample", "scenario", "subject"}) {
    EXPECT_EQ(ErrorOf("outcome == ok && " + std::string(field) + " == 1", recording),
              "column 18: " + std::string(field) +
                  " is not known while recording; ask for source, store, key or caller instead");
  }
  EXPECT_EQ(ErrorOf("source == 'a' && library == b", recording), "no error");
}

TEST(FilterParserTest, AFilterHasALength) {
  std::string text = "key == \"" + std::string(kFilterBytesMax - 9, 'k') + "\"";
  ASSERT_EQ(text.size(), kFilterBytesMax);
  EXPECT_EQ(ErrorOf(text), "no error");
  EXPECT_EQ(ErrorOf(text + " "),
            "column 4097: a filter ends at 4096 bytes, and this one has 4097; "
            "ask for less, or filter twice");
}

TEST(FilterParserTest, APatternHasALength) {
  const auto of_size = [](size_t size) { return "key ~ \"" + std::string(size, '?') + "\""; };
  EXPECT_EQ(ErrorOf(of_size(kPatternBytesMax)), "no error");
  EXPECT_EQ(
      ErrorOf(of_size(kPatternBytesMax + 1)),
      "column 7: a pattern ends at 256 bytes, and this one has 257; make it shorter with a *");
}

TEST(FilterParserTest, ParenthesesHaveADepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "id == 77" + std::string(depth, ')');
  };
  EXPECT_TRUE(Matches(nested(kDepthMax), AFullSubject()));
  EXPECT_TRUE(Matches(nested(kDepthMax) + " && " + nested(kDepthMax), AFullSubject()));
  EXPECT_EQ(ErrorOf(nested(kDepthMax + 1)),
            "column 65: more than 64 parentheses in each other; remove some");
  EXPECT_EQ(ErrorOf(std::string(kFilterBytesMax, '(')),
            "column 65: more than 64 parentheses in each other; remove some");
}

TEST(FilterParserTest, ManyExclamationMarksAreNoDepth) {
  EXPECT_TRUE(Matches(std::string(4000, '!') + "id == 77", AFullSubject()));
  EXPECT_FALSE(Matches(std::string(4001, '!') + "id == 77", AFullSubject()));
}

}  // namespace
}  // namespace dstap::filter
