#include "analyzer/commands/report_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <optional>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_files.h"
#include "analyzer/render/renderer.h"
#include "analyzer/views/report.h"

namespace dstap::analyzer {
namespace {

template <typename Entries>
std::vector<std::string> NamesOf(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

}  // namespace

CLI::App* ReportCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "What each step sends and how long it takes, throttling, and what was not seen");
  command->add_option("FILE", files_, "Captures; \"-\" is standard input")->required();
  command->add_option("--section", sections_, "Print only this one; may be given again")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(NamesOf(AllSections())));
  command->add_option("--format", format_, "How to print it")
      ->check(CLI::IsMember(NamesOf(AllRenderers())))
      ->capture_default_str();
  command->add_option("-o,--output", output_, "Where to print it; \"-\" is standard output")
      ->capture_default_str();
  filter_.Declare(*command);
  command->footer(
      "A file that cannot be read does not keep the others from being reported; it is named, and\n"
      "the exit status is 3, as it is for a damaged one. An unfinished capture is fine.\n\n" +
      FilterOption::Help());
  return command;
}

Result<ExitStatus> ReportCommand::Run(Streams streams) {
  const bool to_stdout = output_ == "-";
  for (const std::string& file : files_) {
    if (!to_stdout && IsSameFile(file, output_)) {
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: is one of the captures; name another output", output_));
    }
  }
  DSTAP_TRY_ASSIGN(const std::optional<filter::Filter> filter, filter_.Parse());
  ReportViews views(filter ? filter->text() : "");
  TimelineBuilder builder(views.visitors(), filter ? &*filter : nullptr);
  const FilesRead read = ReadFiles("report", files_, builder, streams);
  if (read.captures == 0) return read.status;

  const auto renderer = std::ranges::find(AllRenderers(), format_, &RendererEntry::name);
  const std::string text = renderer->render(
      views.Take(), {.sections = sections_, .has_colour = to_stdout && WantsColour(streams.out)});
  if (to_stdout) {
    streams.out << text;
  } else {
    DSTAP_TRY(WriteWhole(output_, text));
  }
  return read.status;
}

}  // namespace dstap::analyzer
