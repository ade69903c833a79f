// dstap cat
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"

namespace dstap::analyzer {

class CatCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  std::string format_ = "text";
};

}  // namespace dstap::analyzer
