// Pairs of captures whose comparisons the golden tests hold.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/views/report.h"

namespace dstap::test {

struct DiffCase {
  std::string_view name;
  analyzer::Report (*before)();
  analyzer::Report (*after)();
};

std::span<const DiffCase> AllDiffCases();

}  // namespace dstap::test
