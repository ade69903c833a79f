#include "tests/kill/kill.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "proto/base/check.h"
#include "proto/base/prng.h"
#include "proto/capture/format.h"
#include "tests/kill/load.h"
#include "tests/kill/tracer.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

namespace fs = std::filesystem;
using When = KillPlan::When;

constexpr const char* kFile = "run.dstap";
constexpr uint64_t kProcesses = 3;
// What a recorder that is due to write may have to wait for a processor, on a busy machine.
constexpr int64_t kSchedulingNs = 2'000'000'000;
constexpr int64_t kOpenNs = capture::kBeginRecordAfterNs;
// What clients have to notice that the recorder is gone.
constexpr int kOrphansMs = 20'000;

int64_t Monotonic() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// A capture that can be told from the run's own.
std::string AnEarlierCapture() { return AClosedCapture(4); }

const char* NameOf(When when) {
  switch (when) {
    case When::kSyscall:
      return "system call";
    case When::kTornWrite:
      return "torn write";
    case When::kEndSyscall:
      return "system call of the end";
    case When::kTime:
      return "millisecond";
  }
  return "";
}

}  // namespace

std::string KillPlan::Text() const {
  return std::string(NameOf(when)) + " " + std::to_string(at) +
         (is_virtual ? ", virtual time" : ", wall clock") +
         (replaces ? ", in place of an earlier capture" : "");
}

KillPlan PlanOf(uint64_t seed, uint64_t n) {
  Prng random(Mix64(seed) ^ Mix64(n));
  KillPlan plan;
  plan.when = std::array{When::kSyscall, When::kTime, When::kTornWrite, When::kSyscall,
                         When::kEndSyscall}[n % 5];
  plan.is_virtual = plan.when != When::kTime && random.Below(3) == 0;
  plan.replaces = random.Below(5) == 0;
  plan.calls = plan.when == When::kEndSyscall ? 6 + random.Below(60) : 100'000;
  switch (plan.when) {
    case When::kSyscall: {
      // As many early as late: a power of two is drawn first.
      const uint64_t below = uint64_t{4} << random.Below(11);
      plan.at = 1 + random.Below(below);
      break;
    }
    case When::kTornWrite:
      plan.at = 2 + random.Below(60);
      break;
    case When::kEndSyscall:
      plan.at = 1 + random.Below(uint64_t{8} << random.Below(4));
      break;
    case When::kTime:
      plan.at = 20 + random.Below(800);
      break;
  }
  return plan;
}

Killer::Killer(std::string program, std::string client, std::string folder)
    : program_(std::move(program)), client_(std::move(client)), folder_(std::move(folder)) {
  DSTAP_CHECK(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
}

int Killer::Start(const std::vector<std::string>& arguments, bool traced,
                  const std::string& output) {
  std::vector<std::string> words = {program_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  if (::chdir(folder_.c_str()) != 0) ::_exit(126);
  const int fd = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(fd, 1);
  ::dup2(fd, 2);
  // The leak checker traces the process itself.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  if (traced && !AskToBeTraced()) ::_exit(kNotTraceable);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int Killer::RunToEnd(const std::vector<std::string>& arguments, std::string& output) {
  const pid_t pid = Start(arguments, false, "output.txt");
  int status = 0;
  ::waitpid(pid, &status, 0);
  output = Slurp(Path("output.txt"));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> Killer::RecordArguments(const KillPlan& plan) const {
  // Answers come on the next frame, and one call is never answered.
  std::vector<std::string> arguments = {"record",
                                        "-o",
                                        kFile,
                                        "--rule",
                                        "run_factor_permille=10",
                                        "--rule",
                                        "experience_limits=0",
                                        "--fault",
                                        std::string("never_answer key=") + kIdleKey};
  if (plan.replaces) arguments.push_back("--force");
  if (!plan.is_virtual) arguments.push_back("--wall");
  arguments.insert(arguments.end(), {"--", client_, plan.is_virtual ? "load-virtual" : "load",
                                     std::to_string(kProcesses), std::to_string(plan.calls)});
  return arguments;
}

Killer::Ended Killer::KillAtTime(const KillPlan& plan) {
  const pid_t pid = Start(RecordArguments(plan), false, "recorder.txt");
  ::usleep(static_cast<useconds_t>(plan.at * 1000));
  const int64_t now = Monotonic();
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {.error = {}, .was_killed = WIFSIGNALED(status), .at_ns = now};
}

Killer::Ended Killer::KillTraced(const KillPlan& plan) {
  const pid_t pid = Start(RecordArguments(plan), true, "recorder.txt");
  const TraceEnd end = Trace(pid, plan);
  return {.error = end.error, .was_killed = end.was_killed, .at_ns = Monotonic()};
}

// Clients of a recorder that is gone end by themselves.
std::string Killer::WaitForOrphans() {
  for (int waited = 0; waited < kOrphansMs; ++waited) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0) return {};
    if (pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
      return "a client ended with status " + std::to_string(status);
    }
    if (pid == 0) ::usleep(1000);
  }
  return "clients run on though the recorder is gone";
}

std::vector<Killer::Answer> Killer::Answers(std::string& error) const {
  std::vector<Answer> answers;
  for (uint64_t number = 1; number <= kProcesses; ++number) {
    std::ifstream in(Path("calls-" + std::to_string(number) + ".log"));
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      Answer answer;
      if (!(words >> answer.sent_ns >> answer.key >> answer.outcome)) error = "bad log: " + line;
      answers.push_back(answer);
    }
  }
  return answers;
}

