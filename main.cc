// The program: a list of subcommands, nothing else.
#include "analyzer/commands/commands.h"
#include "proto/base/command.h"
#include "proxy/commands/commands.h"

int main(int argc, char** argv) {
  dstap::Program program(
      "Records Roblox DataStore calls and rebuilds what happened: requests per step, retries, "
      "throttling.");
  program.Add<dstap::proxy::RecordCommand>();
  program.Add<dstap::proxy::LabCommand>();
  program.Add<dstap::analyzer::ReportCommand>();
  program.Add<dstap::analyzer::DiffCommand>();
  program.Add<dstap::analyzer::AuditCommand>();
  program.Add<dstap::analyzer::CheckCommand>();
  program.Add<dstap::analyzer::ContractCommand>();
  program.Add<dstap::analyzer::CatCommand>();
  program.Add<dstap::analyzer::InfoCommand>();
  program.Add<dstap::analyzer::VerifyCommand>();
  program.Add<dstap::analyzer::RecoverCommand>();
  program.Add<dstap::analyzer::PackCommand>();
  program.Add<dstap::analyzer::TrimCommand>();
  program.Add<dstap::analyzer::MergeCommand>();
  return program.Run(argc, argv);
}
