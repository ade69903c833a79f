// Runs the real program, as its user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace dstap::test {

struct Ran {
  int status = -1;  // As a shell gives it.
  std::string out;
  std::string err;
};

// A folder of the test's own, gone with it.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string path = (std::filesystem::temp_directory_path() / "dstap-e2e-XXXXXX").string();
    folder_ = ::mkdtemp(path.data());
  }
  ~ProgramTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static std::string Slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  static void Spill(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  // Starts `dstap ARGUMENTS` in the test's folder; output goes to files there.
  pid_t Start(const std::vector<std::string>& arguments) const {
    return StartWith(arguments, [] {});
  }

  // The same where files may not grow past 32 KiB.
  pid_t StartLimited(const std::vector<std::string>& arguments) const {
    return StartWith(arguments, [] {
      const rlimit limit{.rlim_cur = 32 << 10, .rlim_max = 32 << 10};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      ::signal(SIGXFSZ, SIG_IGN);
    });
  }

  template <typename Prepare>
  pid_t StartWith(const std::vector<std::string>& arguments, Prepare prepare) const {
    std::vector<std::string> words = {DSTAP_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    ::dup2(::open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open("stderr.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    prepare();
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  Ran Finish(pid_t pid) const {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return {.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            .out = Slurp(Path("stdout.txt")),
            .err = Slurp(Path("stderr.txt"))};
  }

  Ran Run(const std::vector<std::string>& arguments) const { return Finish(Start(arguments)); }

  // Waits until the program has printed `text`; false after ten seconds.
  bool WaitForOutput(const std::string& text) const {
    for (int i = 0; i < 1000; ++i) {
      if (Slurp(Path("stdout.txt")).find(text) != std::string::npos) return true;
      ::usleep(10'000);
    }
    return false;
  }

  std::string folder_;
};

// Exactly one line, and no more.
inline bool IsOneLine(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace dstap::test
