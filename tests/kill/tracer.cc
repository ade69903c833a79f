#include "tests/kill/tracer.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace dstap::test {
namespace {

using Info = __ptrace_syscall_info;
using When = KillPlan::When;

std::string Error(const char* what) {
  return std::string(what) + ": " + std::strerror(errno) +
         "; the kill tests follow the recorder's system calls: run them where ptrace of an own "
         "child "
         "is allowed (a container needs its default seccomp profile and a kernel from 5.3)";
}

// The count of a write() that is about to begin. Only the registers of x86-64 and arm64 are known.
bool ShortenWrite(pid_t pid, uint64_t count) {
#if defined(__x86_64__) || defined(__aarch64__)
  user_regs_struct registers{};
  iovec io{.iov_base = &registers, .iov_len = sizeof registers};
  if (::ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &io) != 0) return false;
#if defined(__x86_64__)
  registers.rdx = count;
#else
  registers.regs[2] = count;
#endif
  return ::ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &io) == 0;
#else
  static_cast<void>(pid);
  static_cast<void>(count);
  return true;  // Killed behind a whole write, then.
#endif
}

// What is known of the process so far, and whether its moment has come.
class Follower {
 public:
  Follower(pid_t pid, const KillPlan& plan) : pid_(pid), plan_(plan) {}

  // True: kill it now.
  bool OnEntry(const Info& info) {
    entry_ = info;
    if (IsOfNoAccount(info.entry.nr)) return false;
    switch (plan_.when) {
      case When::kSyscall:
        return capture_fd_ && ++count_ >= plan_.at;
      case When::kEndSyscall:
        return command_ended_ && ++count_ >= plan_.at;
      case When::kTornWrite:
        if (!capture_fd_ || info.entry.nr != SYS_write || info.entry.args[0] != *capture_fd_) break;
        if (++count_ < plan_.at || info.entry.args[2] < 2) break;
        kill_at_exit_ = ShortenWrite(pid_, info.entry.args[2] / 2);
        break;
      case When::kTime:
        break;
    }
    return false;
  }

  bool OnExit(const Info& info) {
    if (kill_at_exit_) return true;
    if (!entry_ || info.exit.is_error != 0) return false;
    const auto nr = entry_->entry.nr;
    // The first file it makes is the capture; of one that replaces another, the second try.
    if (nr == SYS_openat && (entry_->entry.args[2] & O_CREAT) != 0 &&
        (entry_->entry.args[2] & O_ACCMODE) == O_WRONLY && !capture_fd_) {
      capture_fd_ = static_cast<uint64_t>(info.exit.rval);
    }
    if (nr == SYS_wait4 && info.exit.rval > 0) command_ended_ = true;
    return false;
  }

 private:
  // Memory is the process's own affair. Where UBSan looks at an object's type it asks the kernel
  // whether a pointer leads anywhere: by a pipe, a write into it, and two closes.
  bool IsOfNoAccount(uint64_t nr) {
    if (nr == SYS_mmap || nr == SYS_munmap || nr == SYS_madvise) return true;
    if (nr == SYS_pipe2) probe_left_ = kProbeCalls;
    if (probe_left_ == 0) return false;
    --probe_left_;
    return true;
  }
  static constexpr int kProbeCalls = 4;

  pid_t pid_;
  const KillPlan& plan_;
  int probe_left_ = 0;
  std::optional<Info> entry_;
  std::optional<uint64_t> capture_fd_;
  bool command_ended_ = false;
  bool kill_at_exit_ = false;
  uint64_t count_ = 0;
};

}  // namespace

bool AskToBeTraced() {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return false;
  return ::raise(SIGSTOP) == 0;
}

TraceEnd Trace(pid_t pid, const KillPlan& plan) {
  TraceEnd end;
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) return {.error = Error("waitpid"), .was_killed = false};
  if (WIFEXITED(status)) {
    errno = EPERM;
    return {.error = Error("PTRACE_TRACEME"), .was_killed = false};
  }
  const auto kill = [&] {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, &status, 0) == pid && !WIFSIGNALED(status) && !WIFEXITED(status)) {
    }
    end.was_killed = WIFSIGNALED(status);
    return end;
  };
  // Its children are not followed.
  if (::ptrace(PTRACE_SETOPTIONS, pid, nullptr,
               PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) != 0) {
    end.error = Error("PTRACE_SETOPTIONS");
    return kill();
  }
  Follower follower(pid, plan);
  int signal = 0;
  for (;;) {
    if (::ptrace(PTRACE_SYSCALL, pid, nullptr, signal) != 0 && errno != ESRCH) {
      end.error = Error("PTRACE_SYSCALL");
      return kill();
    }
    if (::waitpid(pid, &status, 0) != pid) return {.error = Error("waitpid"), .was_killed = false};
    if (WIFEXITED(status) || WIFSIGNALED(status)) return end;
    signal = 0;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      // The exec, or a signal of its own, which it gets.
      if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) signal = WSTOPSIG(status);
      continue;
    }
    Info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) {
      end.error = Error("PTRACE_GET_SYSCALL_INFO");
      return kill();
    }
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY ? follower.OnEntry(info) : follower.OnExit(info)) {
      return kill();
    }
  }
}

}  // namespace dstap::test
