// `dstap recover`: what is good of a damaged or unfinished capture, as a closed one.
#pragma once

#include <string>

#include "proto/base/command.h"

namespace dstap::analyzer {

class RecoverCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::string input_;
  std::string output_;
  bool force_ = false;
};

}  // namespace dstap::analyzer
