#include "analyzer/commands/merge_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <ostream>
#include <utility>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/rewrite_output.h"
#include "analyzer/rewrite/merge.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {

CLI::App* MergeCommand::Declare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("merge", "Makes one capture of several servers' captures, on one clock");
  command->add_option("FILE", files_, "Captures, two or more")->required();
  command->add_option("-o,--output", output_, "Where to write it; \"-\" is standard output")
      ->required();
  command->add_flag("--force", force_, "Replace the output if it exists");
  command->footer(
      "Clocks are compared by the machines' dates, and by messages that one server published and\n"
      "another one was delivered. How far off they may be is printed, and stands in the capture.");
  return command;
}

Result<ExitStatus> MergeCommand::Run(Streams streams) {
  if (files_.size() < 2) {
    return Status(ErrorCode::kUsage, "one capture is merged with nothing; name two or more");
  }
  std::vector<MergeInput> inputs;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] == "-") {
      return Status(ErrorCode::kUsage, "-: captures are read twice to be merged; name files");
    }
    for (size_t j = 0; j < i; ++j) {
      if (files_[j] == files_[i] || IsSameFile(files_[j], files_[i])) {
        return Status(ErrorCode::kUsage, fmt::format("{}: is given twice", files_[i]));
      }
    }
    DSTAP_TRY_ASSIGN(capture::OpenSource open, OpenTwice(files_[i]));
    inputs.push_back({std::filesystem::path(files_[i]).filename().string(), std::move(open)});
  }
  DSTAP_TRY_ASSIGN(RewriteOutput output, RewriteOutput::Create(output_, force_, files_, streams));
  DSTAP_TRY_ASSIGN(const MergeResult result, Merge(inputs, output.sink()));
  DSTAP_TRY(output.Finish());
  std::ostream& out = output.remarks();
  for (const MergedRecording& each : result.recordings) {
    out << fmt::format("{}: begins at {}{}\n", Escape(each.name), each.clock,
                       each.was_unfinished ? "; it had no end" : "");
  }
  for (const std::string& warning : result.warnings) out << EscapeLine(warning) << '\n';
  if (result.unknown_fields > 0) {
    out << fmt::format("{} of a newer dstap left out\n",
                       Counted(result.unknown_fields, "field", "fields"));
  }
  out << fmt::format("{}: {} of {}\n", output_ == "-" ? "standard output" : Escape(output_),
                     Counted(result.calls, "call", "calls"),
                     Counted(result.recordings.size(), "recording", "recordings"));
  return ExitStatus::kFine;
}

}  // namespace dstap::analyzer
