#include "analyzer/commands/pack_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <ostream>
#include <utility>

#include "analyzer/commands/rewrite_output.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

using capture::PackResult;

void Print(const std::string& file, const PackResult& result, std::ostream& out) {
  std::string line =
      fmt::format("{}: {} to {} bytes", Escape(file), result.bytes_before, result.bytes_after);
  if (result.records_folded > 0) {
    line += fmt::format(", {} of calls in flight folded",
                        Counted(result.records_folded, "record", "records"));
  }
  if (result.torn_bytes > 0) {
    line += fmt::format(", {} of torn tail left out", Counted(result.torn_bytes, "byte", "bytes"));
  }
  out << line << '\n';
}

}  // namespace

CLI::App* PackCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "pack", "Makes captures small: merges chunks, compresses, keeps one record a call");
  command->add_option("FILE", files_, "Captures; each is packed in its place")->required();
  command->add_option("-o,--output", output_,
                      "Write here and leave the one FILE as it is; \"-\" is standard output");
  command->add_flag("--force", force_, "Replace the output if it exists");
  command->add_option("--level", options_.zstd_level, "How hard to compress")
      ->check(CLI::Range(1, 19))
      ->capture_default_str();
  command->footer(
      "Records, their order and headers stay as they are. A capture that is being recorded is\n"
      "left alone, and so is a damaged one: \"dstap recover\" keeps what is good of it.");
  return command;
}

Status PackCommand::PackOne(const std::string& file, Streams streams) const {
  if (file == "-") {
    return {ErrorCode::kUsage, "-: a capture is read twice to be packed; name a file"};
  }
  if (output_.empty()) {
    DSTAP_TRY_ASSIGN(const PackResult result, capture::PackFile(file, {.pack = options_}));
    Print(file, result, streams.out);
    return {};
  }
  DSTAP_TRY_ASSIGN(const capture::OpenSource open, OpenTwice(file));
  DSTAP_TRY_ASSIGN(RewriteOutput output,
                   RewriteOutput::Create(output_, force_, {&file, 1}, streams));
  const Result<PackResult> result = capture::Pack(open, output.sink(), options_);
  if (!result.ok()) return NamedInput(file, result.status());
  DSTAP_TRY(output.Finish());
  Print(file, *result, output.remarks());
  return {};
}

Result<ExitStatus> PackCommand::Run(Streams streams) {
  if (!output_.empty() && files_.size() > 1) {
    return Status(ErrorCode::kUsage, "-o takes one FILE; without it each is packed in its place");
  }
  ExitStatus worst = ExitStatus::kFine;
  for (const std::string& file : files_) {
    const Status status = PackOne(file, streams);
    if (status.ok()) continue;
    if (files_.size() == 1) return status;
    worst = std::max(worst, ExitStatusOf(status.code()));
    streams.out.flush();  // So that the two stay in order on a terminal.
    std::string line = status.message();
    std::ranges::replace(line, '\n', ' ');  // Of a file's name.
    streams.notes << "dstap pack: " << EscapeLine(line) << '\n';
  }
  return worst;
}

}  // namespace dstap::analyzer
