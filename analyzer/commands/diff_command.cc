#include "analyzer/commands/diff_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_files.h"
#include "analyzer/diff/conditions.h"
#include "analyzer/diff/diff.h"
#include "analyzer/render/diff_renderer.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;

template <typename Entries>
std::vector<std::string> NamesOf(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

// A capture, or the captures of a folder by name.
Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (auto at = fs::directory_iterator(path, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().extension() == ".dstap") files.push_back(at->path().string());
  }
  if (error) {
    return Status(ErrorCode::kRead, fmt::format("{}: cannot be read: {}", path, error.message()));
  }
  if (files.empty()) {
    return Status(ErrorCode::kNotFound,
                  fmt::format("{}: has no file that ends with .dstap; name a capture", path));
  }
  std::ranges::sort(files);
  return files;
}

struct Side {
  Report report;
  FilesRead read;
};

Side Read(const std::vector<std::string>& files, Streams streams) {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  const FilesRead read = ReadFiles("diff", files, builder, streams);
  return {views.Take(), read};
}

bool IsAsked(const std::vector<std::string>& names, size_t kind) {
  return std::ranges::find(names, kDiffKinds[kind].name) != names.end();
}

std::string Meanings() {
  std::string text;
  for (const DiffKindInfo& kind : kDiffKinds) {
    text += fmt::format("  {:<10}{}\n", kind.name, kind.meaning);
  }
  return text;
}

}  // namespace

CLI::App* DiffCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "diff", "What changed between two captures: requests, steps, values seen, retries, sizes");
  command->add_option("OLD", old_, "A capture, or a folder of captures; \"-\" is standard input")
      ->required();
  command->add_option("NEW", new_, "The same of what it is compared with")->required();
  command->add_option("--fail-on", fail_on_, "Exit with 1 when these differ; separate with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(NamesOf(kDiffKinds)));
  command->add_option("--format", format_, "How to print it")
      ->check(CLI::IsMember(NamesOf(AllDiffRenderers())))
      ->capture_default_str();
  command->add_option("-o,--output", output_, "Where to print it; \"-\" is standard output")
      ->capture_default_str();
  command->footer("What --fail-on takes:\n" + Meanings() +
                  "With any of them the exit status is also 1 when no step could be compared, or "
                  "when a side\nis not whole. It is 3 when a file cannot be read or is damaged, "
                  "and 0 otherwise.");
  return command;
}

Result<ExitStatus> DiffCommand::Run(Streams streams) {
  if (old_ == "-" && new_ == "-") {
    return Status(ErrorCode::kUsage, "only one of the two can be standard input");
  }
  DSTAP_TRY_ASSIGN(const std::vector<std::string> old_files, FilesOf(old_));
  DSTAP_TRY_ASSIGN(const std::vector<std::string> new_files, FilesOf(new_));
  const bool to_stdout = output_ == "-";
  for (const auto* files : {&old_files, &new_files}) {
    for (const std::string& file : *files) {
      if (to_stdout || !IsSameFile(file, output_)) continue;
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: is one of the captures; name another output", output_));
    }
  }
  const Side before = Read(old_files, streams);
  const Side after = Read(new_files, streams);
  const ExitStatus read = std::max(before.read.status, after.read.status);
  if (before.read.captures == 0 || after.read.captures == 0) return read;

  const Diff diff = DiffOf(before.report, after.report);
  const auto renderer = std::ranges::find(AllDiffRenderers(), format_, &DiffRendererEntry::name);
  const std::string text =
      renderer->render(diff, {.has_colour = to_stdout && WantsColour(streams.out)});
  if (to_stdout) {
    streams.out << text;
  } else {
    DSTAP_TRY(WriteWhole(output_, text));
  }
  if (read != ExitStatus::kFine || fail_on_.empty()) return read;
  // A check that was not made is not passed.
  if (diff.steps_compared() == 0) return ExitStatus::kCheckFailed;
  bool is_whole = true;
  for (const auto& [side, name] : {std::pair(&before, &old_), std::pair(&after, &new_)}) {
    const std::string missing = MissingOf(side->report.overview);
    if (missing.empty()) continue;
    is_whole = false;
    streams.notes << fmt::format(
        "dstap diff: {}: is not whole ({}), so --fail-on fails; record it again\n", Escape(*name),
        missing);
  }
  if (!is_whole) return ExitStatus::kCheckFailed;
  for (size_t kind = 0; kind < kDiffKinds.size(); ++kind) {
    if (IsAsked(fail_on_, kind) && diff.Count(static_cast<DiffKind>(kind)) > 0) {
      return ExitStatus::kCheckFailed;
    }
  }
  return ExitStatus::kFine;
}

}  // namespace dstap::analyzer
