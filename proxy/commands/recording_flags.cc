#include "proxy/commands/recording_flags.h"

#include <charconv>
#include <string>
#include <system_error>

namespace dstap::proxy {
namespace {

// Strict, where the option's own conversion takes signs and cuts off what is too large.
std::string IsSeed(const std::string& text) {
  uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc() && at == end) return {};
  return text + " is not a number from 0 to 18446744073709551615";
}

}  // namespace

void AddRecordingFlags(CLI::App& app, RecordingOptions& options) {
  app.add_option("--seed", options.seed, "Seed of all that is random: same seed, same capture")
      ->check(IsSeed, "")
      ->capture_default_str();
  app.add_option("--rules", options.rules, "Dated rules of the service: 2020, 2023 or 2026")
      ->capture_default_str();
  app.add_option("--latency", options.latency,
                 "How long the service takes: default or reference (fixed times)")
      ->capture_default_str();
  app.add_option("--rule", options.rule_changes,
                 "Change one rule, as NAME=VALUE; docs/simulator.md lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--fault", options.faults,
                 "Make calls go wrong, as \"error=InternalServerError key=Player_* count=2\"; "
                 "docs/faults.md has the words")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--fault-plan", options.fault_plans, "A file of such rules")
      ->type_name("FILE.toml")
      ->allow_extra_args(false);
  app.add_flag("--values", options.values, "Record the values themselves, not only size and hash");
}

}  // namespace dstap::proxy
