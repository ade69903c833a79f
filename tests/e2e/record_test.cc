// `dstap record` with a client of our own, through to what `dstap` says of the capture.
#include <gmock/gmock.h>
#include <signal.h>

#include <boost/asio.hpp>
#include <filesystem>

#include "tests/e2e/program.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class RecordTest : public ProgramTest {
 protected:
  std::vector<std::string> Record(const std::vector<std::string>& client,
                                  const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {"record", "-o", "run.dstap"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", DSTAP_TEST_CLIENT});
    words.insert(words.end(), client.begin(), client.end());
    return words;
  }
  size_t CallsInCat() const {
    const Ran cat = Run({"cat", "run.dstap", "--format", "jsonl"});
    return static_cast<size_t>(std::count(cat.out.begin(), cat.out.end(), '\n'));
  }
};

TEST_F(RecordTest, EachAnsweredCallIsInTheCaptureAndTheCaptureIsClosed) {
  const Ran ran = Run(Record({"calls", "40"}));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("answered 40"));
  const Ran verify = Run({"verify", "run.dstap"});
  EXPECT_EQ(verify.status, 0);
  EXPECT_THAT(verify.out, HasSubstr("run.dstap: closed, 40 calls"));
  EXPECT_EQ(CallsInCat(), 40U);
}

TEST_F(RecordTest, TheSameRunTwiceGivesTheSameBytesAndAnotherSeedOthers) {
  Run(Record({"calls", "20"}, {"--seed", "7"}));
  const std::string first = Slurp(Path("run.dstap"));
  Run(Record({"calls", "20"}, {"--seed", "7", "--force"}));
  EXPECT_EQ(first, Slurp(Path("run.dstap")));
  Run(Record({"calls", "20"}, {"--seed", "8", "--force"}));
  EXPECT_NE(first, Slurp(Path("run.dstap")));
}

TEST_F(RecordTest, AnotherLatencyThanTheDefaultIsInTheHeader) {
  Run(Record({"calls", "20"}, {"--seed", "7"}));
  std::filesystem::rename(Path("run.dstap"), Path("default.dstap"));
  const std::vector<std::string> reference = {"--seed", "7", "--latency", "reference"};
  Run(Record({"calls", "20"}, reference));
  const std::string first = Slurp(Path("run.dstap"));
  EXPECT_THAT(Run({"diff", "default.dstap", "run.dstap"}).out, HasSubstr("option latency"));
  std::filesystem::remove(Path("run.dstap"));
  Run(Record({"calls", "20"}, reference));
  EXPECT_EQ(first, Slurp(Path("run.dstap")));
  std::filesystem::remove(Path("run.dstap"));
  Run(Record({"calls", "20"}, {"--seed", "7", "--latency", "default"}));
  EXPECT_EQ(Slurp(Path("default.dstap")), Slurp(Path("run.dstap")));
}

TEST_F(RecordTest, RealTimeWorksWithTheSameClientProtocol) {
  const Ran ran = Run(Record({"wall", "3"}, {"--wall"}));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(Run({"verify", "run.dstap"}).out, HasSubstr("run.dstap: closed, 3 calls"));
}

TEST_F(RecordTest, AClientThatVanishesLeavesItsCallInFlightInAClosedCapture) {
  EXPECT_EQ(Run(Record({"vanish"})).status, 0);
  EXPECT_THAT(Run({"verify", "run.dstap"}).out, HasSubstr("run.dstap: closed, 1 call"));
  EXPECT_THAT(Run({"cat", "run.dstap"}).out, HasSubstr("in_flight"));
}

TEST_F(RecordTest, AClientOfRubbishIsNamedAndRecorded) {
  const Ran ran = Run(Record({"garbage"}));
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, StartsWith("dstap record: a client was refused: byte 0 of the connection"));
  EXPECT_TRUE(IsOneLine(ran.err)) << ran.err;
}

