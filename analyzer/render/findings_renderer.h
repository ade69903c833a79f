// Ways to print findings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/findings/rule.h"
#include "analyzer/render/renderer.h"

namespace dstap::analyzer {

// What an audit came to.
struct AuditResult {
  std::vector<const RuleEntry*> rules;  // That looked, in the order of the catalogue.
  std::vector<Finding> findings;        // Accepted ones included.
  uint64_t files = 0;
  uint64_t calls = 0;
  bool is_whole = true;  // Every file could be read, and is not damaged.

  // Findings of this severity that nobody accepts.
  uint64_t Count(Severity severity) const;
};

struct FindingsRendererEntry {
  std::string_view name;  // As `--format` takes it.
  std::string (*render)(const AuditResult& result, const RenderOptions& options);
};

// What text and Markdown have in common.
Document DocumentOf(const AuditResult& result);

// docs/findings.md describes it.
std::string RenderFindingsJson(const AuditResult& result);

// SARIF 2.1.0.
std::string RenderSarif(const AuditResult& result);

std::span<const FindingsRendererEntry> AllFindingsRenderers();

// The catalogue, one line a rule.
std::string CatalogueText();

}  // namespace dstap::analyzer
