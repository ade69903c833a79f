// Captures that ship stay readable for ever, and their text twins say what is in them.
// DSTAP_UPDATE_GOLDEN=1 writes the twin of a capture that has none yet, or another one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proto/base/file_source.h"
#include "proto/capture/capture_reader.h"
#include "proto/capture/capture_text.h"

namespace dstap::capture {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Captures() {
  std::vector<std::string> out;
  for (const char* folder : {"golden", "demo"}) {
    for (const auto& entry :
         fs::directory_iterator(fs::path(DSTAP_SOURCE_DIR) / "captures" / folder)) {
      if (entry.path().extension() == ".dstap") {
        out.push_back(std::string(folder) + "/" + entry.path().filename().string());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

CaptureReader Open(const fs::path& path) {
  auto source = FileSource::Open(path.string());
  EXPECT_TRUE(source.ok()) << source.status().message();
  auto reader = CaptureReader::Open(*std::move(source), CaptureReader::OnDamage::kStop);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  return *std::move(reader);
}

class GoldenCaptureTest : public testing::TestWithParam<std::string> {
 protected:
  fs::path path() const { return fs::path(DSTAP_SOURCE_DIR) / "captures" / GetParam(); }
};

TEST_P(GoldenCaptureTest, ReadsToItsEndAndIsClosed) {
  CaptureReader reader = Open(path());
  for (;;) {
    const auto record = reader.Next();
    ASSERT_TRUE(record.ok()) << record.status().message();
    if (!record->has_value()) break;
  }
  EXPECT_EQ(reader.ending(), Ending::kClosed);
}

TEST_P(GoldenCaptureTest, IsWhatItsTwinSays) {
  CaptureReader reader = Open(path());
  const auto text = ToText(reader);
  ASSERT_TRUE(text.ok()) << text.status().message();
  const fs::path twin = fs::path(path()).replace_extension(".txtpb");
  if (std::getenv("DSTAP_UPDATE_GOLDEN") != nullptr) std::ofstream(twin, std::ios::binary) << *text;
  std::ifstream in(twin, std::ios::binary);
  std::ostringstream kept;
  kept << in.rdbuf();
  EXPECT_EQ(kept.str(), *text);
}

TEST_P(GoldenCaptureTest, IsSmallAndNamesNoMachine) {
  EXPECT_LE(fs::file_size(path()), 64U << 10);
  std::ifstream in(path(), std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  for (const char* place : {"/home/", "/root/", "/tmp/", "/usr/"}) {
    EXPECT_EQ(bytes.str().find(place), std::string::npos) << place;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenCaptureTest, testing::ValuesIn(Captures()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '0';
                           }
                           return name;
                         });

}  // namespace
}  // namespace dstap::capture