void Killer::Check(const KillPlan& plan, const Ended& ended, KillResult& result) {
  std::string error;
  std::vector<Answer> answers = Answers(error);
  const auto broken = [&result](std::string what) {
    if (result.broken.empty()) result.broken = std::move(what);
  };
  if (!error.empty()) broken(error);
  std::erase_if(answers, [&](const Answer& answer) { return answer.key.empty(); });

  if (!fs::exists(Path(kFile))) {
    // Killed before the file had its first bytes: no client was started.
    result.verdict = "no file";
    if (plan.replaces) broken("the earlier capture is gone");
    if (!answers.empty()) broken("calls were answered and there is no capture");
    return;
  }
  std::string verify;
  const int verified = RunToEnd({"verify", kFile}, verify);
  const size_t last = verify.rfind('\n', verify.size() - 2);
  result.verdict = verify.substr(last == std::string::npos ? 0 : last + 1);
  if (!result.verdict.empty()) result.verdict.pop_back();
  if (verified != 0) broken("verify ends with " + std::to_string(verified) + ": " + verify);
  static const std::regex kVerdict(
      "run\\.dstap: (closed|unfinished), ([0-9]+) calls?(, ([0-9]+) bytes? of torn tail)?");
  std::smatch match;
  if (!std::regex_match(result.verdict, match, kVerdict)) {
    return broken("verify says: " + result.verdict);
  }
  std::string report;
  const int reported = RunToEnd({"report", kFile}, report);
  if (reported != 0) broken("report ends with " + std::to_string(reported) + ": " + report);

  const std::string bytes = Slurp(Path(kFile));
  if (plan.replaces && bytes == AnEarlierCapture()) {
    // The old one, whole: no client was started yet.
    if (!answers.empty()) broken("calls were answered and the earlier capture is still there");
    return;
  }
  const ReadResult capture = ReadCapture(bytes);
  if (!capture.ok()) return broken(capture.open.message() + capture.end.message());
  std::map<std::string, int> outcomes;
  std::set<std::string> open;
  std::set<uint64_t> ids;
  for (const OwnedRecord& record : capture.records) {
    if (!record.is_call) continue;
    ids.insert(record.call.id);
    const std::string key(record.call.key);
    if (record.call.outcome == v1::OUTCOME_IN_FLIGHT) {
      open.insert(key);
    } else if (!outcomes.emplace(key, record.call.outcome).second) {
      broken("call " + key + " has two outcomes");
    }
  }
  if (match[2] != std::to_string(ids.size())) {
    broken("verify counts " + match[2].str() + " calls, there are " + std::to_string(ids.size()));
  }
  result.torn_bytes = capture.torn_bytes;
  const std::string torn = match[4].matched ? match[4].str() : "0";
  if (torn != std::to_string(capture.torn_bytes)) broken("verify says " + torn + " torn bytes");

  std::optional<int64_t> idle_since;
  int64_t latest_sent = 0;
  for (const Answer& answer : answers) {
    if (answer.key == kIdleKey) {
      idle_since = answer.sent_ns;
      continue;
    }
    ++result.answered;
    latest_sent = std::max(latest_sent, answer.sent_ns);
    const auto found = outcomes.find(answer.key);
    if (found == outcomes.end()) {
      broken("call " + answer.key + " was answered and is not in the file");
    } else if (found->second != answer.outcome) {
      broken("call " + answer.key + " was answered with outcome " + std::to_string(answer.outcome) +
             ", the file has " + std::to_string(found->second));
    }
  }
  // Whatever was answered later than 50 ms after it was committed with it.
  result.idle_was_due =
      idle_since && (latest_sent >= *idle_since + kOpenNs ||
                     (!plan.is_virtual && ended.at_ns >= *idle_since + kOpenNs + kSchedulingNs));
  if (result.idle_was_due && !open.contains(kIdleKey)) {
    broken("a call is open for more than 50 ms and is not in the file");
  }
  if (outcomes.contains(kIdleKey)) broken("a call that nobody answered has an outcome");
}

KillResult Killer::Run(const KillPlan& plan) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  if (plan.replaces) std::ofstream(Path(kFile), std::ios::binary) << AnEarlierCapture();
  const Ended ended = plan.when == When::kTime ? KillAtTime(plan) : KillTraced(plan);
  KillResult result;
  result.was_killed = ended.was_killed;
  result.broken = ended.error.empty() ? WaitForOrphans() : ended.error;
  if (result.broken.empty()) Check(plan, ended, result);
  // What a run leaves beside the capture does not stand in the next one's way.
  const bool leaves_siblings = plan.replaces || plan.when == When::kEndSyscall;
  if (result.broken.empty() && leaves_siblings && fs::exists(Path(kFile))) {
    std::string output;
    const int again = RunToEnd({"record", "--force", "-o", kFile, "--", "true"}, output);
    std::string verify;
    if (again != 0 || RunToEnd({"verify", kFile}, verify) != 0 ||
        verify != "run.dstap: closed, 0 calls\n") {
      result.broken =
          "the next recording ends with " + std::to_string(again) + ": " + output + verify;
    }
  }
  if (result.broken.empty()) {
    fs::remove_all(folder_);
  } else {
    result.broken = plan.Text() + ": " + result.broken;
  }
  return result;
}

}  // namespace dstap::test
