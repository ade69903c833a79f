// Every backend, by name. To add one: a folder beside this file, a row in backend_table.cc; the
// contract test picks it up by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/base/status.h"
#include "proxy/backend/backend.h"

namespace dstap::proxy {

struct BackendOptions {
  // Of simulated backends: "2020", "2023", "2026".
  std::string rule_profile = "2026";
  // A ready set of latency rules: "default", "reference".
  std::string latency = "default";
  // Single rules on top of both, name and value, as --rule gives them.
  std::vector<std::pair<std::string, std::string>> rules{};
  uint64_t seed = 1;
  // Unix nanoseconds at time 0.
  int64_t start_unix_ns = 0;
};

struct BackendRow {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<Backend>> (*make)(const BackendOptions& options);
};

std::span<const BackendRow> Backends();

// An unknown name is an error that lists the known ones.
Result<std::unique_ptr<Backend>> MakeBackend(std::string_view name, const BackendOptions& options);

}  // namespace dstap::proxy
