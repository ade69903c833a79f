#include "analyzer/commands/recover_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <ostream>
#include <utility>

#include "analyzer/commands/inspect_files.h"
#include "analyzer/commands/output_file.h"
#include "proto/base/escape.h"
#include "proto/base/file_source.h"
#include "proto/base/whole_file.h"
#include "proto/capture/recover.h"

namespace dstap::analyzer {
namespace {

using capture::Ending;
using capture::Recovery;
using capture::SkippedRange;

// What a killed `dstap record --force` leaves ends with ".part", and is a likely input.
constexpr std::string_view kSuffix = ".recovering";

std::string Counted(uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

void PrintRange(const std::string& path, const SkippedRange& range, std::ostream& out) {
  out << fmt::format("{}: byte {}, chunk {}: {}: ", path, range.begin, range.chunk,
                     capture::InfoOf(range.defect).name);
  if (range.end != range.begin) {
    out << fmt::format("bytes {} to {} passed over: ", range.begin, range.end - 1);
  }
  out << range.why << '\n';
}

// What is not in the new file, a line each.
void PrintLost(const std::string& path, const Recovery& recovery, std::ostream& out) {
  for (const SkippedRange& range : recovery.skipped) PrintRange(path, range, out);
  const auto line = [&](const std::string& text) { out << path << ": " << text << '\n'; };
  if (recovery.torn_bytes > 0) {
    line(fmt::format("lost: {} of torn tail, part of a chunk; no call in it was answered",
                     Counted(recovery.torn_bytes, "byte", "bytes")));
  }
  if (recovery.calls_lost + recovery.rows_lost > 0) {
    line(fmt::format("lost: {} and {}, by the count of the End row",
                     Counted(recovery.calls_lost, "record of a call", "records of calls"),
                     Counted(recovery.rows_lost, "row", "rows")));
  }
  if (recovery.places_not_counted > 0) {
    line(
        fmt::format("lost: nobody knows how many records, in {}; there is no End row to count them",
                    Counted(recovery.places_not_counted, "place", "places")));
  }
  if (recovery.recordings_without_records > 0) {
    line(fmt::format("lost: all of {}",
                     Counted(recovery.recordings_without_records, "recording", "recordings")));
  }
  if (recovery.records_too_large > 0) {
    line(fmt::format("lost: {} larger than a chunk may be",
                     Counted(recovery.records_too_large, "record", "records")));
  }
  if (recovery.recordings_without_header > 0) {
    line(fmt::format("{} had no Header; clock, rules and seed are unknown",
                     Counted(recovery.recordings_without_header, "recording", "recordings")));
  }
  if (recovery.recordings_without_end > 0) {
    line(fmt::format("{} had no End row, and has one now that says so",
                     Counted(recovery.recordings_without_end, "recording", "recordings")));
  }
  if (recovery.records_rounded > 0) {
    line(fmt::format("times of {} were rounded: its chunks count in different units",
                     Counted(recovery.records_rounded, "record", "records")));
  }
  if (recovery.unknown_fields > 0) {
    line(fmt::format("{} of a newer dstap may not all be in the new file; a newer one keeps them",
                     Counted(recovery.unknown_fields, "field", "fields")));
  }
}

// Only the system's errors name their file.
Status WithName(Status status, const std::string& name) {
  const bool is_named = status.code() == ErrorCode::kRead ||
                        status.code() == ErrorCode::kNotFound || status.code() == ErrorCode::kWrite;
  return is_named ? status : std::move(status).At(name);
}

}  // namespace

CLI::App* RecoverCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "recover", "Writes what is good of a damaged or unfinished capture into a new, closed one");
  command->add_option("IN", input_, "A capture; - is standard input")->required();
  command->add_option("-o,--output", output_, "The new capture")->required();
  command->add_flag("--force", force_, "Replace the new capture if it exists");
  command->footer(
      "Lists what is lost; the new capture says it too. It is read again before it gets its name.\n"
      "IN is never changed. Exit status: 0 recovered, 3 nothing of IN is good, 4 not written.");
  return command;
}

Result<ExitStatus> RecoverCommand::Run(Streams streams) {
  if (output_ == "-") {
    return Status(ErrorCode::kUsage,
                  "what is written is read again, which standard output cannot be; name a file");
  }
  for (const std::string& taken : {output_, WholeFile::SiblingOf(output_, kSuffix)}) {
    if (input_ != "-" && IsSameFile(input_, taken)) {
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: is the capture to be recovered; name another output", taken));
    }
  }
  const std::string shown = ShownPath(input_);
  Result<capture::CaptureReader> reader = OpenCapture(input_);
  if (!reader.ok()) return WithName(reader.status(), shown);
  DSTAP_TRY_ASSIGN(WholeFile file,
                   WholeFile::Create(output_, {.if_exists = force_ ? FileSink::IfExists::kReplace
                                                                   : FileSink::IfExists::kRefuse,
                                               .suffix = kSuffix}));
  const Result<Recovery> recovered = Recover(*reader, file.sink());
  if (!recovered.ok()) return WithName(recovered.status(), shown);
  const Recovery& recovery = *recovered;
  DSTAP_TRY(file.sink().Sync());
  DSTAP_TRY_ASSIGN(auto written, FileSource::Open(file.sibling()));
  if (Status status = CheckRecovered(std::move(written), recovery); !status.ok()) {
    return std::move(status).At(output_);
  }
  DSTAP_TRY(file.Publish());

  PrintLost(shown, recovery, streams.out);
  if (recovery.nothing_was_lost()) {
    streams.out << fmt::format("{}: is closed and whole; there is nothing to recover\n", shown);
  }
  std::string line =
      fmt::format("{}: closed, {}", ShownPath(output_), Counted(recovery.calls, "call", "calls"));
  if (recovery.recordings > 1) line += fmt::format(", {} recordings", recovery.recordings);
  streams.out << line
              << (recovery.nothing_was_lost() ? ", the same records\n" : "; read again, good\n");
  if (recovery.was == Ending::kDamaged) {
    streams.notes << "dstap recover: counts of a report on it are lower bounds; keep "
                  << (input_ == "-" ? "the original" : shown) << ", or look for a better copy\n";
  }
  return ExitStatus::kFine;
}

}  // namespace dstap::analyzer
