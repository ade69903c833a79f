// Commands shown in the docs do what the docs say. A ```console block is a session: lines after "$
// " are run in order in one fresh folder a page, the rest is what they print. A line "..." stands
// for any number of lines. DSTAP_UPDATE_DOCS=1 writes what was printed into the page.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace dstap {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ReadLines(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Standard output and error together, as a terminal shows them.
std::vector<std::string> RunInShell(const std::string& command, const std::string& folder) {
  const std::string program_folder = fs::path(DSTAP_PROGRAM).parent_path().string();
  const std::string line =
      "cd '" + folder + "' && PATH='" + program_folder + "':$PATH && { " + command + "\n} 2>&1";
  std::string out;
  FILE* pipe = ::popen(line.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), n);
  }
  ::pclose(pipe);
  std::vector<std::string> lines;
  for (size_t at = 0; at < out.size();) {
    const size_t end = std::min(out.find('\n', at), out.size());
    lines.push_back(out.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool Matches(const std::vector<std::string>& shown, size_t s, const std::vector<std::string>& got,
             size_t g) {
  if (s == shown.size()) return g == got.size();
  if (shown[s] != "...")
    return g < got.size() && shown[s] == got[g] && Matches(shown, s + 1, got, g + 1);
  for (size_t skip = g; skip <= got.size(); ++skip) {
    if (Matches(shown, s + 1, got, skip)) return true;
  }
  return false;
}

std::string Text(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class PageTest : public testing::TestWithParam<std::string> {};

TEST_P(PageTest, CommandsPrintWhatThePageSays) {
  const fs::path page = fs::path(DSTAP_SOURCE_DIR) / GetParam();
  std::string folder = (fs::temp_directory_path() / "dstap-docs-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  // What pages refer to from the project's root.
  for (const char* name : {"captures", "proto", "proxy"}) {
    fs::create_directory_symlink(fs::path(DSTAP_SOURCE_DIR) / name, fs::path(folder) / name);
  }
  const bool update = std::getenv("DSTAP_UPDATE_DOCS") != nullptr;
  const std::vector<std::string> lines = ReadLines(page);
  std::vector<std::string> written;
  for (size_t i = 0; i < lines.size(); ++i) {
    written.push_back(lines[i]);
    if (lines[i] != "```console") continue;
    for (++i; i < lines.size() && lines[i] != "```";) {
      ASSERT_TRUE(lines[i].starts_with("$ ")) << GetParam() << ":" << i + 1;
      std::string command = lines[i].substr(2);
      written.push_back(lines[i++]);
      while (command.ends_with("\\")) {
        command.back() = '\n';
        command = command.substr(0, command.size() - 1) + lines[i];
        written.push_back(lines[i++]);
      }
      std::vector<std::string> shown;
      while (i < lines.size() && lines[i] != "```" && !lines[i].starts_with("$ ")) {
        shown.push_back(lines[i++]);
      }
      const std::vector<std::string> got = RunInShell(command, folder);
      if (!update) {
        EXPECT_TRUE(Matches(shown, 0, got, 0))
            << GetParam() << ": " << command << "\nthe page shows:\n"
            << Text(shown) << "it prints:\n"
            << Text(got);
      }
      const bool as_shown = Matches(shown, 0, got, 0);
      for (const std::string& line : as_shown ? shown : got) written.push_back(line);
    }
    written.push_back("```");
  }
  if (update && written != lines) std::ofstream(page) << Text(written);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

std::vector<std::string> Pages() {
  const fs::path root = DSTAP_SOURCE_DIR;
  std::vector<std::string> pages = {"README.md", "captures/README.md",
                                    "captures/damaged/README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md")
      pages.push_back("docs/" + entry.path().filename().string());
  }
  std::sort(pages.begin() + 1, pages.end());
  return pages;
}

INSTANTIATE_TEST_SUITE_P(All, PageTest, testing::ValuesIn(Pages()), [](const auto& tested) {
  std::string name = tested.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '0';
  }
  return name;
});

}  // namespace
}  // namespace dstap
