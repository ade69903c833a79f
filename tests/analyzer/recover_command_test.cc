// `dstap recover`: what it prints, what it ends with, and that no half file stays.
#include "analyzer/commands/recover_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "analyzer/commands/info_command.h"
#include "analyzer/commands/report_command.h"
#include "analyzer/commands/verify_command.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;
using test::AClosedCapture;
using test::CommandResult;
using test::RunCommand;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Damaged() {
  std::string bytes = AClosedCapture(6);
  bytes[static_cast<size_t>(test::ReadCapture(bytes).records[1].chunk_offset) + 60] ^= 1;
  return bytes;
}

TEST(RecoverCommandTest, ListsWhatIsLostAndGivesAClosedCapture) {
  const test::TemporaryFolder folder("recover-lists");
  const std::string in = folder.File("in", Damaged());
  const std::string out = folder.Path("out");
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", out});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr(", chunk 1: checksum: bytes "));
  EXPECT_THAT(
      ran.out,
      HasSubstr(in + ": lost: 2 records of calls and 1 row, by the count of the End row\n"));
  EXPECT_THAT(ran.out, HasSubstr(out + ": closed, 4 calls; read again, good\n"));
  EXPECT_THAT(ran.notes, HasSubstr("counts of a report on it are lower bounds; keep " + in));
  EXPECT_THAT(folder.Names(), ElementsAre("in", "out"));
  EXPECT_EQ(folder.Read("in"), Damaged());

  const CommandResult verified = RunCommand<VerifyCommand>({out});
  EXPECT_EQ(verified.status, 0);
  EXPECT_THAT(verified.out, HasSubstr(out + ": closed, 4 calls\n"));
  EXPECT_THAT(verified.out, HasSubstr("loss: records are missing here, not counted"));
  const CommandResult reported = RunCommand<ReportCommand>({out});
  EXPECT_EQ(reported.status, 0);
  EXPECT_THAT(reported.out, HasSubstr("records-missing"));
  EXPECT_THAT(reported.out, HasSubstr("calls-lost"));
}

TEST(RecoverCommandTest, AnUnfinishedOneIsClosedAndTheReportStillSaysThatItWasNot) {
  const test::TemporaryFolder folder("recover-unfinished");
  const std::string whole = AClosedCapture(6);
  const std::string in = folder.File("in", whole.substr(0, whole.size() - 9));
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", folder.Path("out")});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              HasSubstr(" bytes of torn tail, part of a chunk; no call in it was answered"));
  EXPECT_THAT(ran.out, HasSubstr("1 recording had no End row, and has one now that says so\n"));
  EXPECT_EQ(ran.notes, "");
  EXPECT_THAT(RunCommand<ReportCommand>({folder.Path("out")}).out, HasSubstr("unfinished"));
  EXPECT_THAT(RunCommand<InfoCommand>({folder.Path("out")}).out,
              HasSubstr("ended       recovered: by dstap recover\n"));
}

TEST(RecoverCommandTest, OfAWholeOneItSaysThatThereIsNothingToRecover) {
  const test::TemporaryFolder folder("recover-whole");
  const std::string in = folder.File("in", AClosedCapture(3) + AClosedCapture(2));
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", folder.Path("out")});
  EXPECT_EQ(ran.out, in + ": is closed and whole; there is nothing to recover\n" +
                         folder.Path("out") +
                         ": closed, 5 calls, 2 recordings, the same records\n");
  EXPECT_EQ(ran.status, 0);
}

TEST(RecoverCommandTest, WithNothingGoodThereIsNoFile) {
  const test::TemporaryFolder folder("recover-nothing");
  const std::string whole = AClosedCapture(1);
  const std::string in = folder.File("in", whole.substr(0, 40));
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", folder.Path("out")});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.notes, "dstap recover: " + in +
                           ": holds no record that is good; there is nothing to recover\n");
  EXPECT_THAT(folder.Names(), ElementsAre("in"));
}

TEST(RecoverCommandTest, AFileThatExistsIsOnlyReplacedWhenAsked) {
  const test::TemporaryFolder folder("recover-force");
  const std::string in = folder.File("in", Damaged());
  const std::string out = folder.File("out", "dear old file");
  const CommandResult refused = RunCommand<RecoverCommand>({in, "-o", out});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.notes, HasSubstr(out + ": the file exists; name another or add --force"));
  EXPECT_EQ(folder.Read("out"), "dear old file");
  // Nothing good: the old one stays also when it may be replaced.
  const std::string bad = folder.File("bad", AClosedCapture(1).substr(0, 40));
  EXPECT_EQ(RunCommand<RecoverCommand>({bad, "-o", out, "--force"}).status, 3);
  EXPECT_EQ(folder.Read("out"), "dear old file");
  EXPECT_EQ(RunCommand<RecoverCommand>({in, "-o", out, "--force"}).status, 0);
  EXPECT_EQ(RunCommand<VerifyCommand>({out}).status, 0);
  EXPECT_THAT(folder.Names(), ElementsAre("bad", "in", "out"));
}

