#include "analyzer/commands/diff_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/capture_bytes.h"
#include "tests/support/capture_command.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::CommandResult;
using test::Get;
using test::Update;
using testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

CommandResult Diff(std::vector<std::string> arguments) {
  return test::RunCommand<DiffCommand>(std::move(arguments));
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

CaptureScript Load(std::string_view version, int64_t requests, std::string_view observed = {},
                   std::string_view step = "load") {
  CaptureScript script;
  script.Header().Source(1, "server", "lapis", version);
  script.Begin(1s, {.subject = "lapis", .name = step});
  for (int64_t i = 0; i < requests; ++i) script.Call(Update("a", (1 + i) * 1s, (1 + i) * 1s + 1ms));
  return script.End(20s, 1, observed);
}

class DiffCommandTest : public testing::Test {
 protected:
  DiffCommandTest()
      : folder_(std::string("diff-") +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  std::string File(const std::string& name, const CaptureScript& script) {
    return folder_.File(name, test::BytesOf(script));
  }
  std::string Old() { return File("old.dstap", Load("0.3.0", 2).Closed(30s)); }
  std::string New() { return File("new.dstap", Load("0.3.8", 3).Closed(30s)); }

  test::TemporaryFolder folder_;
};

TEST_F(DiffCommandTest, SaysWhatChangedBetweenTwoVersions) {
  const CommandResult result = Diff({Old(), New()});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_THAT(result.out, HasSubstr("dstap diff: lapis 0.3.0 -> 0.3.8, 1 step compared\n"));
  EXPECT_THAT(result.out, HasSubstr("lapis 0.3.0 -> 0.3.8  load  UpdateAsync  2    3\n"));
}

TEST_F(DiffCommandTest, FailsOnlyOnWhatItIsAskedAbout) {
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "requests"}).status, 1);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "retries"}).status, 1);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "steps"}).status, 0);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "values"}).status, 0);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "steps,requests"}).status, 1);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "steps", "--fail-on", "requests"}).status, 1);
  EXPECT_EQ(Diff({Old(), Old(), "--fail-on", "requests,steps,values,retries"}).status, 0);
}

TEST_F(DiffCommandTest, EachKindFailsByItself) {
  const std::string seen = File("seen.dstap", Load("0.3.0", 2, "777").Closed(30s));
  EXPECT_EQ(Diff({Old(), seen, "--fail-on", "values"}).status, 1);
  EXPECT_EQ(Diff({Old(), seen, "--fail-on", "requests,steps,retries"}).status, 0);
  CaptureScript more = Load("0.3.0", 2);
  more.Begin(25s, {.id = 2, .subject = "lapis", .name = "save"}).End(26s, 2);
  EXPECT_EQ(Diff({Old(), File("more.dstap", more.Closed(30s)), "--fail-on", "steps"}).status, 1);
}

TEST_F(DiffCommandTest, NothingToCompareIsNoPass) {
  const std::string other = File("other.dstap", Load("0.3.0", 2, "", "save").Closed(30s));
  EXPECT_EQ(Diff({Old(), other}).status, 0);
  EXPECT_EQ(Diff({Old(), other, "--fail-on", "requests"}).status, 1);
  const std::string live =
      File("live.dstap", CaptureScript().Header().Call(Update("a", 1s, 2s)).Closed(3s));
  EXPECT_EQ(Diff({live, live, "--fail-on", "requests"}).status, 1);
  EXPECT_THAT(Diff({live, live}).out, HasSubstr("No: no step has a sample on both sides."));
}

TEST_F(DiffCommandTest, AnUnfinishedCaptureIsComparedAndSaysSo) {
  const std::string open = File("open.dstap", Load("0.3.0", 2));
  const CommandResult result = Diff({Old(), open});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_THAT(result.out, HasSubstr("unfinished 1"));
  EXPECT_THAT(result.out, HasSubstr("With reservations"));
}

