// Wrong words and wrong files: one line that says what and what to do, and the status of the
// design.
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include "tests/e2e/program.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
  const char* name;
  std::vector<std::string> arguments;
  int status;
  const char* says;
};

class UsageTest : public ProgramTest, public testing::WithParamInterface<Wrong> {};

TEST_P(UsageTest, IsOneLineThatSaysWhatToDo) {
  Spill(Path("empty.dstap"), "");
  Spill(Path("text.dstap"), "This is a text file and no capture at all.\n");
  std::filesystem::create_directory(Path("folder.dstap"));
  std::filesystem::create_symlink("loop.dstap", Path("loop.dstap"));
  const Ran ran = Run(GetParam().arguments);
  EXPECT_EQ(ran.status, GetParam().status) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(GetParam().says));
  EXPECT_THAT(ran.err, StartsWith("dstap"));
  EXPECT_TRUE(IsOneLine(ran.err)) << ran.err;
  EXPECT_EQ(ran.out, "");
}

const Wrong kWrong[] = {
    {"NoSubcommand", {}, 2, "see \"dstap --help\""},
    {"UnknownSubcommand",
     {"rekord"},
     2,
     "dstap: \"rekord\" is no command; there are record, lab, report, diff, audit, check, "
     "contract, cat, info, verify, recover, pack, trim and merge; see "
     "\"dstap --help\""},
    {"UnknownSubcommandOfControlCharacters", {"\x1B[31m"}, 2, "\"\\x1b[31m\" is no command"},
    {"UnknownOption", {"report", "--frobnicate", "x"}, 2, "see \"dstap report --help\""},
    {"ReportOfNothing", {"report"}, 2, "see \"dstap report --help\""},
    {"UnknownFormat", {"report", "text.dstap", "--format", "pdf"}, 2, "pdf"},
    {"MissingFile",
     {"report", "missing.dstap"},
     3,
     "missing.dstap: cannot be opened: No such file"},
    {"Directory", {"report", "folder.dstap"}, 3, "folder.dstap: is a directory"},
    {"EmptyFile", {"report", "empty.dstap"}, 3, "empty.dstap"},
    {"TextFile", {"report", "text.dstap"}, 3, "is not a dstap capture"},
    // Cannot be opened, whoever asks; permissions do not stop every user.
    {"LinkToItself",
     {"report", "loop.dstap"},
     3,
     "loop.dstap: cannot be opened: Too many levels of symbolic links"},
    {"FileBelowAFile",
     {"verify", "text.dstap/run.dstap"},
     3,
     "text.dstap/run.dstap: cannot be opened: Not a directory"},
    // Can be opened, and fails at its first byte.
    {"UnreadableFile",
     {"cat", "/proc/self/mem"},
     3,
     "/proc/self/mem: cannot be read: Input/output error"},
    {"CatOfAMissingFile", {"cat", "missing.dstap"}, 3, "cannot be opened"},
    {"CatOfText", {"cat", "text.dstap"}, 3, "is not a dstap capture"},
    {"InfoOfAnEmptyFile", {"info", "empty.dstap"}, 3, "empty.dstap"},
    {"VerifyOfADirectory", {"verify", "folder.dstap"}, 3, "is a directory"},
    {"RecoverWithoutAnOutput", {"recover", "text.dstap"}, 2, "see \"dstap recover --help\""},
    {"RecoverOfText", {"recover", "text.dstap", "-o", "x.dstap"}, 3, "is not a dstap capture"},
    {"RecoverOfAMissingFile",
     {"recover", "missing.dstap", "-o", "x.dstap"},
     3,
     "missing.dstap: cannot be opened"},
    {"RecoverIntoItself",
     {"recover", "text.dstap", "-o", "text.dstap", "--force"},
     2,
     "is the capture to be recovered"},
    {"RecordWithoutACommand", {"record", "-o", "x.dstap"}, 2, "see \"dstap record --help\""},
    {"RecordWithoutAFile", {"record", "--", "true"}, 2, "see \"dstap record --help\""},
    {"UnknownRules", {"record", "-o", "x.dstap", "--rules", "1999", "--", "true"}, 2, "1999"},
    {"UnknownRule", {"record", "-o", "x.dstap", "--rule", "queue=1", "--", "true"}, 2, "queue"},
    {"UnknownLatency",
     {"record", "-o", "x.dstap", "--latency", "slow", "--", "true"},
     2,
     "no latency \"slow\"; there are default, reference"},
    {"NegativeSeed",
     {"record", "-o", "x.dstap", "--seed", "-1", "--", "true"},
     2,
     "is not a number"},
    {"HugeSeed",
     {"record", "-o", "x.dstap", "--seed", "18446744073709551616", "--", "true"},
     2,
     "18446744073709551616 is not a number"},
    {"BadAddress",
     {"record", "-o", "x.dstap", "--listen", "tcp:0.0.0.0:1", "--", "true"},
     2,
     "is not a loopback address"},
    {"LabWithoutALibrary", {"lab"}, 2, "see \"dstap lab --help\""},
    {"LabOfAnUnknownLibrary",
     {"lab", "--library", "no-such-library", "-o", "out"},
     2,
     "no-such-library"},
    {"LabOfAnUnknownScenario",
     {"lab", "--library", "datastore2", "--scenario", "no-such-scenario", "-o", "out"},
     2,
     "no-such-scenario"},
    {"LabOfNoSamples", {"lab", "--library", "datastore2", "--samples", "0"}, 2, "--samples"},
};

INSTANTIATE_TEST_SUITE_P(All, UsageTest, testing::ValuesIn(kWrong),
                         [](const auto& tested) { return std::string(tested.param.name); });

class PermissionTest : public ProgramTest {};

TEST_F(PermissionTest, AFileThatMayNotBeReadIsOneLineAndStatusThree) {
  constexpr int kMayReadAll = 125;
  Spill(Path("secret.dstap"), "x");
  std::filesystem::permissions(Path("secret.dstap"), std::filesystem::perms::none);
  // The superuser may read it all the same, unless it gives up the right to.
  const Ran ran = Finish(StartWith({"report", "secret.dstap"}, [] {
    if (::geteuid() != 0) return;
    for (const int right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
      if (::prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0) ::_exit(kMayReadAll);
    }
  }));
  ASSERT_NE(ran.status, kMayReadAll) << "the superuser could not give up its right to read all";
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.err, "dstap report: secret.dstap: cannot be opened: Permission denied\n");
  EXPECT_EQ(ran.out, "");
}

class HelpTest : public ProgramTest {};

TEST_F(HelpTest, NamesEverySubcommand) {
  const Ran ran = Run({"--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* command :
       {"record", "lab", "report", "diff", "cat", "info", "verify", "recover"}) {
    EXPECT_THAT(ran.out, HasSubstr(command));
  }
  EXPECT_EQ(Run({"--version"}).out, "dstap " DSTAP_VERSION "\n");
}

}  // namespace
}  // namespace dstap::test
