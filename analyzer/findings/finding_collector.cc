#include "analyzer/findings/finding_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dstap::analyzer {
namespace {

// FNV-1a with 64 bits; a zero byte stands between parts.
class Hash {
 public:
  void Add(std::string_view part) {
    for (const char c : part) AddByte(static_cast<unsigned char>(c));
    AddByte(0);
  }
  uint64_t value() const { return value_; }

 private:
  void AddByte(uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
  uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace

std::string Finding::Fingerprint() const {
  Hash hash;
  for (const std::string_view part :
       {rule->id, std::string_view(step), std::string_view(store), std::string_view(keys)}) {
    hash.Add(part);
  }
  return fmt::format("{:016x}", hash.value());
}

void FindingCollector::BeginRecording(const Recording& recording) {
  ++recordings_;
  file_ = recording.file;
  recording_ = recording.number;
}

void FindingCollector::Add(const RuleEntry& rule, size_t order, Occurrence occurrence,
                           const Family* family) {
  Group group(order, recordings_, occurrence.source == nullptr ? 0 : occurrence.source->id,
              occurrence.step, family == nullptr ? "" : family->store,
              family == nullptr ? "" : family->keys);
  auto found = groups_.find(group);
  if (found == groups_.end()) {
    bool is_full = false;
    if (size_t& groups = groups_of_rule_[order]; groups < kFindingsMax) {
      ++groups;
    } else {
      is_full = true;
      group = Group(order, 0, 0, "", "", "");
    }
    found = groups_.try_emplace(std::move(group)).first;
    Finding& finding = found->second.finding;
    if (finding.rule == nullptr) {
      finding.rule = &rule;
      finding.severity = occurrence.severity.value_or(rule.severity);
      finding.occurrences = 0;
      finding.file = file_;
      finding.recording = recording_;
      finding.first = occurrence.time;
      if (!is_full) {
        if (occurrence.source != nullptr) {
          finding.source = occurrence.source->id;
          finding.source_name = occurrence.source->name;
        }
        finding.step = occurrence.step;
        if (family != nullptr) {
          finding.store = family->store;
          finding.keys = family->keys;
        }
      }
    }
  }
  Finding& finding = found->second.finding;
  finding.severity = std::max(finding.severity, occurrence.severity.value_or(rule.severity));
  finding.first = std::min(finding.first, occurrence.time);
  if (++finding.occurrences > 1 && occurrence.weight <= found->second.weight) return;
  found->second.weight = occurrence.weight;
  finding.confidence = occurrence.confidence;
  finding.text = std::move(occurrence.text);
  finding.evidence = std::move(occurrence.evidence);
}

std::vector<Finding> FindingCollector::Take() {
  std::vector<Finding> findings;
  findings.reserve(groups_.size());
  for (auto& [group, collected] : groups_) findings.push_back(std::move(collected.finding));
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::severity);
  groups_.clear();
  groups_of_rule_.clear();
  return findings;
}

}  // namespace dstap::analyzer
