// `dstap record`: runs a command against a recording proxy.
#pragma once

#include <string>

#include "proto/base/command.h"
#include "proxy/server/recording.h"

namespace dstap::proxy {

class RecordCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  // The command's status if it is not 0, else 4 if records were lost, else 0.
  Result<ExitStatus> Run(Streams streams) override;

 private:
  // --rotate and --keep.
  Status ReadLimits();

  RecordingOptions options_;
  bool wall_ = false;
  bool force_ = false;
  bool append_ = false;
  std::string rotate_;
  std::string keep_;
};

}  // namespace dstap::proxy