TEST(RecoverCommandTest, WhatAKilledRunLeftIsNotInTheWay) {
  const test::TemporaryFolder folder("recover-left");
  const std::string in = folder.File("in", Damaged());
  folder.File("out.recovering", std::string(100'000, 'x'));
  EXPECT_EQ(RunCommand<RecoverCommand>({in, "-o", folder.Path("out")}).status, 0);
  EXPECT_THAT(folder.Names(), ElementsAre("in", "out"));
}

TEST(RecoverCommandTest, TheInputIsNeverWrittenTo) {
  const test::TemporaryFolder folder("recover-same");
  for (const char* name : {"one", "two.recovering", "three.part"}) {
    const std::string in = folder.File(name, Damaged());
    const std::string out = folder.Path(fs::path(name).stem().string());
    const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", out, "--force"});
    EXPECT_EQ(ran.status, std::string(name) == "three.part" ? 0 : 2) << ran.notes;
    EXPECT_EQ(folder.Read(name), Damaged());
  }
  fs::create_symlink("one", folder.Path("link"));
  EXPECT_EQ(
      RunCommand<RecoverCommand>({folder.Path("one"), "-o", folder.Path("link"), "--force"}).status,
      2);
}

TEST(RecoverCommandTest, StandardOutputIsRefusedBecauseItCannotBeReadAgain) {
  const CommandResult ran = RunCommand<RecoverCommand>({"in", "-o", "-"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.notes, HasSubstr("name a file"));
}

TEST(RecoverCommandTest, AFolderThatIsNotThereIsAWriteError) {
  const test::TemporaryFolder folder("recover-no-folder");
  const std::string in = folder.File("in", Damaged());
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", folder.Path("no/out")});
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(ran.notes, HasSubstr("cannot be created: No such file or directory"));
}

// Of this process: no file grows past `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(RecoverCommandTest, WhatCannotBeWrittenIsStatusFourAndNoHalfFileStays) {
  const test::TemporaryFolder folder("recover-full");
  const std::string in = folder.File("in", Damaged());
  const std::string out = folder.File("out", "dear old file");
  CommandResult ran;
  {
    const FileSizeLimit limit(1000);
    ran = RunCommand<RecoverCommand>({in, "-o", out, "--force"});
  }
  EXPECT_EQ(ran.status, 4);
  EXPECT_EQ(ran.notes,
            "dstap recover: " + out + ".recovering: cannot be written: File too large\n");
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(folder.Names(), ElementsAre("in", "out"));
  EXPECT_EQ(folder.Read("out"), "dear old file");
}

TEST(RecoverCommandTest, ANewerFormatIsRefusedAndNoFileStays) {
  const test::TemporaryFolder folder("recover-newer");
  const std::string in = folder.File("in", AClosedCapture(1) + test::ACaptureOf({}, 2));
  const CommandResult ran = RunCommand<RecoverCommand>({in, "-o", folder.Path("out")});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.notes, HasSubstr("format version 2"));
  EXPECT_THAT(folder.Names(), ElementsAre("in"));
}

// The report counts a recording whose Header is lost apart, before and after it is recovered.
TEST(RecoverCommandTest, TwoRecordingsStayTwoAlsoWithoutTheSecondHeader) {
  const test::TemporaryFolder folder("recover-two");
  const std::string one = AClosedCapture(1);
  std::string bytes = one + AClosedCapture(2);
  bytes[one.size() + 100] ^= 1;
  const std::string in = folder.File("in", bytes);
  EXPECT_EQ(RunCommand<RecoverCommand>({in, "-o", folder.Path("out")}).status, 0);
  for (const char* name : {"in", "out"}) {
    const CommandResult info = RunCommand<InfoCommand>({folder.Path(name)});
    EXPECT_THAT(info.out, HasSubstr("  recording 2 of 2\n")) << name;
    const CommandResult report = RunCommand<ReportCommand>({folder.Path(name), "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(report.out)["captures"].size(), 2U) << name;
  }
}

}  // namespace
}  // namespace dstap::analyzer
