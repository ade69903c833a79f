// Runs one subcommand in the test's process.
#pragma once

#include <CLI/App.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::test {

struct CommandResult {
  Status status;  // Not OK: what Program would print and exit with.
  ExitStatus exit = ExitStatus::kFine;
  std::string out;
  std::string notes;
};

// `arguments` without the program's and the command's name.
template <typename T>
CommandResult RunCommand(std::vector<std::string> arguments) {
  T command;
  CLI::App app;
  CLI::App* declared = command.Declare(app);
  arguments.insert(arguments.begin(), declared->get_name());
  std::reverse(arguments.begin(), arguments.end());  // As CLI11 takes them.
  app.parse(std::move(arguments));
  std::ostringstream out;
  std::ostringstream notes;
  const Result<ExitStatus> result = command.Run({out, notes});
  CommandResult ran;
  ran.status = result.status();
  ran.exit = result.ok() ? *result : ExitStatusOf(result.status().code());
  ran.out = out.str();
  ran.notes = notes.str();
  return ran;
}

}  // namespace dstap::test
