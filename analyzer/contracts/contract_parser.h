// A contract from its TOML file.
#pragma once

#include <string_view>

#include "analyzer/contracts/contract.h"
#include "proto/base/status.h"

namespace dstap::analyzer {

inline constexpr size_t kContractBytesMax = size_t{1} << 20;

// `name` is the file's, for messages and for Contract::name.
// Errors: kUsage, "NAME:LINE: what is wrong, and what could stand there".
Result<Contract> ParseContract(std::string_view toml, std::string_view name);

}  // namespace dstap::analyzer
