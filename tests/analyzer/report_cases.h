// Captures whose reports the golden and schema tests hold.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/views/report.h"

namespace dstap::test {

struct ReportCase {
  std::string_view name;
  analyzer::Report (*report)();
};

std::span<const ReportCase> AllReportCases();

}  // namespace dstap::test
