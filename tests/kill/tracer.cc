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
#include <map>
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
  explicit Follower(const KillPlan& plan) : plan_(plan) {}

  // True: kill it now.
  bool OnEntry(pid_t thread, const Info& info) {
    Thread& of = threads_[thread];
    of.entry = info;
    if (IsOfNoAccount(of, info.entry.nr)) return false;
    switch (plan_.when) {
      case When::kSyscall:
        return capture_fd_ && ++count_ >= plan_.at;
      case When::kEndSyscall:
        return command_ended_ && ++count_ >= plan_.at;
      case When::kTornWrite:
        if (!capture_fd_ || info.entry.nr != SYS_write || info.entry.args[0] != *capture_fd_) break;
        if (++count_ < plan_.at || info.entry.args[2] < 2) break;
        of.kill_at_exit = ShortenWrite(thread, info.entry.args[2] / 2);
        break;
      case When::kTime:
        break;
    }
    return false;
  }

  bool OnExit(pid_t thread, const Info& info) {
    const Thread& of = threads_[thread];
    if (of.kill_at_exit) return true;
    if (!of.entry || info.exit.is_error != 0) return false;
    const auto& entry = of.entry->entry;
    // The first file it makes is the capture, or what is to take its place.
    const uint64_t flags = entry.args[2];
    if (entry.nr == SYS_openat && !capture_fd_ && (flags & O_ACCMODE) == O_WRONLY &&
        ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)) {
      capture_fd_ = static_cast<uint64_t>(info.exit.rval);
    }
    if (entry.nr == SYS_wait4 && info.exit.rval > 0) command_ended_ = true;
    return false;
  }

 private:
  struct Thread {
    std::optional<Info> entry;
    bool kill_at_exit = false;
    int probe_left = 0;
  };

  // Memory is the process's own affair. Where UBSan looks at an object's type it asks the kernel
  // whether a pointer leads anywhere: by a pipe, a write into it, and two closes.
  static bool IsOfNoAccount(Thread& thread, uint64_t nr) {
    constexpr int kProbeCalls = 4;
    if (nr == SYS_mmap || nr == SYS_munmap || nr == SYS_madvise) return true;
    if (nr == SYS_pipe2) thread.probe_left = kProbeCalls;
    if (thread.probe_left == 0) return false;
    --thread.probe_left;
    return true;
  }

  const KillPlan& plan_;
  std::map<pid_t, Thread> threads_;
  std::optional<uint64_t> capture_fd_;
  bool command_ended_ = false;
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
    // Its other threads first: until they are gone it is not.
    for (pid_t other = 0; other != pid || !(WIFSIGNALED(status) || WIFEXITED(status));) {
      other = ::waitpid(-1, &status, __WALL);
      if (other < 0) break;
    }
    end.was_killed = WIFSIGNALED(status);
    return end;
  };
  // Threads are followed, children are not.
  if (::ptrace(PTRACE_SETOPTIONS, pid, nullptr,
               PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
                   PTRACE_O_TRACECLONE) != 0) {
    end.error = Error("PTRACE_SETOPTIONS");
    return kill();
  }
  Follower follower(plan);
  pid_t stopped = pid;
  int signal = 0;
  for (;;) {
    if (::ptrace(PTRACE_SYSCALL, stopped, nullptr, signal) != 0 && errno != ESRCH) {
      end.error = Error("PTRACE_SYSCALL");
      return kill();
    }
    do {
      stopped = ::waitpid(-1, &status, __WALL);
      if (stopped < 0) return {.error = Error("waitpid"), .was_killed = false};
      if (stopped == pid && !WIFSTOPPED(status)) return end;
    } while (!WIFSTOPPED(status));  // Another thread's end.
    signal = 0;
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
      // The exec, a new thread, or a signal of its own, which it gets.
      if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) signal = WSTOPSIG(status);
      continue;
    }
    Info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, stopped, sizeof info, &info) <= 0) {
      end.error = Error("PTRACE_GET_SYSCALL_INFO");
      return kill();
    }
    const bool is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (is_entry ? follower.OnEntry(stopped, info) : follower.OnExit(stopped, info)) return kill();
  }
}

}  // namespace dstap::test
