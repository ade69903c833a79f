#include "proxy/commands/lab_command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <climits>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <thread>

#include "proto/base/escape.h"
#include "proxy/commands/recording_flags.h"
#include "proxy/server/child_process.h"

namespace dstap::proxy {
namespace fs = std::filesystem;
namespace {

// The Node package: beside the program in a build folder, under share/ once installed.
Result<std::string> FindLab() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate : {self / "lab", self / ".." / "share" / "dstap" / "lab"}) {
    if (!fs::exists(candidate / "main.mjs", error)) continue;
    if (!fs::exists(candidate / "node_modules", error)) {
      return Status(ErrorCode::kNotFound,
                    fmt::format("the lab's Node packages are missing; run \"npm ci\" in {}",
                                fs::canonical(candidate, error).string()));
    }
    return fs::canonical(candidate, error).string();
  }
  return Status(ErrorCode::kNotFound,
                "the lab's files (main.mjs) are neither beside the program nor in "
                "../share/dstap/lab; build or install dstap with them");
}

// "name@0.3.0", "mine=../mine/src": a file name of it.
std::string CaptureName(const std::string& library) {
  std::string name = library.substr(0, library.find('='));
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       c == '.' || c == '@';
    if (!plain) c = '_';
  }
  return name;
}

// Node's status 1: a step failed, or the run was broken off, and Node has said which.
std::string HowItEnded(const RecordingResult& result) {
  if (result.command_status == 0) return "";
  if (result.interrupted) return "; interrupted before its end";
  if (result.command_status > 128) {
    return fmt::format("; node was ended by signal {}", result.command_status - 128);
  }
  return result.command_status == static_cast<int>(ExitStatus::kCheckFailed)
             ? "; something failed, see above"
             : "; it did not run to its end";
}

Status NoNode() {
  return {ErrorCode::kNotFound,
          "node is not installed; the lab needs Node 18 or newer (Debian: apt-get install nodejs)"};
}

// The fault plan beside a scenario: same folder, same name. Nothing when there is none.
std::optional<std::string> PlanBeside(const std::string& scenario, const std::string& lab_folder) {
  fs::path plan = scenario;
  if (plan.extension() == ".luau") {
    plan.replace_extension(".toml");
  } else {
    if (plan.has_parent_path()) return std::nullopt;  // No scenario's name.
    plan = fs::path(lab_folder) / "scenarios" / (scenario + ".toml");
  }
  std::error_code error;
  if (!fs::exists(plan, error)) return std::nullopt;
  return plan.string();
}

}  // namespace

CLI::App* LabCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "lab", "Run the real source of DataStore libraries and record what they send");
  CLI::Option* library =
      command
          ->add_option("--library", libraries_, "A library, by name, version or folder; repeat it")
          ->type_name("NAME[@VERSION][=PATH]")
          ->allow_extra_args(false);
  command->add_option("--scenario", scenarios_, "What to do with it; repeat it")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--samples", samples_, "How often to do each step")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--players", players_, "Players on each server")
      ->check(CLI::Range(0, 700))
      ->capture_default_str();
  command->add_option("--time-limit", time_limit_s_, "Seconds of real time for one library")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  command->add_option("--jobs", jobs_, "Libraries that run at a time; 0: one a processor")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("-o,--output", folder_, "Folder for one capture a library, replaced if there")
      ->capture_default_str()
      ->type_name("DIR");
  command->add_flag("--list", list_, "Print the libraries and scenarios there are, and run none")
      ->excludes(library);
  AddRecordingFlags(*command, base_);
  return command;
}

Result<ExitStatus> LabCommand::Run(Streams streams) {
  if (list_) {
    DSTAP_TRY_ASSIGN(const std::string lab_folder, FindLab());
    return List(lab_folder, streams);
  }
  if (libraries_.empty()) {
    return Status(ErrorCode::kUsage,
                  "--library is required; --list shows what there is; see \"dstap lab --help\"");
  }
  for (const auto* words : {&libraries_, &scenarios_}) {
    if (std::ranges::find(*words, "") == words->end()) continue;
    return Status(ErrorCode::kUsage,
                  "a library or scenario without a name; --list shows what there is");
  }
  if (scenarios_.empty()) scenarios_ = {"load-save-release"};
  std::set<std::string> names;
  for (const std::string& library : libraries_) {
    if (!names.insert(CaptureName(library)).second) {
      return Status(ErrorCode::kUsage,
                    fmt::format("--library {}: another one has the same name, and each writes "
                                "{}.dstap",
                                library, CaptureName(library)));
    }
  }
  DSTAP_TRY_ASSIGN(const std::string lab_folder, FindLab());
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_, error)) {
    return Status(ErrorCode::kWrite,
                  fmt::format("{}: cannot be made a folder: {}", folder_,
                              error ? error.message() : "something else is there"));
  }

  // Each library has a proxy, a clock and a process of its own, so they can run at the same time.
  // What is said of them stands in their order all the same.
  std::vector<LibraryRun> runs(libraries_.size());
  std::mutex mutex;
  size_t started = 0;
  size_t told = 0;
  bool stop = false;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (!stop && started < runs.size()) {
      const size_t index = started++;
      lock.unlock();
      LibraryRun run;
      try {
        run = RunLibrary(libraries_[index], lab_folder);
      } catch (const std::exception& e) {  // Of a library's; nobody above this thread would.
        run.status = Status(ErrorCode::kRun, e.what());
      }
      lock.lock();
      stop = stop || run.interrupted || !run.status.ok();
      runs[index] = std::move(run);
      runs[index].done = true;
      for (; told < runs.size() && runs[told].done; ++told) streams.notes << runs[told].notes;
      streams.notes.flush();
    }
  };
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const size_t jobs = std::min(jobs_ > 0 ? static_cast<size_t>(jobs_) : processors, runs.size());
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < jobs; ++i) others.emplace_back(work);
    work();
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].done) continue;
    streams.notes << fmt::format("dstap lab: {}: was not begun\n", EscapeLine(libraries_[i]));
  }
  ExitStatus worst = ExitStatus::kFine;
  for (const LibraryRun& run : runs) {
    if (!run.status.ok()) return run.status;
    worst = std::max(worst, *run.status);
  }
  return worst;
}

