// Occurrences become findings.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/findings/rule.h"

namespace dstap::analyzer {

// Limits: kFindingsMax findings of a rule; what comes after them is one more, of no place.
class FindingCollector {
 public:
  static constexpr size_t kFindingsMax = 1000;

  void BeginRecording(const Recording& recording);
  // `family` is null for an occurrence of none; `order` is the rule's place in the catalogue.
  void Add(const RuleEntry& rule, size_t order, Occurrence occurrence, const Family* family);
  // The worst first; of equal ones in the order of rule, file, recording, source, step and family.
  std::vector<Finding> Take();

 private:
  // Rule, recording, source, step, store, keys.
  using Group = std::tuple<size_t, size_t, uint32_t, std::string, std::string, std::string>;
  struct Collected {
    Finding finding;
    double weight = 0;
  };

  std::map<Group, Collected> groups_;
  std::map<size_t, size_t> groups_of_rule_;
  size_t recordings_ = 0;
  std::string file_;
  uint32_t recording_ = 0;
};

}  // namespace dstap::analyzer
