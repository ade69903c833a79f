// A command that is run with the proxy's address in its environment.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/base/status.h"

namespace dstap::proxy {

// Errors:    kNotFound when the command is not there, kRun when it cannot be started.
// Ownership: the child is waited for by whoever owns this; a child that still runs at destruction
//            is killed.
// Threads:   lives on the thread that runs the io_context. One per process at a time owns SIGCHLD
//            of its own child only: others' children are left alone.
class ChildProcess {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // Which of this process's open files the child has too.
  enum class Inherits : uint8_t { kAllFiles, kStandardFiles };

  // Starts `command` (found along PATH) with this process's environment and `variables`.
  // `on_exit` is called once, on the io_context, with the exit status as a shell gives it: the
  // child's own, or 128 + the signal that ended it.
  static Result<std::unique_ptr<ChildProcess>> Start(boost::asio::io_context& io,
                                                     const std::vector<std::string>& command,
                                                     const Variables& variables,
                                                     std::function<void(int)> on_exit,
                                                     Inherits inherits = Inherits::kAllFiles);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Nothing when it has ended already.
  void Signal(int signal);
  bool running() const { return pid_ > 0; }

 private:
  ChildProcess(boost::asio::io_context& io, std::function<void(int)> on_exit);
  void Wait();
  bool Reap();

  boost::asio::signal_set child_ended_;
  std::function<void(int)> on_exit_;
  pid_t pid_ = 0;
};

// Runs `command` to its end with this process's standard files; its exit status as a shell gives
// it. Errors as in ChildProcess::Start.
Result<int> RunToItsEnd(const std::vector<std::string>& command);

}  // namespace dstap::proxy
