// dstap trim
#pragma once

#include <string>

#include "analyzer/commands/filter_option.h"
#include "proto/base/command.h"

namespace dstap::analyzer {

class TrimCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::string file_;
  std::string output_;
  bool force_ = false;
  std::string from_;
  std::string to_;
  std::string step_;
  FilterOption filter_;
  CLI::App* command_ = nullptr;
};

}  // namespace dstap::analyzer
