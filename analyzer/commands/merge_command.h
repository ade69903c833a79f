// dstap merge
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class MergeCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  std::string output_;
  bool force_ = false;
};

}  // namespace dstap::analyzer
