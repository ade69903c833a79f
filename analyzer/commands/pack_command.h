// dstap pack
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"
#include "proto/capture/pack.h"

namespace dstap::analyzer {

class PackCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  Status PackOne(const std::string& file, Streams streams) const;

  std::vector<std::string> files_;
  std::string output_;
  bool force_ = false;
  capture::PackOptions options_;
};

}  // namespace dstap::analyzer
