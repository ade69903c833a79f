#include "proxy/server/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace dstap::proxy {
namespace {

int StatusOf(const std::vector<std::string>& command, const ChildProcess::Variables& variables = {},
             ChildProcess::Inherits inherits = ChildProcess::Inherits::kAllFiles) {
  boost::asio::io_context io;
  int seen = -1;
  auto child = ChildProcess::Start(
      io, command, variables, [&](int status) { seen = status; }, inherits);
  EXPECT_TRUE(child.ok()) << child.status().message();
  io.run();
  return seen;
}

TEST(ChildProcessTest, ItsExitStatusIsGiven) {
  EXPECT_EQ(StatusOf({"sh", "-c", "exit 0"}), 0);
  EXPECT_EQ(StatusOf({"sh", "-c", "exit 7"}), 7);
}

TEST(ChildProcessTest, ASignalIsGivenAsAShellGivesIt) {
  EXPECT_EQ(StatusOf({"sh", "-c", "kill -9 $$"}), 128 + SIGKILL);
}

TEST(ChildProcessTest, VariablesReplaceThoseOfTheSameName) {
  ::setenv("DSTAP_TEST_VARIABLE", "old", 1);
  EXPECT_EQ(StatusOf({"sh", "-c", "test \"$DSTAP_TEST_VARIABLE\" = new"},
                     {{"DSTAP_TEST_VARIABLE", "new"}}),
            0);
  EXPECT_EQ(StatusOf({"sh", "-c", "test \"$DSTAP_TEST_VARIABLE\" = old"}, {{"DSTAP_TEST", "new"}}),
            0);
}

TEST(ChildProcessTest, OpenFilesAreInheritedOrNot) {
  ASSERT_EQ(::dup2(STDERR_FILENO, 9), 9);
  const std::vector<std::string> has_nine = {"sh", "-c", "echo >&9"};
  EXPECT_EQ(StatusOf(has_nine), 0);
  EXPECT_NE(StatusOf(has_nine, {}, ChildProcess::Inherits::kStandardFiles), 0);
  EXPECT_EQ(StatusOf({"sh", "-c", "echo >&2"}, {}, ChildProcess::Inherits::kStandardFiles), 0);
  ::close(9);
}

TEST(ChildProcessTest, ACommandThatIsNotThereIsAnError) {
  boost::asio::io_context io;
  const auto child = ChildProcess::Start(io, {"no-such-command-here"}, {}, [](int) {});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(child.status().message(),
            "no-such-command-here: cannot be started: No such file or directory");
}

TEST(ChildProcessTest, TwoChildrenAtOnceGetEachTheirOwnStatus) {
  boost::asio::io_context io;
  int first = -1;
  int second = -1;
  auto a = ChildProcess::Start(io, {"sh", "-c", "exit 3"}, {}, [&](int status) { first = status; });
  auto b =
      ChildProcess::Start(io, {"sh", "-c", "exit 4"}, {}, [&](int status) { second = status; });
  io.run();
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 4);
}

TEST(ChildProcessTest, ASignalReachesTheChild) {
  boost::asio::io_context io;
  int seen = -1;
  auto child = ChildProcess::Start(io, {"sleep", "100"}, {}, [&](int status) { seen = status; });
  ASSERT_TRUE(child.ok());
  (*child)->Signal(SIGTERM);
  io.run();
  EXPECT_EQ(seen, 128 + SIGTERM);
  EXPECT_FALSE((*child)->running());
}

}  // namespace
}  // namespace dstap::proxy
