#include "proxy/commands/record_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <map>
#include <ostream>
#include <string>

#include "proto/base/escape.h"
#include "proto/filter/quantity.h"
#include "proxy/commands/recording_flags.h"

namespace dstap::proxy {

CLI::App* RecordCommand::Declare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("record", "Run a command and record the DataStore calls it makes");
  command->footer(
      "Put -- in front of COMMAND and its arguments. The command finds the proxy at $DSTAP_SOCKET; "
      "docs/session-protocol.md says how to speak "
      "with it.");
  command->add_option("-o,--output", options_.output.path, "The capture to write")
      ->required()
      ->type_name("FILE");
  CLI::Option* force = command->add_flag("--force", force_, "Replace FILE if it exists");
  command->add_flag("--append", append_, "Write behind the recordings that FILE has, if it exists")
      ->excludes(force);
  command->add_flag("!--no-pack", options_.output.packs, "Leave FILE as it was written: larger");
  command->add_flag("--wall", wall_, "Real time, and any number of clients");
  command->add_option("--listen", options_.listen,
                      "unix:PATH or tcp:127.0.0.1:PORT instead of a private socket");
  command->add_option("--title", options_.title, "A line about the recording, kept in it");
  AddRecordingFlags(*command, options_);
  CLI::Option* rotate = command->add_option(
      "--rotate", rotate_, "Go on in another file at this SIZE (100MB) or after this TIME (10m)");
  rotate->type_name("SIZE|TIME")->excludes("--append");
  CLI::Option* dump_on = command->add_option(
      "--dump-on", options_.dump_on,
      "Write nothing until a call matches this filter, then what --keep has and what follows");
  dump_on->type_name("EXPR")->excludes(rotate)->excludes("--append");
  command->add_option("--keep", keep_, "With --dump-on: the last TIME is kept in memory")
      ->type_name("TIME")
      ->needs(dump_on);
  command
      ->add_option("--buffer", options_.buffer.buffer_bytes,
                   "With --wall: what may wait in memory for a slow disk")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("64MB");
  command
      ->add_option("--on-overflow", options_.buffer.on_overflow,
                   "With --wall, when it is full: drop records, or block the callers")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, WriteBehind::OnOverflow>{
              {"drop", WriteBehind::OnOverflow::kDrop}, {"block", WriteBehind::OnOverflow::kBlock}},
          CLI::ignore_case))
      ->type_name("drop|block")
      ->default_str("drop");
  command->add_option("COMMAND", options_.command, "What to run; put -- in front of it")
      ->required()
      ->type_name("");
  return command;
}

Status RecordCommand::ReadLimits() {
  const auto read = [](const char* option, const std::string& text, filter::FieldKind kind) {
    Result<filter::Int128> value = filter::QuantityOf(text, kind);
    if (value.ok() && *value > 0 && *value <= std::numeric_limits<int64_t>::max()) return value;
    return Result<filter::Int128>(Status(
        ErrorCode::kUsage, fmt::format("{} {}: is no {}", option, text,
                                       kind == filter::FieldKind::kTime
                                           ? "time such as 60s or 10m"
                                           : "size such as 100MB, and no time such as 10m")));
  };
  if (!rotate_.empty()) {
    RotatingFile::Limits& limits = options_.output.rotate.emplace();
    if (const auto time = read("--rotate", rotate_, filter::FieldKind::kTime); time.ok()) {
      limits.time = Time(static_cast<int64_t>(*time));
    } else {
      DSTAP_TRY_ASSIGN(const filter::Int128 bytes,
                       read("--rotate", rotate_, filter::FieldKind::kSize));
      limits.bytes = static_cast<uint64_t>(bytes);
    }
  }
  if (!options_.dump_on.empty()) {
    DSTAP_TRY_ASSIGN(const filter::Int128 keep,
                     read("--keep", keep_.empty() ? "60s" : keep_, filter::FieldKind::kTime));
    options_.output.flight = {.keep = Time(static_cast<int64_t>(keep)),
                              .bytes = options_.buffer.buffer_bytes};
  }
  return {};
}

Result<ExitStatus> RecordCommand::Run(Streams streams) {
  options_.clock = wall_ ? v1::CLOCK_KIND_WALL : v1::CLOCK_KIND_VIRTUAL;
  options_.output.if_exists = force_    ? FileSink::IfExists::kReplace
                              : append_ ? FileSink::IfExists::kAppend
                                        : FileSink::IfExists::kRefuse;
  DSTAP_TRY(ReadLimits());
  const auto recorded = RunRecording(options_);
  if (!recorded.ok() && recorded.status().code() == ErrorCode::kNotFound &&
      recorded.status().message().starts_with(options_.command.front() + ":")) {
    // The command, not a file that is to be read: a wrong word.
    return Status(ErrorCode::kUsage, recorded.status().message());
  }
  DSTAP_TRY(recorded.status());
  const RecordingResult& result = *recorded;
  if (result.clients_refused > 0) {
    streams.notes << fmt::format("dstap record: {} refused: {}\n",
                                 result.clients_refused == 1
                                     ? std::string("a client was")
                                     : fmt::format("{} clients were", result.clients_refused),
                                 result.first_refusal);
  }
  for (const std::string& line : result.faults_unused) {
    streams.notes << fmt::format("dstap record: {}\n", EscapeLine(line));
  }
  if (!result.not_packed.ok()) {
    streams.notes << fmt::format(
        "dstap record: the capture is whole, and could not be packed: {}\n",
        result.not_packed.message());
  }
  if (options_.output.flight || options_.output.rotate) {
    streams.notes << (result.files.empty()
                          ? "dstap record: no call matched --dump-on, no file was written\n"
                          : fmt::format("dstap record: wrote {}\n", fmt::join(result.files, ", ")));
  }
  const bool lost = !result.file_error.ok() || result.calls_lost + result.rows_lost > 0;
  if (lost) {
    streams.notes << fmt::format(
        "dstap record: {}; {} of {} calls and {} other records are lost, the calls went on\n",
        result.file_error.ok() ? options_.output.path : result.file_error.message(),
        result.calls_lost, result.calls, result.rows_lost);
  }
  if (result.command_status != 0) return static_cast<ExitStatus>(result.command_status);
  return lost ? ExitStatus::kNoOutput : ExitStatus::kFine;
}

}  // namespace dstap::proxy
