// What a command takes.
//
//   measured RUNS CPUS OUTPUT COMMAND...
//
// Runs COMMAND up to RUNS times on the processors CPUS ("0" or "0,1"), its output to the file
// OUTPUT, and prints one JSON line: the least processor time of itself and its children, the least
// time by the wall's clock, and the highest peak of resident memory. One run over half a minute is
// enough. Ends with 1 when COMMAND fails, and with 127 when there is no such command.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string_view>

namespace dstap::bench {
namespace {

constexpr double kLongEnough = 30;  // Seconds.
constexpr int kNoSuchCommand = 127;

struct Taken {
  double cpu_s = std::numeric_limits<double>::max();
  double wall_s = std::numeric_limits<double>::max();
  double peak_mb = 0;
};

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// The command's exit status, or -1.
int RunOnce(const char* output, char** command, Taken& taken) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return kNoSuchCommand;
  rusage usage{};
  int status = 0;
  if (failed != 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status)) return -1;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  taken.wall_s = std::min(taken.wall_s, wall.count());
  taken.cpu_s = std::min(taken.cpu_s, SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime));
  taken.peak_mb = std::max(taken.peak_mb, static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
  return WEXITSTATUS(status);
}

int Main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: measured RUNS CPUS OUTPUT COMMAND...\n";
    return 2;
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const char digit : std::string_view(argv[2])) {
    if (digit != ',') CPU_SET(static_cast<size_t>(digit - '0'), &cpus);
  }
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
    std::cerr << "there are no processors " << argv[2] << '\n';
    return 1;
  }
  Taken taken;
  const int runs = std::atoi(argv[1]);
  for (int run = 0; run < runs; ++run) {
    const int status = RunOnce(argv[3], argv + 4, taken);
    if (status == kNoSuchCommand) return kNoSuchCommand;
    if (status != 0) {
      std::cerr << argv[4] << ": exit status " << status << '\n';
      return 1;
    }
    if (taken.wall_s > kLongEnough) break;
  }
  std::cout << fmt::format("{{\"cpu_s\":{:.4f},\"wall_s\":{:.4f},\"peak_mb\":{:.1f}}}\n",
                           taken.cpu_s, taken.wall_s, taken.peak_mb);
  return 0;
}

}  // namespace
}  // namespace dstap::bench

int main(int argc, char** argv) { return dstap::bench::Main(argc, argv); }
