#include "proxy/backend/backend_table.h"

#include <fmt/format.h>

#include <map>

#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {
namespace {

Result<std::unique_ptr<Backend>> MakeSimulator(const BackendOptions& options) {
  DSTAP_TRY_ASSIGN(RuleProfile rules, FindRuleProfile(options.rule_profile));
  DSTAP_TRY(SetLatency(rules, options.latency));
  std::map<std::string_view, std::string_view> given;
  for (const auto& [name, value] : options.rules) {
    const auto [first, is_new] = given.try_emplace(name, value);
    if (!is_new && first->second != value) {
      return Status(ErrorCode::kUsage,
                    fmt::format("rule {} is given twice: {} and {}", name, first->second, value));
    }
    DSTAP_TRY(SetRule(rules, name, value));
  }
  DSTAP_TRY(CheckRules(rules));
  return std::unique_ptr<Backend>(
      std::make_unique<Simulator>(SimulatorOptions{rules, options.seed, options.start_unix_ns}));
}

constexpr BackendRow kBackends[] = {
    {"simulator", "the platform's data stores by dated rules, without a network", MakeSimulator},
};

}  // namespace

std::span<const BackendRow> Backends() { return kBackends; }

Result<std::unique_ptr<Backend>> MakeBackend(std::string_view name, const BackendOptions& options) {
  std::string known;
  for (const BackendRow& row : kBackends) {
    if (row.name == name) return row.make(options);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return Status(ErrorCode::kNotFound, fmt::format("no backend \"{}\"; there are {}", name, known));
}

}  // namespace dstap::proxy
