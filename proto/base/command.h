// The program and its subcommands.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/base/exit_status.h"

namespace CLI {
class App;
}

namespace dstap {

// Where a command prints. Results go to `out`, remarks about them to `notes`.
struct Streams {
  std::ostream& out;
  std::ostream& notes;
};

// One subcommand: its flags, its help and what it does, in one file.
class Command {
 public:
  virtual ~Command() = default;

  // Declares the subcommand on `app`. Anything it does not name is refused.
  virtual CLI::App* Declare(CLI::App& app) = 0;

  // A Status that is not OK is printed as the one line "dstap NAME: message", and the program ends
  // with ExitStatusOf its code.
  virtual Result<ExitStatus> Run(Streams streams) = 0;
};

class Program {
 public:
  explicit Program(std::string description);
  ~Program();

  template <typename T>
  void Add() {
    Add(std::make_unique<T>());
  }
  void Add(std::unique_ptr<Command> command);

  // Parses, runs one command, returns the process's exit status.
  int Run(int argc, const char* const* argv);

 private:
  std::string NoSuchCommand(std::string_view word) const;

  std::unique_ptr<CLI::App> app_;
  std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>> commands_;
};

}  // namespace dstap
