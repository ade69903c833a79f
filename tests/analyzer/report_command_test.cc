#include "analyzer/commands/report_command.h"

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
using test::Update;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

CommandResult Report(std::vector<std::string> arguments) {
  return test::RunCommand<ReportCommand>(std::move(arguments));
}

CaptureScript OneLoad() {
  CaptureScript script;
  script.Header().Source(1, "server", "lapis", "0.3.8");
  script.Begin(1s, {.subject = "lapis"}).Call(Update("a", 1s, 1250ms)).End(1250ms, 1);
  return script;
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

class ReportCommandTest : public testing::Test {
 protected:
  ReportCommandTest()
      : folder_(std::string("report-") +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  std::string Good(const std::string& name = "good.dstap") {
    return folder_.File(name, test::BytesOf(OneLoad().Closed(2s)));
  }

  test::TemporaryFolder folder_;
};

TEST_F(ReportCommandTest, ReportsACapture) {
  const CommandResult result = Report({Good()});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_THAT(result.out, HasSubstr("load  lapis 0.3.8  1  1            one sample\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1B")));
}

TEST_F(ReportCommandTest, AFileThatIsGivenTwiceCountsOnce) {
  const std::string again = folder_.Path("./good.dstap");
  const CommandResult result = Report({Good(), again, "--format", "json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "dstap report: " + again + ": is given twice, and is read once\n");
  EXPECT_EQ(nlohmann::json::parse(result.out)["subjects"][0]["steps"][0]["samples"], 1);
}

TEST_F(ReportCommandTest, PoolsSeveralFiles) {
  const CommandResult result = Report({Good("a.dstap"), Good("b.dstap"), "--format", "json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["captures"].size(), 2U);
  EXPECT_EQ(json["subjects"][0]["steps"][0]["samples"], 2);
}

TEST_F(ReportCommandTest, ReadsConcatenatedCaptures) {
  const std::string one = test::BytesOf(OneLoad().Closed(2s));
  const CommandResult result = Report({folder_.File("two.dstap", one + one), "--format", "json"});
  EXPECT_EQ(result.status, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["captures"].size(), 2U);
  EXPECT_EQ(json["captures"][1]["recording"], 2);
  EXPECT_EQ(json["subjects"][0]["steps"][0]["samples"], 2);
}

TEST_F(ReportCommandTest, AnUnfinishedCaptureIsFineAndSaysSo) {
  const CommandResult result = Report({folder_.File("open.dstap", test::BytesOf(OneLoad()))});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.notes, "");
  EXPECT_THAT(result.out, HasSubstr("Not whole: unfinished 1."));
}

TEST_F(ReportCommandTest, ATornTailIsFineAndSaysSo) {
  const std::string bytes = test::BytesOf(OneLoad());
  const CommandResult result =
      Report({folder_.File("torn.dstap", bytes.substr(0, bytes.size() - 3))});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("torn-tail"));
  EXPECT_THAT(result.out, HasSubstr("step-unfinished"));
}

TEST_F(ReportCommandTest, ADamagedCaptureIsReportedAsFarAsItCanBeRead) {
  std::string bytes = test::BytesOf(OneLoad().Closed(2s));
  const size_t at = bytes.find("lapis");  // In the chunk of the source.
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'L';
  const CommandResult result = Report({folder_.File("damaged.dstap", bytes), Good()});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(Lines(result.notes), 1U);
  EXPECT_THAT(result.notes, HasSubstr("damaged.dstap: damaged: byte "));
  EXPECT_THAT(result.out, HasSubstr("bytes-skipped"));
  EXPECT_THAT(result.out, HasSubstr("load  lapis        1  1            one sample"));
  EXPECT_THAT(result.out, HasSubstr("lapis 0.3.8  1  1            one sample"));
}

TEST_F(ReportCommandTest, WhatIsNoCaptureCostsOneLineAndStatus3) {
  const std::vector<std::string> files = {folder_.Path("missing.dstap"), folder_.Path(""),
                                          folder_.File("empty.dstap", ""),
                                          folder_.File("text.dstap", "{\"no\": \"capture\"}\n")};
  for (const std::string& file : files) {
    const CommandResult result = Report({file});
    EXPECT_EQ(result.status, 3) << file;
    EXPECT_EQ(result.out, "") << file;
    EXPECT_EQ(Lines(result.notes), 1U) << result.notes;
    EXPECT_THAT(result.notes, HasSubstr("dstap report: " + file + ": "));
  }
}

TEST_F(ReportCommandTest, OtherFilesAreReportedWithTheUnreadableOneNamed) {
  const CommandResult result = Report({folder_.Path("missing.dstap"), Good()});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(Lines(result.notes), 1U);
  EXPECT_THAT(result.out, HasSubstr("one sample"));
  EXPECT_THAT(result.out, HasSubstr("Not whole: file-unreadable 1."));
}

TEST_F(ReportCommandTest, SectionsAreChosenAndCheckedByName) {
  const CommandResult result = Report({Good(), "--section", "throttling", "--section", "steps"});
  EXPECT_THAT(result.out, HasSubstr("Throttling\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("Traffic\n")));
  EXPECT_EQ(Report({Good(), "--section", "nonsense"}).status, 2);
  EXPECT_EQ(Report({Good(), "--format", "nonsense"}).status, 2);
  EXPECT_EQ(Report({}).status, 2);
}

TEST_F(ReportCommandTest, WritesAFileWholeAndLeavesNothingBeside) {
  const std::string output = folder_.File("report.md", "an earlier report");
  const CommandResult result = Report({Good(), "--format", "markdown", "-o", output});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(folder_.Read("report.md"), testing::StartsWith("# dstap report"));
  EXPECT_THAT(folder_.Names(), ElementsAre("good.dstap", "report.md"));
}

TEST_F(ReportCommandTest, NeverWritesOverACapture) {
  const std::string input = Good();
  const CommandResult result = Report({input, "-o", folder_.Path("./good.dstap")});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(folder_.Read("good.dstap"), test::BytesOf(OneLoad().Closed(2s)));
}

TEST_F(ReportCommandTest, AnOutputThatCannotBeWrittenIsStatus4) {
  const CommandResult result = Report({Good(), "-o", folder_.Path("no/such/folder/report.md")});
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(Lines(result.notes), 1U);
}

TEST_F(ReportCommandTest, TheSameFilesGiveTheSameBytes) {
  for (const char* format : {"text", "markdown", "json"}) {
    EXPECT_EQ(Report({Good(), "--format", format}).out, Report({Good(), "--format", format}).out);
  }
}

}  // namespace
}  // namespace dstap::analyzer
