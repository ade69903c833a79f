// dstap contract
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class ContractCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  std::string library_;
  std::string output_ = "-";
};

}  // namespace dstap::analyzer