TEST_F(RecordTest, TheExitStatusIsTheCommands) {
  EXPECT_EQ(Run({"record", "-o", "run.dstap", "--", "sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(Run({"record", "-o", "run2.dstap", "--", "sh", "-c", "kill -9 $$"}).status, 137);
}

TEST_F(RecordTest, CtrlCEndsTheCommandAndClosesTheCaptureWithTheSignalAsReason) {
  const pid_t pid = Start(Record({"hang"}));
  ASSERT_TRUE(WaitForOutput("answered 1"));
  ::kill(pid, SIGINT);
  const Ran ran = Finish(pid);
  EXPECT_EQ(ran.status, 130) << ran.err;
  const Ran verify = Run({"verify", "run.dstap"});
  EXPECT_EQ(verify.status, 0);
  EXPECT_THAT(verify.out, HasSubstr("run.dstap: closed"));
  EXPECT_THAT(Run({"info", "run.dstap"}).out, HasSubstr("signal"));
}

TEST_F(RecordTest, AfterSigkillEveryCallThatTheClientSawAnsweredIsThere) {
  const Ran ran = Run(Record({"kill-the-recorder", "25"}));
  EXPECT_EQ(ran.status, 128 + SIGKILL);
  ASSERT_TRUE(WaitForOutput("answered 25"));
  const Ran verify = Run({"verify", "run.dstap"});
  EXPECT_EQ(verify.status, 0);
  EXPECT_THAT(verify.out, HasSubstr("run.dstap: unfinished, 25 calls"));
  EXPECT_EQ(CallsInCat(), 25U);
}

// It would listen on, where nobody answers, after the recorder has died.
TEST_F(RecordTest, TheCommandDoesNotHaveTheListeningSocket) {
  const Ran ran = Run({"record", "-o", "run.dstap", "--", "sh", "-c", "ls -l /proc/self/fd"});
  EXPECT_THAT(ran.out, HasSubstr("stdout.txt"));
  EXPECT_THAT(ran.out, Not(HasSubstr("socket:")));
}

TEST_F(RecordTest, AnExistingFileIsLeftAloneUnlessForced) {
  Spill(Path("run.dstap"), "precious");
  const Ran ran = Run(Record({"calls", "1"}));
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err, "dstap record: run.dstap: the file exists; name another or add --force\n");
  EXPECT_EQ(Slurp(Path("run.dstap")), "precious");
}

TEST_F(RecordTest, ACommandThatIsNotThereLeavesNoFile) {
  const Ran ran = Run({"record", "-o", "run.dstap", "--", "no-such-command-here"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "dstap record: no-such-command-here: cannot be started: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(Path("run.dstap")));
}

TEST_F(RecordTest, AFileThatWasToBeReplacedStaysWhenTheCommandCannotBeStarted) {
  Run(Record({"calls", "3"}));
  const std::string before = Slurp(Path("run.dstap"));
  EXPECT_EQ(Run({"record", "--force", "-o", "run.dstap", "--", "no-such-command-here"}).status, 2);
  EXPECT_EQ(Run({"record", "--force", "-o", "run.dstap", "--listen", "unix:/no/such/socket", "--",
                 "true"})
                .status,
            4);
  EXPECT_EQ(Slurp(Path("run.dstap")), before);
  EXPECT_FALSE(std::filesystem::exists(Path("run.dstap.part")));
}

// Whoever is there first keeps the address, and the newcomer leaves no file.
TEST_F(RecordTest, AnAddressThatAnotherProgramHasIsOneLineAndStatusFour) {
  const std::string unix_address = "unix:" + Path("taken.sock");
  boost::asio::io_context io;
  boost::asio::local::stream_protocol::acceptor by_path(io, Path("taken.sock"));
  boost::asio::ip::tcp::acceptor by_port(
      io, boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  const std::string tcp_address =
      "tcp:127.0.0.1:" + std::to_string(by_port.local_endpoint().port());
  for (const std::string& address : {unix_address, tcp_address}) {
    SCOPED_TRACE(address);
    const Ran ran = Run({"record", "-o", "run.dstap", "--listen", address, "--", "touch", "ran"});
    EXPECT_EQ(ran.status, 4);
    EXPECT_EQ(ran.err, "dstap record: " + address +
                           ": cannot be listened on: Address already in use; end what has it, or "
                           "name another address\n");
    EXPECT_FALSE(std::filesystem::exists(Path("run.dstap")));
    EXPECT_FALSE(std::filesystem::exists(Path("ran")));
  }
  EXPECT_TRUE(std::filesystem::exists(Path("taken.sock")));
}

TEST_F(RecordTest, AFolderThatIsNotThereIsOneLineAndStatusFour) {
  const Ran ran = Run({"record", "-o", "no/such/run.dstap", "--", "true"});
  EXPECT_EQ(ran.status, 4);
  EXPECT_EQ(ran.err,
            "dstap record: no/such/run.dstap: cannot be created: No such file or directory\n");
}

TEST_F(RecordTest, AFullDiskChangesNoAnswerAndGivesStatusFour) {
  // A limit on the file's size stands in for the disk: writes past it fail.
  const Ran ran = Finish(StartLimited(Record({"calls", "400"})));
  EXPECT_THAT(ran.out, HasSubstr("answered 400"));
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("File too large"));
  EXPECT_TRUE(IsOneLine(ran.err)) << ran.err;
  const Ran verify = Run({"verify", "run.dstap"});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("unfinished"));
}

}  // namespace
}  // namespace dstap::test
