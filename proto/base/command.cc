#include "proto/base/command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "proto/base/escape.h"

namespace dstap {
namespace {

// One line, whatever a library's exception says.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return EscapeLine(text);  // A file's name may hold what moves a terminal's cursor.
}

}  // namespace

std::string Program::NoSuchCommand(std::string_view word) const {
  std::string text = "\"" + Escape(word) + "\" is no command; there are ";
  for (size_t i = 0; i < commands_.size(); ++i) {
    if (i > 0) text += i + 1 == commands_.size() ? " and " : ", ";
    text += commands_[i].second->get_name();
  }
  return text;
}

Program::Program(std::string description)
    : app_(std::make_unique<CLI::App>(std::move(description), "dstap")) {
  app_->set_version_flag("--version", "dstap " DSTAP_VERSION);
  app_->require_subcommand(1);
}

Program::~Program() = default;

void Program::Add(std::unique_ptr<Command> command) {
  CLI::App* declared = command->Declare(*app_);
  commands_.emplace_back(std::move(command), declared);
}

int Program::Run(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& e) {  // --help, --version
    app_->exit(e, std::cout, std::cerr);
    std::cout.flush();
    return static_cast<int>(std::cout ? ExitStatus::kFine : ExitStatus::kNoOutput);
  } catch (const CLI::ParseError& e) {
    std::string name = "dstap";
    for (const auto& [command, declared] : commands_) {
      if (declared->parsed()) name += " " + declared->get_name();
    }
    std::string text = OneLine(e.what());
    if (argc > 1 && app_->get_subcommands().empty() && argv[1][0] != '-') {
      text = NoSuchCommand(argv[1]);
    }
    std::cerr << name << ": " << text << "; see \"" << name << " --help\"\n";
    return static_cast<int>(ExitStatus::kUsage);
  }
  for (const auto& [command, declared] : commands_) {
    if (!declared->parsed()) continue;
    Result<ExitStatus> result = ExitStatus::kFine;
    try {
      result = command->Run({std::cout, std::cerr});
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      result = Status(ErrorCode::kRun, e.what());
    }
    std::cout.flush();
    if (!result.ok()) {
      std::cerr << "dstap " << declared->get_name() << ": " << OneLine(result.status().message())
                << '\n';
      return static_cast<int>(ExitStatusOf(result.status().code()));
    }
    if (!std::cout) {
      std::cerr << "dstap " << declared->get_name()
                << ": standard output cannot be written; is the disk full or the reader gone?\n";
      return static_cast<int>(ExitStatus::kNoOutput);
    }
    return static_cast<int>(*result);
  }
  return static_cast<int>(ExitStatus::kUsage);
}

}  // namespace dstap
