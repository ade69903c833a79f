#include "analyzer/commands/cat_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/capture_bytes.h"
#include "tests/support/capture_command.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::CommandResult;
using test::InFlight;
using test::Update;
using testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

CommandResult Cat(std::vector<std::string> arguments) {
  return test::RunCommand<CatCommand>(std::move(arguments));
}

// Two calls, the first of them recorded twice.
std::string TwoCalls() {
  CaptureScript script;
  auto slow = Update("slow", 1s, 4s);
  slow.id = 1;
  script.Header().Source(1, "server").Begin(1s, {.name = "load"});
  script.Call(InFlight(slow)).Call(Update("quick", 2s, 3s)).Call(slow).End(4s, 1).Closed(5s);
  return test::BytesOf(script);
}

TEST(CatCommandTest, PrintsALineACallInTheOrderOfTheirAnswers) {
  const test::TemporaryFolder folder("cat-text");
  const CommandResult result = Cat({folder.File("a.dstap", TwoCalls())});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out,
            "    2.000000  server      load           UpdateAsync     Players/quick             "
            "queued 0.000000  served 1.000000    -                         ok\n"
            "    1.000000  server      load           UpdateAsync     Players/slow              "
            "queued 0.000000  served 3.000000    -                         ok\n");
}

TEST(CatCommandTest, ACallIsFoundByItsId) {
  const test::TemporaryFolder folder("cat-call");
  const std::string file = folder.File("a.dstap", TwoCalls());
  const CommandResult one = Cat({"--call", "2", file, "--format", "jsonl"});
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(std::ranges::count(one.out, '\n'), 1);
  EXPECT_THAT(one.out, HasSubstr("\"key\":\"quick\""));
  EXPECT_EQ(std::ranges::count(Cat({"--call", "2", "--call", "1", file}).out, '\n'), 2);
}

TEST(CatCommandTest, ACallThatIsNotThereIsSaidWithTheIdsThatAre) {
  const test::TemporaryFolder folder("cat-no-call");
  const std::string file = folder.File("a.dstap", TwoCalls());
  const CommandResult none = Cat({file, "--call", "3"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.notes, HasSubstr("--call 3: no such call; there are ids from 1 to 2\n"));
  EXPECT_EQ(Cat({file, "--call", "0"}).status, 2);
  // What else is missing from a file that cannot be read is not known.
  EXPECT_EQ(Cat({file, folder.Path("missing.dstap"), "--call", "3"}).status, 3);
  EXPECT_THAT(Cat({folder.File("empty.dstap", test::BytesOf(CaptureScript().Header().Closed(0s))),
                   "--call", "1"})
                  .notes,
              HasSubstr("--call 1: no such call; no call was read\n"));
}

TEST(CatCommandTest, CsvHasOneHeaderForAllFiles) {
  const test::TemporaryFolder folder("cat-csv");
  const CommandResult result = Cat(
      {folder.File("a.dstap", TwoCalls()), folder.File("b.dstap", TwoCalls()), "--format", "csv"});
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 5);
  EXPECT_THAT(result.out, testing::StartsWith("file,recording,id,source,"));
}

TEST(CatCommandTest, GoesOnWithTheNextFile) {
  const test::TemporaryFolder folder("cat-missing");
  const CommandResult result =
      Cat({folder.Path("missing.dstap"), folder.File("a.dstap", TwoCalls()), "--format", "jsonl"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(std::ranges::count(result.notes, '\n'), 1);
  EXPECT_THAT(result.notes, HasSubstr("dstap cat: " + folder.Path("missing.dstap") + ": "));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 2);
}

TEST(CatCommandTest, RefusesAFormatItDoesNotKnow) {
  EXPECT_EQ(Cat({"a.dstap", "--format", "xml"}).status, 2);
  EXPECT_EQ(Cat({}).status, 2);
}

}  // namespace
}  // namespace dstap::analyzer