Result<ExitStatus> LabCommand::List(const std::string& lab_folder, Streams streams) {
  streams.out.flush();
  const auto ended = RunToItsEnd({"node", lab_folder + "/main.mjs", "--list"});
  if (!ended.ok()) return ended.status().code() == ErrorCode::kNotFound ? NoNode() : ended.status();
  return *ended == 0 ? ExitStatus::kFine : ExitStatus::kCheckFailed;
}

LabCommand::LibraryRun LabCommand::RunLibrary(const std::string& library,
                                              const std::string& lab_folder) const {
  RecordingOptions options = base_;
  options.output.path = (fs::path(folder_) / (CaptureName(library) + ".dstap")).string();
  options.output.if_exists = FileSink::IfExists::kReplace;
  options.output.replace_at_end = true;
  options.title = "lab";
  options.inherits_files = false;  // Other libraries' sockets are open too.
  options.command = {
      "node",      lab_folder + "/main.mjs", "--library",    library,
      "--samples", std::to_string(samples_), "--seed",       std::to_string(options.seed),
      "--players", std::to_string(players_), "--time-limit", std::to_string(time_limit_s_)};
  // The lab's own services have fixed times as well.
  if (options.latency != RecordingOptions().latency) {
    options.command.insert(options.command.end(), {"--latency", options.latency});
  }
  // Of a path only the name: nothing of the machine belongs into a capture.
  options.header_options = {{"library", library.substr(0, library.find('='))},
                            {"samples", std::to_string(samples_)},
                            {"players", std::to_string(players_)}};
  for (const std::string& scenario : scenarios_) {
    options.command.insert(options.command.end(), {"--scenario", scenario});
    options.header_options.emplace_back("scenario", fs::path(scenario).filename().string());
    if (auto plan = PlanBeside(scenario, lab_folder)) {
      options.fault_plans.push_back(*std::move(plan));
    }
  }
  auto recorded = RunRecording(options);
  if (!recorded.ok()) {
    if (recorded.status().code() == ErrorCode::kNotFound &&
        recorded.status().message().starts_with("node:")) {
      return {.status = NoNode()};
    }
    return {.status = recorded.status()};
  }
  const RecordingResult& result = *recorded;
  LibraryRun run{.interrupted = result.interrupted};
  if (result.discarded && result.command_status == static_cast<int>(ExitStatus::kUsage)) {
    run.status = ExitStatus::kUsage;  // Node said what was wrong.
    return run;
  }
  if (result.discarded) {
    run.notes = fmt::format("dstap lab: {}: no call was made{}; {} stays as it was\n",
                            EscapeLine(library), HowItEnded(result), options.output.path);
  } else {
    run.notes = fmt::format("dstap lab: {}: {} call{} in {}{}\n", EscapeLine(library), result.calls,
                            result.calls == 1 ? "" : "s", options.output.path, HowItEnded(result));
  }
  for (const std::string& line : result.faults_unused) {
    run.notes += fmt::format("dstap lab: {}: {}\n", EscapeLine(library), EscapeLine(line));
  }
  if (!result.first_refusal.empty()) {
    run.notes += fmt::format("dstap lab: {}: the proxy refused the lab: {}\n", library,
                             result.first_refusal);
  }
  if (!result.file_error.ok()) {
    run.notes += fmt::format("dstap lab: {}; {} records of calls and {} others are lost\n",
                             result.file_error.message(), result.calls_lost, result.rows_lost);
  }
  if (result.interrupted) {
    run.status = static_cast<ExitStatus>(result.command_status);
  } else if (result.command_status != 0) {
    run.status = ExitStatus::kCheckFailed;
  } else if (!result.file_error.ok()) {
    run.status = ExitStatus::kNoOutput;
  }
  return run;
}

}  // namespace dstap::proxy
