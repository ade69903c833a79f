// dstap diff
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class DiffCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::string old_;
  std::string new_;
  std::vector<std::string> fail_on_;
  std::string format_ = "text";
  std::string output_ = "-";
};

}  // namespace dstap::analyzer
