// `dstap pack`, `dstap trim` and `dstap merge`: files, flags, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "analyzer/commands/info_command.h"
#include "analyzer/commands/merge_command.h"
#include "analyzer/commands/pack_command.h"
#include "analyzer/commands/trim_command.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using analyzer::MergeCommand;
using analyzer::PackCommand;
using analyzer::TrimCommand;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

TEST(PackCommandTest, PacksEachFileInItsPlaceAndSaysTheSizes) {
  const TemporaryFolder folder("pack-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(100, 1));
  const std::string b = folder.File("b.dstap", AClosedCapture(50, 1));
  const CommandResult ran = RunCommand<PackCommand>({a, b});
  EXPECT_EQ(ran.status, 0) << ran.notes;
  EXPECT_THAT(ran.out, MatchesRegex(".*a.dstap: [0-9]+ to [0-9]+ bytes\n.*b.dstap: [0-9]+ to "
                                    "[0-9]+ bytes\n"));
  EXPECT_EQ(ReadCapture(folder.Read("a.dstap")).CallIds().size(), 100U);
  EXPECT_LT(folder.Read("a.dstap").size(), AClosedCapture(100, 1).size());
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap", "b.dstap"));
}

TEST(PackCommandTest, WritesElsewhereAndLeavesTheFile) {
  const TemporaryFolder folder("pack-command");
  const std::string bytes = AClosedCapture(100, 1);
  const std::string a = folder.File("a.dstap", bytes);
  EXPECT_EQ(RunCommand<PackCommand>({a, "-o", folder.Path("b.dstap")}).status, 0);
  EXPECT_TRUE(folder.Read("a.dstap") == bytes);
  EXPECT_LT(folder.Read("b.dstap").size(), bytes.size());
  const CommandResult piped = RunCommand<PackCommand>({a, "-o", "-"});
  EXPECT_TRUE(piped.out == folder.Read("b.dstap"));
  EXPECT_THAT(piped.notes, HasSubstr(" bytes"));
}

TEST(PackCommandTest, AHigherLevelIsNotLargerAndOthersAreRefused) {
  const TemporaryFolder folder("pack-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(5000, 1));
  const auto size = [&](const char* level) {
    return RunCommand<PackCommand>({a, "-o", "-", "--level", level}).out.size();
  };
  EXPECT_LE(size("19"), size("1"));
  EXPECT_EQ(RunCommand<PackCommand>({a, "--level", "0"}).status, 2);
  EXPECT_EQ(RunCommand<PackCommand>({a, "--level", "20"}).status, 2);
}

TEST(PackCommandTest, AFileThatCannotBePackedDoesNotKeepTheOthers) {
  const TemporaryFolder folder("pack-command");
  std::string damaged = AClosedCapture(10, 1);
  damaged[damaged.size() - 30] ^= 1;
  const std::string a = folder.File("a.dstap", damaged);
  const std::string b = folder.File("b.dstap", AClosedCapture(50, 1));
  const CommandResult ran = RunCommand<PackCommand>({a, b});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.notes, HasSubstr("dstap pack: " + a + ": "));
  EXPECT_THAT(ran.notes, HasSubstr("dstap recover"));
  EXPECT_TRUE(folder.Read("a.dstap") == damaged);
  EXPECT_LT(folder.Read("b.dstap").size(), AClosedCapture(50, 1).size());
}

TEST(PackCommandTest, WrongUsageEndsWithTwo) {
  const TemporaryFolder folder("pack-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(1));
  const std::string b = folder.File("b.dstap", AClosedCapture(1));
  EXPECT_EQ(RunCommand<PackCommand>({a, b, "-o", folder.Path("c.dstap")}).status, 2);
  EXPECT_EQ(RunCommand<PackCommand>({"-"}).status, 2);
  EXPECT_EQ(RunCommand<PackCommand>({a, "-o", a}).status, 2);
  EXPECT_EQ(RunCommand<PackCommand>({folder.Path("none.dstap")}).status, 3);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap", "b.dstap"));
}

TEST(PackCommandTest, AFullDiskEndsWithFourAndTheFileIsAsItWas) {
  const TemporaryFolder folder("pack-command");
  const std::string bytes = AClosedCapture(10, 1);
  const std::string a = folder.File("a.dstap", bytes);
  EXPECT_EQ(RunCommand<PackCommand>({a, "-o", "/dev/full", "--force"}).status, 4);
  EXPECT_EQ(RunCommand<PackCommand>({a, "-o", folder.Path("no/such/folder")}).status, 4);
  EXPECT_TRUE(folder.Read("a.dstap") == bytes);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
}

TEST(TrimCommandTest, SaysWhatItKeptAndLeftOut) {
  const TemporaryFolder folder("trim-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string out = folder.Path("b.dstap");
  const CommandResult ran = RunCommand<TrimCommand>({a, "-o", out, "--from", "3s", "--to", "5s"});
  EXPECT_EQ(ran.status, 0) << ran.notes;
  EXPECT_EQ(ran.out, out + ": 2 calls kept; 8 calls and 0 rows left out\n");
  EXPECT_THAT(ReadCapture(folder.Read("b.dstap")).CallIds(), ElementsAre(3, 4));
}

TEST(TrimCommandTest, InfoSaysWhatACaptureWasMadeFrom) {
  const TemporaryFolder folder("trim-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string out = folder.Path("b.dstap");
  ASSERT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--from", "3s"}).status, 0);
  EXPECT_THAT(RunCommand<analyzer::InfoCommand>({out}).out,
              HasSubstr("made from   trim: calls issued from 3s, of a.dstap; 2 calls and 0 rows"));
  EXPECT_THAT(RunCommand<analyzer::InfoCommand>({out, "--format", "json"}).out,
              HasSubstr("\"trim: calls issued from 3s"));
}

TEST(TrimCommandTest, AnOutputThatExistsNeedsForce) {
  const TemporaryFolder folder("trim-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string out = folder.File("b.dstap", "old");
  const CommandResult refused = RunCommand<TrimCommand>({a, "-o", out, "--from", "3s"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.notes, EndsWith(": the file exists; name another or add --force\n"));
  EXPECT_EQ(folder.Read("b.dstap"), "old");
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--from", "3s", "--force"}).status, 0);
  EXPECT_EQ(ReadCapture(folder.Read("b.dstap")).CallIds().size(), 8U);
}

TEST(TrimCommandTest, WrongUsageLeavesNothing) {
  const TemporaryFolder folder("trim-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string out = folder.Path("b.dstap");
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--from", "x"}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--from", "5s", "--to", "5s"}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", a, "--from", "5s", "--force"}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({"-", "-o", out, "--from", "5s"}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--step", "load"}).status, 3);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--filter", "key ="}).status, 2);
  EXPECT_EQ(RunCommand<TrimCommand>({a, "-o", out, "--from", "2026-01-01T00:00:00Z"}).status, 2);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
}

TEST(TrimCommandTest, AFilterSelectsCalls) {
  const TemporaryFolder folder("trim-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const CommandResult ran =
      RunCommand<TrimCommand>({a, "-o", folder.Path("b.dstap"), "--filter", "id in (3, 7)"});
  EXPECT_EQ(ran.status, 0) << ran.notes;
  EXPECT_THAT(ran.out + ran.notes, HasSubstr("2 calls kept; 8 calls"));
  EXPECT_EQ(ReadCapture(folder.Read("b.dstap")).CallIds(), (std::vector<uint64_t>{3, 7}));
}

TEST(TrimCommandTest, APipeIsRefusedForItIsReadTwice) {
  const TemporaryFolder folder("trim-command");
  ASSERT_EQ(::mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  const CommandResult ran =
      RunCommand<TrimCommand>({folder.Path("pipe"), "-o", folder.Path("b.dstap"), "--from", "1s"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.notes, HasSubstr("is read twice"));
}

TEST(MergeCommandTest, SaysHowTheClocksStandAndHowManyCallsThereAre) {
  const TemporaryFolder folder("merge-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string b = folder.File("b.dstap", AClosedCapture(5));
  const std::string out = folder.Path("c.dstap");
  const CommandResult ran = RunCommand<MergeCommand>({a, b, "-o", out});
  EXPECT_EQ(ran.status, 0) << ran.notes;
  EXPECT_THAT(ran.out, HasSubstr("a.dstap: begins at 0.000000 s"));
  EXPECT_THAT(ran.out, EndsWith("c.dstap: 15 calls of 2 recordings\n"));
  EXPECT_EQ(ReadCapture(folder.Read("c.dstap")).CallIds().size(), 15U);
}

TEST(MergeCommandTest, WrongUsageLeavesNothing) {
  const TemporaryFolder folder("merge-command");
  const std::string a = folder.File("a.dstap", AClosedCapture(10));
  const std::string b = folder.File("b.dstap", AClosedCapture(5));
  std::filesystem::create_symlink("a.dstap", folder.Path("same.dstap"));
  const std::string out = folder.Path("c.dstap");
  EXPECT_EQ(RunCommand<MergeCommand>({a, "-o", out}).status, 2);
  EXPECT_EQ(RunCommand<MergeCommand>({a, a, "-o", out}).status, 2);
  EXPECT_EQ(RunCommand<MergeCommand>({a, b, folder.Path("same.dstap"), "-o", out}).status, 2);
  EXPECT_EQ(RunCommand<MergeCommand>({a, b, "-o", b, "--force"}).status, 2);
  EXPECT_EQ(RunCommand<MergeCommand>({a, "-", "-o", out}).status, 2);
  EXPECT_EQ(RunCommand<MergeCommand>({a, folder.Path("none"), "-o", out}).status, 3);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap", "b.dstap", "same.dstap"));
}

}  // namespace
}  // namespace dstap::test
