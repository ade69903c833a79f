// The house rules, as a test: layout, includes, names, docs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace dstap {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;  // From the project's root.
  std::vector<std::string> lines;
};

bool Skipped(const std::string& path) {
  return path.starts_with("build/") || path.starts_with("out/") || path.starts_with(".git/") ||
         path.find("node_modules/") != std::string::npos ||
         path.find(".cache/") != std::string::npos;
}

// The project's files whose names end with one of `endings`.
std::vector<File> Files(const std::vector<std::string>& endings) {
  const fs::path root = DSTAP_SOURCE_DIR;
  std::vector<File> out;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string path = fs::relative(at->path(), root).string();
    if (Skipped(path + "/")) {
      at.disable_recursion_pending();
      continue;
    }
    const bool wanted = std::any_of(endings.begin(), endings.end(),
                                    [&](const std::string& e) { return path.ends_with(e); });
    if (!at->is_regular_file() || !wanted) continue;
    File file{.path = path, .lines = {}};
    std::ifstream in(at->path());
    for (std::string line; std::getline(in, line);) file.lines.push_back(line);
    out.push_back(std::move(file));
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.path < b.path; });
  EXPECT_FALSE(out.empty());
  return out;
}

std::vector<File> Sources() { return Files({".h", ".cc"}); }

// "path:line: text" of each line of `files` that matches and that `allowed` does not let pass.
template <typename Allowed>
std::vector<std::string> Lines(const std::vector<File>& files, const std::string& pattern,
                               Allowed allowed) {
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (const File& file : files) {
    if (allowed(file.path)) continue;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      if (!std::regex_search(file.lines[i], regex)) continue;
      out.push_back(file.path + ":" + std::to_string(i + 1) + ": " + file.lines[i]);
    }
  }
  return out;
}

bool In(const std::string& path, const std::string& folder) { return path.starts_with(folder); }

std::string Joined(const std::vector<std::string>& lines) {
  std::ostringstream out;
  for (const std::string& line : lines) out << line << '\n';
  return out.str();
}

TEST(DirectionTest, ProtoIncludesNeitherHalf) {
  EXPECT_EQ(Joined(Lines(Sources(), "#include \"(proxy|analyzer|tests)/",
                         [](const auto& p) { return !In(p, "proto/"); })),
            "");
}

TEST(DirectionTest, ProxyAndAnalyzerNeverIncludeEachOther) {
  EXPECT_EQ(Joined(Lines(Sources(), "#include \"(analyzer|tests)/",
                         [](const auto& p) { return !In(p, "proxy/"); })),
            "");
  EXPECT_EQ(Joined(Lines(Sources(), "#include \"(proxy|tests)/",
                         [](const auto& p) { return !In(p, "analyzer/"); })),
            "");
}

TEST(DirectionTest, LibrariesStayInTheirCorners) {
  EXPECT_EQ(Joined(Lines(Sources(), "#include <boost/",
                         [](const auto& p) { return In(p, "proxy/server/") || In(p, "tests/"); })),
            "");
  EXPECT_EQ(Joined(Lines(Sources(), "#include <CLI/",
                         [](const auto& p) {
                           return In(p, "tests/") || In(p, "proto/base/command.") ||
                                  p.find("/commands/") != std::string::npos;
                         })),
            "");
}

TEST(DirectionTest, TheTimelineKnowsNoProtobuf) {
  EXPECT_EQ(Joined(Lines(Sources(), "#include .*(pb\\.h|google/protobuf)",
                         [](const auto& p) { return p != "analyzer/timeline/timeline.h"; })),
            "");
}

TEST(DirectionTest, OnlyTheServerTheClockAndTheBenchesLookAtTheTime) {
  EXPECT_EQ(Joined(Lines(Sources(), "(steady_clock|system_clock|high_resolution_clock)::now",
                         [](const auto& p) {
                           return p == "proto/base/clock.cc" || In(p, "proxy/server/") ||
                                  In(p, "tests/");
                         })),
            "");
}

TEST(FileTest, NoSourceIsTooLongToHold) {
  for (const File& file : Sources()) EXPECT_LE(file.lines.size(), 800U) << file.path;
}

TEST(FileTest, EveryHeaderIsIncludedOnce) {
  for (const File& file : Files({".h"})) {
    EXPECT_EQ(std::count(file.lines.begin(), file.lines.end(), "#pragma once"), 1) << file.path;
  }
}

TEST(FileTest, NothingIsLeftForLater) {
  // Split, so that this line does not find itself.
  EXPECT_EQ(Joined(Lines(Files({".h", ".cc", ".mjs", ".luau", ".proto", ".txt", ".cmake", ".md"}),
                         std::string("TO") + "DO|FIX" + "ME|XX" + "X:|HA" + "CK",
                         [](const auto&) { return false; })),
            "");
}

TEST(FileTest, EveryListedSourceFolderBuildsAllItsFiles) {
  std::string lists;
  for (const File& file : Files({"CMakeLists.txt", ".cmake"})) lists += Joined(file.lines);
  for (const File& file : Files({".cc"})) {
    EXPECT_NE(lists.find(fs::path(file.path).filename().string()), std::string::npos)
        << file.path << " is in no CMakeLists.txt";
  }
}

TEST(NamesTest, NoLibraryIsNamedOutsideItsWiring) {
  EXPECT_EQ(
      Joined(Lines(Files({".h", ".cc", ".mjs", ".luau"}),
                   "[Dd]ata-?[Ss]tore2|[Pp]rofile-?[Ss](tore|ervice)|[Ll]apis|[Ss]uphi|[Gg]eode",
                   [](const auto& p) {
                     return In(p, "proxy/lab/libraries/") || In(p, "proxy/lab/models/") ||
                            In(p, "tests/") || In(p, "proxy/lab/test/");
                   })),
      "");
}

TEST(DocsTest, EachPageHasOneTitle) {
  for (const File& file : Files({".md"})) {
    bool in_code = false;
    int titles = 0;
    for (const std::string& line : file.lines) {
      if (line.starts_with("```") || line.starts_with("~~~")) in_code = !in_code;
      if (!in_code && line.starts_with("# ")) ++titles;
    }
    EXPECT_EQ(titles, 1) << file.path;
  }
}

TEST(DocsTest, LinksInsideTheProjectLeadSomewhere) {
  const std::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
  for (const File& file : Files({".md"})) {
    for (const std::string& line : file.lines) {
      for (auto at = std::sregex_iterator(line.begin(), line.end(), link);
           at != std::sregex_iterator(); ++at) {
        const fs::path target =
            fs::path(DSTAP_SOURCE_DIR) / fs::path(file.path).parent_path() / (*at)[1].str();
        EXPECT_TRUE(fs::exists(target)) << file.path << " links to " << (*at)[1].str();
      }
    }
  }
}

}  // namespace
}  // namespace dstap
