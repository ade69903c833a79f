// Ways to print whether captures keep a contract.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/contracts/contract_check.h"
#include "analyzer/render/renderer.h"

namespace dstap::analyzer {

struct CheckRendererEntry {
  std::string_view name;  // As `--format` takes it.
  std::string (*render)(const ContractChecked& checked, const RenderOptions& options);
};

Document DocumentOf(const ContractChecked& checked);

std::span<const CheckRendererEntry> AllCheckRenderers();

}  // namespace dstap::analyzer
