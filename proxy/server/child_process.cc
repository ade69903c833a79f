#include "proxy/server/child_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

extern char** environ;

namespace dstap::proxy {
namespace {

// This process's environment, with `variables` in place of its own of the same names.
std::vector<std::string> EnvironmentWith(const ChildProcess::Variables& variables) {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    bool replaced = false;
    for (const auto& [name, value] : variables) {
      replaced =
          replaced || (entry.starts_with(name) && entry.substr(name.size()).starts_with('='));
    }
    if (!replaced) out.emplace_back(entry);
  }
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

ChildProcess::ChildProcess(boost::asio::io_context& io, std::function<void(int)> on_exit)
    : child_ended_(io, SIGCHLD), on_exit_(std::move(on_exit)) {}

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(boost::asio::io_context& io,
                                                          const std::vector<std::string>& command,
                                                          const Variables& variables,
                                                          std::function<void(int)> on_exit,
                                                          Inherits inherits) {
  // The signal set first: a child that ends at once must not be missed.
  std::unique_ptr<ChildProcess> child(new ChildProcess(io, std::move(on_exit)));
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = EnvironmentWith(variables);
  // What this process ignores is its own affair.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (inherits == Inherits::kStandardFiles) {
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  }
  const int error = ::posix_spawnp(&child->pid_, command.front().c_str(), &files, &attributes,
                                   Pointers(arguments).data(), Pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    child->pid_ = 0;
    return Status(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kRun,
                  fmt::format("{}: cannot be started: {}", command.front(), std::strerror(error)));
  }
  child->Wait();
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::Signal(int signal) {
  if (pid_ > 0) ::kill(pid_, signal);
}

void ChildProcess::Wait() {
  child_ended_.async_wait([this](const boost::system::error_code& error, int /*signal*/) {
    if (error || Reap()) return;
    Wait();
  });
}

bool ChildProcess::Reap() {
  int status = 0;
  const pid_t pid = ::waitpid(pid_, &status, WNOHANG);
  if (pid != pid_) return false;
  pid_ = 0;
  on_exit_(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  return true;
}

Result<int> RunToItsEnd(const std::vector<std::string>& command) {
  boost::asio::io_context io;
  int status = 0;
  DSTAP_TRY_ASSIGN(const auto child, ChildProcess::Start(
                                         io, command, {}, [&](int ended) { status = ended; },
                                         ChildProcess::Inherits::kStandardFiles));
  io.run();
  return status;
}

}  // namespace dstap::proxy
