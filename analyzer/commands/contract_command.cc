#include "analyzer/commands/contract_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_files.h"
#include "analyzer/contracts/draft.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

std::string NameOf(const SubjectId& subject) {
  return subject.version.empty() ? subject.name : subject.name + "@" + subject.version;
}

// The one that is meant: the only one, or the one of this name.
Result<SubjectId> Choose(const std::vector<SubjectId>& subjects, const std::string& library) {
  std::string names;
  std::vector<SubjectId> meant;
  for (const SubjectId& subject : subjects) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", Escape(NameOf(subject)));
    if (library.empty() || subject.name == library || NameOf(subject) == library) {
      meant.push_back(subject);
    }
  }
  if (meant.size() == 1) return meant.front();
  if (subjects.empty()) {
    return Status(ErrorCode::kNotFound,
                  "no step in it has ended, and a contract is made of steps; record with steps");
  }
  return Status(ErrorCode::kUsage,
                meant.empty() ? fmt::format("--library \"{}\": is not there; there are {}",
                                            Escape(library), names)
                              : fmt::format("it is for one library, and there are {}; name one "
                                            "with --library",
                                            names));
}

}  // namespace

CLI::App* ContractCommand::Declare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("contract", "Drafts a contract from what a library was seen to send");
  command->add_option("--from", files_, "Captures; \"-\" is standard input")
      ->required()
      ->type_name("FILE...");
  command->add_option("--library", library_, "Whose traffic it is about, where there are several")
      ->type_name("NAME[@VERSION]");
  command->add_option("-o,--output", output_, "Where to write it; \"-\" is standard output")
      ->capture_default_str();
  command->footer(
      "A draft promises exactly what was seen, with a frame of room between tries and twice the "
      "longest\ntime. Take out what is not promised, then `dstap check --contract FILE CAPTURE`.");
  return command;
}

Result<ExitStatus> ContractCommand::Run(Streams streams) {
  const bool to_stdout = output_ == "-";
  for (const std::string& file : files_) {
    if (to_stdout || !IsSameFile(file, output_)) continue;
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: is one of the captures; name another output", output_));
  }
  DraftView draft;
  TimelineBuilder builder({&draft});
  const FilesRead read = ReadFiles("contract", files_, builder, streams);
  if (read.captures == 0) return read.status;
  DSTAP_TRY_ASSIGN(const SubjectId subject, Choose(draft.Subjects(), library_));
  const std::string text = draft.Write(subject);
  if (to_stdout) {
    streams.out << text;
  } else {
    DSTAP_TRY(WriteWhole(output_, text));
  }
  return read.status;
}

}  // namespace dstap::analyzer
