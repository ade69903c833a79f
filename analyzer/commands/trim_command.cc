#include "analyzer/commands/trim_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "analyzer/commands/rewrite_output.h"
#include "analyzer/rewrite/trim.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {

CLI::App* TrimCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("trim", "Cuts a part out of a capture");
  command->add_option("FILE", file_, "A capture")->required();
  command->add_option("-o,--output", output_, "Where to write it; \"-\" is standard output")
      ->required();
  command->add_flag("--force", force_, "Replace the output if it exists");
  command->add_option(
      "--from", from_,
      "Keep calls issued from here on: 90s after the recording began, 1m30s, 250ms, "
      "or a date in UTC as 2026-05-01T12:00:00Z");
  command->add_option("--to", to_, "Keep calls issued before this");
  command->add_option("--step", step_, "Keep calls of steps of this name, and only these steps");
  filter_.Declare(*command);
  command->footer(
      "Sources, open steps, limits and players that the part needs are written in front of it.\n"
      "Steps that were cut are marked, and count as no sample in a report. What was left out is\n"
      "printed, and stands in the new capture. " +
      FilterOption::Help());
  return command_ = command;
}

Result<ExitStatus> TrimCommand::Run(Streams streams) {
  if (file_ == "-") {
    return Status(ErrorCode::kUsage, "-: a capture is read twice to be cut; name a file");
  }
  TrimOptions options{.input = std::filesystem::path(file_).filename().string()};
  if (command_->count("--from") > 0) {
    DSTAP_TRY_ASSIGN(options.from, ParseCutTime(from_));
  }
  if (command_->count("--to") > 0) {
    DSTAP_TRY_ASSIGN(options.to, ParseCutTime(to_));
  }
  if (command_->count("--step") > 0) options.step = step_;
  DSTAP_TRY_ASSIGN(options.filter, filter_.Parse());
  if (!options.from && !options.to && !options.step && !options.filter) {
    return Status(ErrorCode::kUsage,
                  "nothing says what to keep; add --from, --to, --step or --filter");
  }
  DSTAP_TRY_ASSIGN(const capture::OpenSource open, OpenTwice(file_));
  DSTAP_TRY_ASSIGN(RewriteOutput output,
                   RewriteOutput::Create(output_, force_, {&file_, 1}, streams));
  const Result<TrimResult> result = Trim(open, output.sink(), options);
  if (!result.ok()) return NamedInput(file_, result.status());
  DSTAP_TRY(output.Finish());
  output.remarks() << fmt::format(
      "{}: {} kept; {} and {} left out{}{}\n", Escape(output_ == "-" ? file_ : output_),
      Counted(result->calls_kept, "call", "calls"), Counted(result->calls_dropped, "call", "calls"),
      Counted(result->rows_dropped, "row", "rows"),
      result->was_unfinished ? "; " + Escape(file_) + " had no end" : "",
      result->unknown_fields > 0 ? fmt::format("; so are {} of a newer dstap",
                                               Counted(result->unknown_fields, "field", "fields"))
                                 : "");
  return ExitStatus::kFine;
}

}  // namespace dstap::analyzer
