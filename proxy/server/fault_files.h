// The fault plan of a recording, from the command line and from files.
#pragma once

#include <string>
#include <vector>

#include "proxy/backend/faults/fault_rule.h"

namespace dstap::proxy {

// Rules as --fault takes them, then those of the files, in order. No rules: an empty plan.
//
// Errors: kUsage for a rule that makes no sense, with its text or its file and line; kNotFound and
//         kRead for a file.
Result<FaultPlan> ReadFaults(const std::vector<std::string>& rules,
                             const std::vector<std::string>& files);

}  // namespace dstap::proxy
