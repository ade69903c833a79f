// docs/findings.md has two parts that are made here: the catalogue, and which rules speak on which
// cases and captures. With DSTAP_UPDATE_GOLDEN=1 in the environment they are written; read the
// difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "analyzer/findings/catalogue.h"
#include "tests/analyzer/findings_support.h"
#include "tests/support/case_text.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = DSTAP_SOURCE_DIR;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What stands between the comments "<!-- NAME -->" and "<!-- end of NAME -->" of the page.
void ExpectOnPage(const std::string& name, const std::string& made) {
  const fs::path path = kRoot / "docs/findings.md";
  std::string page = ReadFile(path);
  const std::string from = fmt::format("<!-- {} -->\n", name);
  const std::string to = fmt::format("<!-- end of {} -->\n", name);
  const size_t begin = page.find(from);
  const size_t end = page.find(to);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << name;
  const size_t text = begin + from.size();
  const char* update = std::getenv("DSTAP_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    page.replace(text, end - text, made);
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  EXPECT_EQ(page.substr(text, end - text), made) << "DSTAP_UPDATE_GOLDEN=1 rewrites it";
}

std::vector<fs::path> FilesOf(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::set<std::string_view> IdsOf(const std::vector<Finding>& findings) {
  std::set<std::string_view> ids;
  for (const Finding& finding : findings) ids.insert(finding.rule->id);
  return ids;
}

TEST(FindingsPageTest, TheCatalogueIsTheTable) {
  std::string made;
  for (const RuleEntry* rule : AllRules()) {
    made += fmt::format(
        "\n### {}\n\n**{}** ({}). {}\n\n- *Said when*: {}\n- *Fix*: {}\n- *Source*: {}.\n",
        rule->id, rule->title, NameOf(rule->severity), rule->meaning, rule->evidence, rule->fix,
        rule->source);
  }
  ExpectOnPage("catalogue", made + "\n");
}

TEST(FindingsPageTest, TheMatrixIsWhatTheRulesSay) {
  std::string tens;
  std::string ones;
  std::string titles;
  std::map<std::string_view, std::string> rows;
  for (const fs::path& path : FilesOf("tests/cases", ".case")) {
    const std::string name = path.stem().string();
    const auto parsed = test::ParseCase(ReadFile(path), name);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    const auto ids = IdsOf(test::AuditOfBytes(parsed->bytes, name));
    tens += name.substr(1, 1);
    ones += name.substr(2, 1);
    for (const RuleEntry* rule : AllRules()) rows[rule->id] += ids.contains(rule->id) ? 'x' : '.';
    titles += fmt::format("| {} | {} |\n", name, parsed->title.substr(name.size() + 1));
  }
  std::string made = fmt::format("\n```text\n{:<28}  R {}\n{:<28}    {}\n", "", tens, "", ones);
  for (const RuleEntry* rule : AllRules()) {
    made += fmt::format("{:<28}    {}\n", rule->id, rows[rule->id]);
  }
  made += "```\n\n| case | what it is |\n|---|---|\n" + titles;
  ExpectOnPage("matrix", made + "\n");
}

TEST(FindingsPageTest, CapturesThatShipHaveTheFindingsThatThePageNames) {
  std::string made = "\n| capture | rules that speak |\n|---|---|\n";
  for (const char* folder : {"captures/demo", "captures/golden"}) {
    for (const fs::path& path : FilesOf(folder, ".dstap")) {
      const std::string name = fs::relative(path, kRoot).string();
      const auto ids = IdsOf(test::AuditOfBytes(ReadFile(path), name));
      made += fmt::format("| `{}` | {} |\n", name,
                          ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")));
    }
  }
  ExpectOnPage("captures", made + "\n");
}

}  // namespace
}  // namespace dstap::analyzer
