// dstap audit
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/rule.h"
#include "analyzer/findings/suppressions.h"
#include "proto/base/command.h"

namespace dstap::analyzer {

class AuditCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  Result<ExitStatus> Run(Streams streams) override;

 private:
  // Those that were asked for, in the order of the catalogue.
  Result<std::vector<const RuleEntry*>> ChosenRules() const;
  Result<std::vector<Suppression>> ReadSuppressions() const;

  std::vector<std::string> files_;
  std::vector<std::string> rules_;
  std::vector<std::string> ignored_;
  std::string suppressions_;
  std::optional<std::string> fail_on_;
  std::string format_ = "text";
  std::string output_ = "-";
  bool list_ = false;
};

}  // namespace dstap::analyzer
