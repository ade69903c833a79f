// Every renderer's output of every report case, compared with tests/analyzer/golden/. With
// DSTAP_UPDATE_GOLDEN=1 in the environment the files are written instead; read the difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analyzer/diff/diff.h"
#include "analyzer/render/diff_renderer.h"
#include "analyzer/render/display_width.h"
#include "analyzer/render/renderer.h"
#include "analyzer/render/utf8.h"
#include "tests/analyzer/diff_cases.h"
#include "tests/analyzer/report_cases.h"

namespace dstap::analyzer {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = fmt::format("{}/tests/analyzer/golden/{}.txt", DSTAP_SOURCE_DIR, name);
  const char* update = std::getenv("DSTAP_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, ReadFile(path)) << path << "; DSTAP_UPDATE_GOLDEN=1 rewrites it";
}

size_t WidestLine(std::string_view text) {
  size_t widest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, DisplayWidth(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

// Nothing of a capture may move the cursor, or be no text.
void ExpectPrintable(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    ASSERT_GT(c.bytes, 0U);
    ASSERT_TRUE(c.code == '\n' ||
                (c.code >= 0x20 && c.code != 0x7F && !(c.code >= 0x80 && c.code < 0xA0)))
        << static_cast<uint32_t>(c.code);
    text.remove_prefix(c.bytes);
  }
}

TEST(GoldenReportTest, EveryRendererPrintsEveryCaseAsBefore) {
  for (const test::ReportCase& one : test::AllReportCases()) {
    const Report report = one.report();
    for (const RendererEntry& renderer : AllRenderers()) {
      const std::string text = renderer.render(report, {});
      ExpectGolden(fmt::format("{}-{}", one.name, renderer.name), text);
      ExpectPrintable(text);
    }
  }
}

TEST(GoldenReportTest, EveryDiffRendererPrintsEveryCaseAsBefore) {
  for (const test::DiffCase& one : test::AllDiffCases()) {
    const Report before = one.before();
    const Report after = one.after();
    const Diff diff = DiffOf(before, after);
    for (const DiffRendererEntry& renderer : AllDiffRenderers()) {
      const std::string text = renderer.render(diff, {});
      ExpectGolden(fmt::format("diff-{}-{}", one.name, renderer.name), text);
      ExpectPrintable(text);
    }
    EXPECT_LE(WidestLine(TextOf(DocumentOf(diff), {})), 100U) << one.name;
  }
}

TEST(GoldenReportTest, TextFitsInto100Columns) {
  for (const test::ReportCase& one : test::AllReportCases()) {
    EXPECT_LE(WidestLine(RenderText(one.report(), {})), 100U) << one.name;
    EXPECT_LE(WidestLine(RenderText(one.report(), {.columns = 60})), 60U) << one.name;
  }
}

TEST(GoldenReportTest, ColourComesOnlyWhenAskedFor) {
  const Report report = test::AllReportCases()[0].report();
  EXPECT_EQ(RenderText(report, {}).find('\x1B'), std::string::npos);
  EXPECT_NE(RenderText(report, {.has_colour = true}).find('\x1B'), std::string::npos);
  EXPECT_EQ(RenderMarkdown(report, {.has_colour = true}), RenderMarkdown(report, {}));
}

TEST(GoldenReportTest, SectionsAreChosenByName) {
  const Report report = test::AllReportCases()[0].report();
  const std::string text = RenderText(report, {.sections = {"throttling"}});
  EXPECT_NE(text.find("\nThrottling\n"), std::string::npos);
  EXPECT_EQ(text.find("\nTraffic\n"), std::string::npos);
  EXPECT_EQ(RenderText(report, {.sections = {"traffic", "steps"}}),
            RenderText(report, {.sections = {"steps", "traffic"}}));
}

TEST(GoldenReportTest, TheFirstScreenOfABenchHasRequestsAndTimes) {
  std::istringstream text(RenderText(test::AllReportCases()[0].report(), {}));
  std::string first_screen;
  std::string line;
  for (int i = 0; i < 30 && std::getline(text, line); ++i) first_screen += line + '\n';
  EXPECT_NE(first_screen.find("throttle-load"), std::string::npos);
  EXPECT_NE(first_screen.find("same in every"), std::string::npos);
  EXPECT_NE(first_screen.find("0.083   0.067   0.100"), std::string::npos);
}

}  // namespace
}  // namespace dstap::analyzer
