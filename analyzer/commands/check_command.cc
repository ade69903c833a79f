#include "analyzer/commands/check_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_files.h"
#include "analyzer/contracts/contract_check.h"
#include "analyzer/contracts/contract_parser.h"
#include "analyzer/render/check_renderer.h"
#include "proto/base/escape.h"
#include "proto/base/file_source.h"

namespace dstap::analyzer {
namespace {

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const CheckRendererEntry& entry : AllCheckRenderers()) names.emplace_back(entry.name);
  return names;
}

std::string StepsNotSeen(const ContractChecked& checked) {
  std::string names;
  for (const StepCheck& step : checked.steps) {
    if (step.samples > 0) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", Escape(step.name));
  }
  return names;
}

}  // namespace

CLI::App* CheckCommand::Declare(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("check", "Whether captures keep what a library's contract promises");
  command->add_option("FILE", files_, "Captures; \"-\" is standard input")->required();
  command->add_option("--contract", contract_, "The contract, a TOML file")
      ->required()
      ->type_name("FILE.toml");
  command->add_flag("--all-steps", wants_all_steps_,
                    "Fail when a step of the contract is in no capture");
  command->add_option("--format", format_, "How to print it")
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str();
  command->add_option("-o,--output", output_, "Where to print it; \"-\" is standard output")
      ->capture_default_str();
  command->footer(
      "The exit status is 1 when a promise is broken, and when there is nothing in the captures "
      "that the\ncontract is about. `dstap contract --from CAPTURE` drafts one.");
  return command;
}

Result<ExitStatus> CheckCommand::Run(Streams streams) {
  const bool to_stdout = output_ == "-";
  for (const std::string& file : files_) {
    if (to_stdout || (!IsSameFile(file, output_) && !IsSameFile(contract_, output_))) continue;
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: is what is read; name another output", output_));
  }
  DSTAP_TRY_ASSIGN(const std::string text, ReadSmallFile(contract_, kContractBytesMax));
  DSTAP_TRY_ASSIGN(const Contract contract, ParseContract(text, contract_));
  ContractCheck check(contract);
  TimelineBuilder builder({&check}, nullptr, ContractCheck::Watches(contract));
  const FilesRead read = ReadFiles("check", files_, builder, streams);
  if (read.captures == 0) return read.status;

  const ContractChecked checked = check.Take();
  const auto renderer = std::ranges::find(AllCheckRenderers(), format_, &CheckRendererEntry::name);
  const std::string printed =
      renderer->render(checked, {.has_colour = to_stdout && WantsColour(streams.out)});
  if (to_stdout) {
    streams.out << printed;
  } else {
    DSTAP_TRY(WriteWhole(output_, printed));
  }
  if (read.status != ExitStatus::kFine) return read.status;
  // A check that was not made is not passed.
  if (checked.samples() == 0 && (checked.calls == 0 || !contract.steps.empty())) {
    streams.notes << fmt::format(
        "dstap check: {}: no step of it is in the captures, so it is not kept\n",
        Escape(contract_));
    return ExitStatus::kCheckFailed;
  }
  if (const std::string missing = StepsNotSeen(checked); wants_all_steps_ && !missing.empty()) {
    streams.notes << fmt::format("dstap check: {}: not in the captures: {}\n", Escape(contract_),
                                 missing);
    return ExitStatus::kCheckFailed;
  }
  return checked.is_broken() ? ExitStatus::kCheckFailed : ExitStatus::kFine;
}

}  // namespace dstap::analyzer
