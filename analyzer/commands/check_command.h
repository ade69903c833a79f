// dstap check
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class CheckCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::string contract_;
  std::vector<std::string> files_;
  bool wants_all_steps_ = false;
  std::string format_ = "text";
  std::string output_ = "-";
};

}  // namespace dstap::analyzer
