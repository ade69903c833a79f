#include "analyzer/rewrite/cut_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dstap::analyzer {
namespace {

using ::testing::HasSubstr;

int64_t Parsed(std::string_view text) {
  const Result<CutTime> time = ParseCutTime(text);
  EXPECT_TRUE(time.ok()) << text;
  return time.ok() ? time->ns : -1;
}

TEST(CutTimeTest, DurationsHaveUnits) {
  EXPECT_EQ(Parsed("0"), 0);
  EXPECT_EQ(Parsed("90"), 90'000'000'000);
  EXPECT_EQ(Parsed("90s"), 90'000'000'000);
  EXPECT_EQ(Parsed("1.5"), 1'500'000'000);
  EXPECT_EQ(Parsed("1m30s"), 90'000'000'000);
  EXPECT_EQ(Parsed("1h1m1s1ms1us1ns"), 3'661'001'001'001);
  EXPECT_EQ(Parsed("250ms"), 250'000'000);
  EXPECT_EQ(Parsed("1.5h"), 5'400'000'000'000);
  EXPECT_EQ(Parsed("0.000000001s"), 1);
  EXPECT_EQ(Parsed("9223372036s"), 9'223'372'036'000'000'000);
}

TEST(CutTimeTest, WhatIsNoTimeIsRefused) {
  for (const char* text : {"",
                           "s",
                           "-1s",
                           "1x",
                           "1m30",
                           "1s1m",
                           "1s1s",
                           "1.s",
                           ".5s",
                           "1.5.5s",
                           "0.0000000001s",
                           "9223372037s",
                           "99999999999999999999s",
                           " 1s",
                           "1s ",
                           "2026-05-01",
                           "2026-05-01T12:00:00",
                           "2026-13-01T12:00:00Z",
                           "2026-02-29T12:00:00Z",
                           "2026-05-01T24:00:00Z",
                           "2026-05-01T12:60:00Z",
                           "2026-05-01T12:00:60Z",
                           "1969-12-31T23:59:59Z",
                           "2026-05-01T1:00:00Z"}) {
    const Result<CutTime> time = ParseCutTime(text);
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_EQ(time.status().code(), ErrorCode::kUsage);
    EXPECT_THAT(time.status().message(), HasSubstr("is no time"));
  }
}

TEST(CutTimeTest, DatesCountFromTheHeadersDate) {
  v1::Header header;
  header.set_clock(v1::CLOCK_KIND_WALL);
  header.set_start_unix_ns(1'767'225'600'000'000'000);  // 2026-01-01T00:00:00Z
  EXPECT_EQ(ParseCutTime("2026-01-01T00:01:00.25Z")->In(header)->count(), 60'250'000'000);
  EXPECT_EQ(ParseCutTime("2024-02-29T00:00:00Z")->ns, 1'709'164'800'000'000'000);
  EXPECT_EQ(ParseCutTime("90s")->In(header)->count(), 90'000'000'000);
  header.set_clock(v1::CLOCK_KIND_VIRTUAL);
  const auto refused = ParseCutTime("2026-01-01T00:01:00Z")->In(header);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("virtual"));
}

}  // namespace
}  // namespace dstap::analyzer
