#include "analyzer/commands/cat_command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <set>
#include <span>

#include "analyzer/commands/read_files.h"
#include "analyzer/render/call_writer.h"
#include "analyzer/timeline/timeline_visitor.h"

namespace dstap::analyzer {
namespace {

// Prints each call as it comes. Once `out` fails nothing more is formatted; the program says so at
// its end.
class Printer final : public TimelineVisitor {
 public:
  // Without `ids`: of every id.
  Printer(const CallFormat& format, std::span<const uint64_t> ids, std::ostream& out)
      : format_(format), ids_(ids), out_(out) {
    out_ << format_.header;
  }

  void OnRecordingBegin(const Recording& recording) override { recording_ = recording; }
  void OnCall(const Call& call, const Step* step) override {
    if (!ids_.empty()) {
      first_id_ = std::min(first_id_, call.id);
      last_id_ = std::max(last_id_, call.id);
      if (std::ranges::find(ids_, call.id) == ids_.end()) return;
      found_.insert(call.id);
    }
    if (!out_) return;
    line_.clear();
    format_.append({.recording = recording_, .call = call, .step = step}, line_);
    out_ << line_;
  }
  void OnRecordingEnd(const Recording& recording) override {
    calls_ += recording.calls;
    matching_ += recording.calls_matching;
  }

  uint64_t calls() const { return calls_; }
  uint64_t matching() const { return matching_; }
  // Errors: kUsage, an id that no call has.
  Status FoundAll() const {
    for (const uint64_t id : ids_) {
      if (found_.contains(id)) continue;
      const std::string ids = last_id_ == 0
                                  ? "no call was read"
                                  : fmt::format("there are ids from {} to {}", first_id_, last_id_);
      return {ErrorCode::kUsage, fmt::format("--call {}: no such call; {}", id, ids)};
    }
    return {};
  }

 private:
  const CallFormat& format_;
  std::span<const uint64_t> ids_;
  std::set<uint64_t> found_;
  uint64_t first_id_ = std::numeric_limits<uint64_t>::max();
  uint64_t last_id_ = 0;
  std::ostream& out_;
  Recording recording_;
  std::string line_;
  uint64_t calls_ = 0;
  uint64_t matching_ = 0;
};

}  // namespace

CLI::App* CatCommand::Declare(CLI::App& app) {
  std::vector<std::string> formats;
  for (const CallFormat& format : AllCallFormats()) formats.emplace_back(format.name);
  CLI::App* command = app.add_subcommand("cat", "One line a call, in the order of their answers");
  command->add_option("FILE", files_, "Captures; \"-\" is standard input")->required();
  command->add_option("--format", format_, "How to print it")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command->add_option("--call", calls_, "Only the call of this id; may be given several times")
      ->type_name("ID")
      ->check(CLI::PositiveNumber)
      ->allow_extra_args(false);
  filter_.Declare(*command);
  command->footer(
      "A call that was recorded twice, in flight and answered, is printed once. Calls that were\n"
      "never answered come last. Times are seconds since the recording began.\n\n" +
      FilterOption::Help());
  return command;
}

Result<ExitStatus> CatCommand::Run(Streams streams) {
  const auto format = std::ranges::find(AllCallFormats(), format_, &CallFormat::name);
  DSTAP_TRY_ASSIGN(const std::optional<filter::Filter> filter, filter_.Parse());
  Printer printer(*format, calls_, streams.out);
  TimelineBuilder builder({&printer}, filter ? &*filter : nullptr);
  const FilesRead read = ReadFiles("cat", files_, builder, streams);
  if (filter && printer.matching() == 0 && read.captures > 0) {
    streams.out.flush();
    streams.notes << "dstap cat: --filter: none of " << printer.calls() << " calls matches\n";
  }
  // Of a file that could not be read whole nobody knows what is not in it.
  if (read.status == ExitStatus::kFine) DSTAP_TRY(printer.FoundAll());
  return read.status;
}

}  // namespace dstap::analyzer
