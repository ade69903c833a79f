// The audit over captures of real libraries: what docs/findings.md says of each, and nothing else.
// With DSTAP_UPDATE_GOLDEN=1 in the environment the page's table is written; read the difference.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/e2e/lab.h"

namespace dstap::test {
namespace {

TEST_F(LabTest, EachLibraryHasTheFindingsThatThePageNames) {
  const std::vector<std::string> libraries = {"datastore2",      "datastore2-backups", "geode",
                                              "geode-before",    "geode-mailbox",      "lapis",
                                              "profile-service", "profile-store",      "suphi"};
  std::vector<std::string> words = {"--samples", "1", "--seed", "1"};
  for (const std::string& library : libraries) words.insert(words.end(), {"--library", library});
  for (const char* scenario : {"load-save-release", "hop-releases", "hop-keeps"}) {
    words.insert(words.end(), {"--scenario", scenario});
  }
  ASSERT_EQ(Lab(words).status, 0);
  std::string made = "\n| library | rules that speak |\n|---|---|\n";
  for (const std::string& library : libraries) {
    const Ran ran = Run({"audit", "out/" + library + ".dstap", "--format", "json"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const Json audit = Json::parse(ran.out);
    std::set<std::string> ids;
    for (const Json& finding : audit.at("findings")) ids.insert(finding.at("rule"));
    made += fmt::format("| {} | {} |\n", library,
                        ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")));
  }
  const std::string path = std::string(DSTAP_SOURCE_DIR) + "/docs/findings.md";
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string page = read.str();
  const std::string from = "<!-- lab -->\n";
  const size_t begin = page.find(from);
  const size_t end = page.find("<!-- end of lab -->\n");
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos);
  const size_t text = begin + from.size();
  if (std::getenv("DSTAP_UPDATE_GOLDEN") != nullptr) {
    page.replace(text, end - text, made + "\n");
    std::ofstream(path) << page;
    return;
  }
  EXPECT_EQ(page.substr(text, end - text), made + "\n") << "DSTAP_UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace
}  // namespace dstap::test
