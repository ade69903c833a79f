// A simulator with one server (source 1, "server"), behind a fault plan, and its client.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "proxy/backend/faults/fault_backend.h"
#include "proxy/backend/faults/fault_parser.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {

inline proxy::FaultRule RuleOf(std::string_view text) {
  auto rule = proxy::ParseFaultRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status().message();
  return rule.ok() ? *std::move(rule) : proxy::FaultRule();
}

inline proxy::FaultPlan PlanOf(std::initializer_list<std::string_view> rules) {
  proxy::FaultPlan plan;
  for (const std::string_view rule : rules) plan.push_back(RuleOf(rule));
  EXPECT_TRUE(proxy::CheckTogether(plan).ok()) << proxy::CheckTogether(plan).message();
  return plan;
}

class FaultyGame {
 public:
  explicit FaultyGame(std::initializer_list<std::string_view> rules, uint64_t seed = 1,
                      Rules changes = {}, std::string_view profile = "2026")
      : backend_(Simulator(seed, changes, profile), PlanOf(rules), seed), client_(backend_) {
    AddServer(1, "server");
  }

  void AddServer(SourceId source, std::string_view name) {
    backend_.NameSource(source, name);
    backend_.AddSource(source, client_.now(), 0);
  }

  proxy::FaultBackend& backend() { return backend_; }
  Client& client() { return client_; }
  // Submits, runs until nothing is left to do, and gives what became of it.
  Seen Do(proxy::Request request, Transform transform = nullptr) {
    const CallId call = client_.Submit(std::move(request), std::move(transform));
    client_.Run();
    return client_.seen(call);
  }
  void Wait(Time delay) { client_.Run(client_.now() + delay); }
  // What another server would read now.
  std::string Stored(const std::string& key) {
    const auto latest = simulator_->store().Latest(proxy::PlaceOf(TestStore(), key));
    return proxy::HasValue(latest) ? latest->value : "nil";
  }

 private:
  std::unique_ptr<proxy::Backend> Simulator(uint64_t seed, const Rules& changes,
                                            std::string_view profile) {
    auto rules = proxy::FindRuleProfile(profile);
    EXPECT_TRUE(rules.ok());
    for (const auto& [name, value] : ExactLatency(changes)) {
      EXPECT_TRUE(proxy::SetRule(*rules, name, value).ok()) << name;
    }
    auto simulator = std::make_unique<proxy::Simulator>(proxy::SimulatorOptions{*rules, seed, 0});
    simulator_ = simulator.get();
    return simulator;
  }

  proxy::Simulator* simulator_ = nullptr;
  proxy::FaultBackend backend_;
  Client client_;
};

}  // namespace dstap::test
