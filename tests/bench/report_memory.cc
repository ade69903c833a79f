// How much memory `dstap report` needs as captures get longer.
//
//   report_memory DSTAP FOLDER CALLS...
//
// Writes a packed capture of each size to FOLDER, runs `DSTAP report` on it and prints one JSON
// line: calls, the peak of the report's resident memory, and its processor time.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "proto/base/file_sink.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

constexpr double kBytesPerMegabyte = 1e6;

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// The exit status, or -1; what it used is in `usage`.
int RunReport(std::string program, std::string file, rusage& usage) {
  std::string report = "report";
  char* const arguments[] = {program.data(), report.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int Main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: report_memory DSTAP FOLDER CALLS...\n";
    return 2;
  }
  const std::string file = std::string(argv[2]) + "/traffic.dstap";
  for (int i = 3; i < argc; ++i) {
    const uint64_t calls = std::strtoull(argv[i], nullptr, 10);
    auto sink = FileSink::Create(file, FileSink::IfExists::kRefuse);
    if (!sink.ok()) {
      std::cerr << sink.status().message() << '\n';
      return 4;
    }
    WriteTraffic({}, calls, Layout::kPacked, *std::move(sink));
    rusage usage{};
    if (const int status = RunReport(argv[1], file, usage); status != 0) {
      std::cerr << fmt::format("{} report: exit status {}\n", argv[1], status);
      return 1;
    }
    std::cout << fmt::format("{{\"calls\":{},\"peak_mb\":{:.1f},\"cpu_s\":{:.3f}}}\n", calls,
                             static_cast<double>(usage.ru_maxrss) * 1024 / kBytesPerMegabyte,
                             SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime))
              << std::flush;
    ::unlink(file.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace dstap::bench

int main(int argc, char** argv) { return dstap::bench::Main(argc, argv); }
