#include "proxy/commands/recording_flags.h"

namespace dstap::proxy {

void AddRecordingFlags(CLI::App& app, RecordingOptions& options) {
  app.add_option("--seed", options.seed, "Seed of all that is random: same seed, same capture")
      ->capture_default_str();
  app.add_option("--rules", options.rules, "Dated rules of the service: 2020, 2023 or 2026")
      ->capture_default_str();
  app.add_option("--rule", options.rule_changes,
                 "Change one rule, as NAME=VALUE; docs/simulator.md lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--values", options.values, "Record the values themselves, not only size and hash");
}

}  // namespace dstap::proxy
