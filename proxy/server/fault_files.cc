#include "proxy/server/fault_files.h"

#include <array>
#include <iterator>
#include <utility>

#include "proto/base/file_source.h"
#include "proxy/backend/faults/fault_parser.h"

namespace dstap::proxy {
namespace {

// At most one byte more than a plan may have, which is enough to refuse it.
Result<std::string> ReadPlan(const std::string& path) {
  DSTAP_TRY_ASSIGN(const auto file, FileSource::Open(path));
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= kFaultPlanBytesMax) {
    DSTAP_TRY_ASSIGN(const size_t n, file->Read(buffer));
    if (n == 0) break;
    text.append(buffer.data(), n);
  }
  return text;
}

}  // namespace

Result<FaultPlan> ReadFaults(const std::vector<std::string>& rules,
                             const std::vector<std::string>& files) {
  FaultPlan plan;
  for (const std::string& text : rules) {
    DSTAP_TRY_ASSIGN(FaultRule rule, ParseFaultRule(text));
    plan.push_back(std::move(rule));
  }
  for (const std::string& path : files) {
    DSTAP_TRY_ASSIGN(const std::string text, ReadPlan(path));
    DSTAP_TRY_ASSIGN(FaultPlan more, ParseFaultPlan(text, path));
    plan.insert(plan.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  DSTAP_TRY(CheckTogether(plan));
  return plan;
}

}  // namespace dstap::proxy
