// Runs a subcommand as the program would, without a process.
#pragma once

#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::test {

struct CommandResult {
  int status = 0;  // The process's.
  std::string out;
  std::string notes;  // Standard error, an error's line included.
};

template <typename T>
CommandResult RunCommand(std::vector<std::string> arguments) {
  CLI::App app("", "dstap");
  T command;
  CLI::App* declared = command.Declare(app);
  std::ranges::reverse(arguments);  // As CLI11 takes them.
  arguments.push_back(declared->get_name());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return {static_cast<int>(ExitStatus::kUsage), "", e.what()};
  }
  std::ostringstream out;
  std::ostringstream notes;
  const Result<ExitStatus> result = command.Run({out, notes});
  if (!result.ok()) {
    notes << "dstap " << declared->get_name() << ": " << result.status().message() << '\n';
  }
  return {static_cast<int>(result.ok() ? *result : ExitStatusOf(result.status().code())), out.str(),
          notes.str()};
}

// A folder of its own for one test, removed at its end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("dstap-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string Path(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file and gives its path.
  std::string File(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return Path(name);
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace dstap::test
