#include "tests/analyzer/findings_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/findings/audit.h"
#include "analyzer/findings/catalogue.h"
#include "analyzer/timeline/read_capture.h"
#include "tests/support/case_text.h"

namespace dstap::test {

using analyzer::Finding;

std::vector<Finding> AuditOfBytes(std::string bytes, const std::string& name) {
  const auto rules = analyzer::AllRules();
  analyzer::Audit audit({rules.begin(), rules.end()});
  analyzer::TimelineBuilder builder({&audit});
  const analyzer::CaptureRead read = analyzer::ReadCapture(
      name, std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(std::move(bytes))), builder);
  EXPECT_TRUE(read.status.ok()) << read.status.message();
  return audit.Take();
}

std::vector<Finding> AuditOfText(std::string_view text) {
  auto parsed = ParseCase(text, "text");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  if (!parsed.ok()) return {};
  return AuditOfBytes(parsed->bytes, "text");
}

std::string RulesOf(const std::vector<Finding>& findings) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : findings) ids.push_back(finding.rule->id);
  std::ranges::sort(ids);
  return fmt::format("{}", fmt::join(ids, " "));
}

std::string LinesOf(const std::vector<Finding>& findings) {
  std::string lines;
  for (const Finding& finding : findings) {
    lines += fmt::format("{} {} ({}) {}/{} step \"{}\" {} time(s), calls {}: {}\n",
                         finding.rule->id, NameOf(finding.severity), NameOf(finding.confidence),
                         finding.store, finding.keys, finding.step, finding.occurrences,
                         finding.evidence.count, finding.text);
  }
  return lines;
}

}  // namespace dstap::test
