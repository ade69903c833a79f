// The flag --filter of commands that read calls.
#pragma once

#include <optional>
#include <string>

#include "proto/filter/filter.h"

namespace CLI {
class App;
}

namespace dstap::analyzer {

class FilterOption {
 public:
  void Declare(CLI::App& command);

  // Nothing when it was not given. Errors: kUsage, "--filter: column 12: ...".
  Result<std::optional<filter::Filter>> Parse() const;

  // For a command's footer: what can be asked for.
  static std::string Help();

 private:
  std::optional<std::string> text_;
};

}  // namespace dstap::analyzer
