// dstap report
#pragma once

#include <string>
#include <vector>

#include "analyzer/commands/filter_option.h"
#include "proto/base/command.h"

namespace dstap::analyzer {

class ReportCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  std::vector<std::string> sections_;
  FilterOption filter_;
  std::string format_ = "text";
  std::string output_ = "-";
};

}  // namespace dstap::analyzer
