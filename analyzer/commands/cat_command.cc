#include "analyzer/commands/cat_command.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <optional>
#include <ostream>

#include "analyzer/commands/read_files.h"
#include "analyzer/render/call_writer.h"
#include "analyzer/timeline/timeline_visitor.h"

namespace dstap::analyzer {
namespace {

// Prints each call as it comes. Once `out` fails nothing more is formatted; the program says so at
// its end.
class Printer final : public TimelineVisitor {
 public:
  Printer(const CallFormat& format, std::ostream& out) : format_(format), out_(out) {
    out_ << format_.header;
  }

  void OnRecordingBegin(const Recording& recording) override { recording_ = recording; }
  void OnCall(const Call& call, const Step* step) override {
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

 private:
  const CallFormat& format_;
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
  Printer printer(*format, streams.out);
  TimelineBuilder builder({&printer}, filter ? &*filter : nullptr);
  const FilesRead read = ReadFiles("cat", files_, builder, streams);
  if (filter && printer.matching() == 0 && read.captures > 0) {
    streams.out.flush();
    streams.notes << "dstap cat: --filter: none of " << printer.calls() << " calls matches\n";
  }
  return read.status;
}

}  // namespace dstap::analyzer
