#include "analyzer/render/findings_renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/findings/catalogue.h"
#include "analyzer/findings/words.h"
#include "analyzer/render/cells.h"
#include "analyzer/render/format.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

std::string Text(const AuditResult& result, const RenderOptions& options) {
  return TextOf(DocumentOf(result), options);
}

std::string Markdown(const AuditResult& result, const RenderOptions& /*options*/) {
  return MarkdownOf(DocumentOf(result));
}

std::string Json(const AuditResult& result, const RenderOptions& /*options*/) {
  return RenderFindingsJson(result);
}

std::string Sarif(const AuditResult& result, const RenderOptions& /*options*/) {
  return RenderSarif(result);
}

// "hop.dstap, recording 2: S1, step load, D/u#"; the file only where there are several.
std::string WhereOf(const Finding& finding, bool names_file) {
  std::vector<std::string> parts;
  if (finding.source != 0) {
    parts.push_back(finding.source_name.empty() ? fmt::format("source {}", finding.source)
                                                : Escape(finding.source_name));
  }
  if (!finding.step.empty()) parts.push_back("step " + Escape(finding.step));
  if (!finding.store.empty()) {
    parts.push_back(Escape(finding.store) +
                    (finding.keys.empty() ? "" : "/" + Escape(finding.keys)));
  }
  std::string where = fmt::format("{}", fmt::join(parts, ", "));
  if (where.empty()) where = "everywhere";
  if (!names_file) return where;
  return fmt::format("{}{}: {}", Escape(finding.file),
                     finding.recording > 1 ? fmt::format(", recording {}", finding.recording) : "",
                     where);
}

// "observed; 3 times, first at 0.5 s, this is the worst; calls 3, 7, 9 of 12".
std::string BasisOf(const Finding& finding) {
  std::string text(NameOf(finding.confidence));
  text += finding.occurrences == 1 ? fmt::format("; at {}", Seconds(finding.first))
                                   : fmt::format("; {} times, first at {}, this is the worst",
                                                 finding.occurrences, Seconds(finding.first));
  const Evidence& evidence = finding.evidence;
  if (evidence.count == 0) return text;
  text += fmt::format("; {} {}", evidence.count == 1 ? "call" : "calls",
                      fmt::join(evidence.calls(), ", "));
  if (evidence.count > evidence.calls().size()) text += fmt::format(" of {}", evidence.count);
  return text;
}

bool NamesFiles(const AuditResult& result) {
  return result.files > 1 || std::ranges::any_of(result.findings, [](const Finding& finding) {
           return finding.recording > 1;
         });
}

DocumentSection SectionOf(const std::vector<const Finding*>& findings, bool names_file) {
  const RuleEntry& rule = *findings.front()->rule;
  Table table{.columns = {Words("where"), Words("what was seen")}};
  for (const Finding* finding : findings) {
    table.rows.push_back(
        {WhereOf(*finding, names_file), Escape(finding->text) + "\n" + BasisOf(*finding)});
  }
  return {
      .title = fmt::format("{}: {} ({})", NameOf(findings.front()->severity), rule.title, rule.id),
      .blocks = {std::move(table), fmt::format("Fix: {}", rule.fix)}};
}

DocumentSection Accepted(const std::vector<const Finding*>& findings, bool names_file) {
  Table table{.columns = {{.title = "rule"}, Words("where"), Words("accepted because")}};
  for (const Finding* finding : findings) {
    table.rows.push_back({std::string(finding->rule->id), WhereOf(*finding, names_file),
                          Escape(*finding->accepted)});
  }
  return {.title = "Accepted", .blocks = {std::move(table)}};
}

}  // namespace

uint64_t AuditResult::Count(Severity severity) const {
  return static_cast<uint64_t>(std::ranges::count_if(findings, [severity](const Finding& finding) {
    return !finding.accepted && finding.severity == severity;
  }));
}

Document DocumentOf(const AuditResult& result) {
  const bool names_file = NamesFiles(result);
  Document document;
  document.title = fmt::format(
      "dstap audit: {}, {}, {}; {}, {}, {}", Count(result.Count(Severity::kError), "error"),
      Count(result.Count(Severity::kWarning), "warning"),
      Count(result.Count(Severity::kNote), "note"), Count(result.files, "capture"),
      Count(result.calls, "call"), Count(result.rules.size(), "rule"));
  if (!result.is_whole) {
    document.remarks.push_back("Not all that was named could be read: something may be missing.");
  }
  std::vector<const Finding*> section;
  std::vector<const Finding*> accepted;
  const auto end_section = [&] {
    if (!section.empty()) document.sections.push_back(SectionOf(section, names_file));
    section.clear();
  };
  for (const Finding& finding : result.findings) {
    if (finding.accepted) {
      accepted.push_back(&finding);
      continue;
    }
    const bool is_same = !section.empty() && section.front()->rule == finding.rule &&
                         section.front()->severity == finding.severity;
    if (!is_same) end_section();
    section.push_back(&finding);
  }
  end_section();
  if (!accepted.empty()) document.sections.push_back(Accepted(accepted, names_file));
  return document;
}

std::span<const FindingsRendererEntry> AllFindingsRenderers() {
  static constexpr std::array kRenderers = {
      FindingsRendererEntry{"text", &Text},
      FindingsRendererEntry{"markdown", &Markdown},
      FindingsRendererEntry{"json", &Json},
      FindingsRendererEntry{"sarif", &Sarif},
  };
  return kRenderers;
}

std::string CatalogueText() {
  size_t widest = 0;
  for (const RuleEntry* rule : AllRules()) widest = std::max(widest, rule->id.size());
  std::string text;
  for (const RuleEntry* rule : AllRules()) {
    text +=
        fmt::format("{:<{}}  {:<7}  {}\n", rule->id, widest, NameOf(rule->severity), rule->title);
  }
  return text;
}

}  // namespace dstap::analyzer
