#include "proxy/server/fault_files.h"

#include <iterator>
#include <utility>

#include "proto/base/file_source.h"
#include "proxy/backend/faults/fault_parser.h"

namespace dstap::proxy {
Result<FaultPlan> ReadFaults(const std::vector<std::string>& rules,
                             const std::vector<std::string>& files) {
  FaultPlan plan;
  for (const std::string& text : rules) {
    DSTAP_TRY_ASSIGN(FaultRule rule, ParseFaultRule(text));
    plan.push_back(std::move(rule));
  }
  for (const std::string& path : files) {
    DSTAP_TRY_ASSIGN(const std::string text, ReadSmallFile(path, kFaultPlanBytesMax));
    DSTAP_TRY_ASSIGN(FaultPlan more, ParseFaultPlan(text, path));
    plan.insert(plan.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
  }
  DSTAP_TRY(CheckTogether(plan));
  return plan;
}

}  // namespace dstap::proxy
