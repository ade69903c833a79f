// Which step a call belongs to, while it is being made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/backend/backend.h"

namespace dstap::proxy {

// The same answer as the analyzer gives from the capture: of the steps that the call's source has
// open and that are about it, the most particular one (a key before a store before everything), and
// of several such the one that began last.
//
// Threads: not thread-safe.
// Limits:  holds open steps only.
class OpenSteps {
 public:
  void Begin(const v1::StepBegin& step);
  void End(uint64_t id);

  // The step's name; empty when the call belongs to none. Valid until the next change.
  std::string_view NameFor(const Request& request) const;

 private:
  struct OpenStep {
    uint64_t id = 0;
    std::string name;
    std::vector<v1::StoreKey> about;
  };

  std::map<SourceId, std::vector<OpenStep>> by_source_;  // In the order of their beginnings.
  std::map<uint64_t, SourceId> sources_;                 // By the step's id.
};

}  // namespace dstap::proxy