TEST_F(DiffCommandTest, ASideThatIsNotWholePassesNoCheck) {
  const auto status = [&](const CaptureScript& script) {
    return Diff({Old(), File("side.dstap", script), "--fail-on", "requests"});
  };
  const CommandResult open = status(Load("0.3.0", 2));
  EXPECT_EQ(open.status, 1);
  EXPECT_THAT(open.notes, HasSubstr("side.dstap: is not whole (unfinished 1), so --fail-on fails"));
  EXPECT_EQ(status(Load("0.3.0", 2).CommandFailed(30s, "status 1")).status, 1);
  v1::Row loss;
  loss.mutable_loss()->set_calls(1);
  EXPECT_EQ(status(Load("0.3.0", 2).Row(20s, loss).Closed(30s, 1)).status, 1);
  EXPECT_EQ(status(Load("0.3.0", 2).Closed(30s)).status, 0);
}

TEST_F(DiffCommandTest, WhatIsNoCaptureCostsOneLineAndStatus3) {
  const std::vector<std::string> files = {folder_.Path("missing.dstap"),
                                          folder_.File("empty.dstap", ""),
                                          folder_.File("text.dstap", "{\"no\": \"capture\"}\n")};
  for (const std::string& file : files) {
    for (const auto& arguments : {std::vector{Old(), file}, std::vector{file, Old()}}) {
      const CommandResult result = Diff(arguments);
      EXPECT_EQ(result.status, 3) << file;
      EXPECT_EQ(result.out, "") << file;
      EXPECT_EQ(Lines(result.notes), 1U) << result.notes;
      EXPECT_THAT(result.notes, HasSubstr("dstap diff: " + file + ": "));
    }
  }
}

TEST_F(DiffCommandTest, ADamagedCaptureIsComparedAsFarAsItGoesAndIsStatus3) {
  std::string bytes = test::BytesOf(Load("0.3.8", 3).Closed(30s));
  const size_t at = bytes.find("lapis");  // In the chunk of the source.
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'L';
  const CommandResult result =
      Diff({Old(), folder_.File("damaged.dstap", bytes), "--fail-on", "requests"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(Lines(result.notes), 1U);
  EXPECT_THAT(result.out, HasSubstr("UpdateAsync"));
  EXPECT_THAT(result.out, HasSubstr("bytes-skipped"));
}

TEST_F(DiffCommandTest, FoldersAreComparedBySubject) {
  for (const char* side : {"before", "after"}) {
    std::filesystem::create_directory(folder_.Path(side));
    File(std::string(side) + "/b.dstap", Load("0.3.0", 2).Closed(30s));
    CaptureScript other;
    other.Header().Begin(1s, {.subject = "other"});
    other.Call(Get("a", 1s, 2s)).End(3s, 1).Closed(4s);
    File(std::string(side) + "/a.dstap", other);
    folder_.File(std::string(side) + "/notes.txt", "not read");
  }
  const CommandResult result =
      Diff({folder_.Path("before"), folder_.Path("after"), "--format", "json"});
  EXPECT_EQ(result.notes, "");
  EXPECT_EQ(result.status, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["format"], "dstap.diff/1");
  EXPECT_EQ(json["subjects"].size(), 2U);
  EXPECT_EQ(json["steps_compared"], 2);
}

TEST_F(DiffCommandTest, AFolderWithoutCapturesIsStatus3) {
  std::filesystem::create_directory(folder_.Path("none"));
  const CommandResult result = Diff({folder_.Path("none"), Old()});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.notes, HasSubstr("none: has no file that ends with .dstap"));
}

TEST_F(DiffCommandTest, WrongWordsAreStatus2) {
  EXPECT_EQ(Diff({Old()}).status, 2);
  EXPECT_EQ(Diff({Old(), New(), "--fail-on", "time"}).status, 2);
  EXPECT_EQ(Diff({Old(), New(), "--format", "html"}).status, 2);
  EXPECT_EQ(Diff({"-", "-"}).status, 2);
}

TEST_F(DiffCommandTest, WritesAFileWholeAndNeverOverACapture) {
  const std::string output = folder_.Path("diff.md");
  EXPECT_EQ(Diff({Old(), New(), "--format", "markdown", "-o", output}).status, 0);
  EXPECT_THAT(folder_.Read("diff.md"), testing::StartsWith("# dstap diff: lapis 0.3.0"));
  EXPECT_EQ(Diff({Old(), New(), "-o", Old()}).status, 2);
  EXPECT_EQ(Diff({Old(), New(), "-o", folder_.Path("no/such/folder/diff.md")}).status, 4);
}

}  // namespace
}  // namespace dstap::analyzer
