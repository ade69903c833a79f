// `dstap verify`: is everything in a capture as it must be, and if not, what is wrong where.
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class VerifyCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  bool list_ = false;
};

}  // namespace dstap::analyzer
