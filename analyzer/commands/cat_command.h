// dstap cat
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/commands/filter_option.h"
#include "proto/base/command.h"

namespace dstap::analyzer {

class CatCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  std::vector<std::string> files_;
  std::vector<uint64_t> calls_;
  FilterOption filter_;
  std::string format_ = "text";
};

}  // namespace dstap::analyzer
