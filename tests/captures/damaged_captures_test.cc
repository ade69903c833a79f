// A capture for each row of the table of defects, made from captures/damaged/base.txtpb.
// DSTAP_UPDATE_GOLDEN=1 makes them anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analyzer/commands/cat_command.h"
#include "analyzer/commands/info_command.h"
#include "analyzer/commands/recover_command.h"
#include "analyzer/commands/report_command.h"
#include "analyzer/commands/verify_command.h"
#include "proto/capture/validate.h"
#include "tests/captures/made_captures.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::DefectId;
using capture::DefectSeverity;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string NameOf(const DamagedSample& sample) {
  return std::string(capture::InfoOf(sample.id).name);
}
std::string PathOf(const DamagedSample& sample) {
  return "captures/damaged/" + NameOf(sample) + ".dstap";
}

class DamagedCaptureTest : public testing::TestWithParam<DamagedSample> {
 protected:
  std::string path() const { return DSTAP_SOURCE_DIR "/" + PathOf(GetParam()); }
  DefectSeverity severity() const { return capture::InfoOf(GetParam().id).severity; }
  int status() const { return severity() == DefectSeverity::kDamage ? 3 : 0; }
};

TEST_P(DamagedCaptureTest, IsMadeFromTheTwinByWhatIsDescribed) {
  ExpectProjectFile(PathOf(GetParam()), BytesOf(GetParam()));
  EXPECT_LT(std::filesystem::file_size(path()), 2048U);
}

TEST_P(DamagedCaptureTest, VerifyFindsExactlyThatAndWhere) {
  const std::string bytes = ReadProjectFile(PathOf(GetParam()));
  auto reader =
      CaptureReader::Open(std::make_unique<MemorySource>(bytes), CaptureReader::OnDamage::kSkip);
  ASSERT_TRUE(reader.ok());
  std::vector<std::string> found;
  std::vector<capture::Defect> defects;
  ASSERT_TRUE(Validate(*reader, [&](const capture::Defect& defect) {
                found.emplace_back(capture::InfoOf(defect.id).name);
                defects.push_back(defect);
              }).ok());
  EXPECT_EQ(found, GetParam().finds);
  ASSERT_FALSE(defects.empty());
  EXPECT_EQ(defects[0].id, GetParam().id);
  EXPECT_EQ(defects[0].chunk, GetParam().chunk) << defects[0].detail;
  EXPECT_EQ(defects[0].record, GetParam().record) << defects[0].detail;
  const size_t sync = bytes.find(capture::SyncBytes(), defects[0].offset);
  if (defects[0].record != 0) {  // A chunk stands there.
    EXPECT_LT(sync - defects[0].offset, 7U);
  }
  const CommandResult ran = RunCommand<analyzer::VerifyCommand>({path()});
  EXPECT_EQ(ran.status, severity() == DefectSeverity::kRule ? 1 : status());
}

TEST_P(DamagedCaptureTest, ReportCatAndInfoReadWhatIsGood) {
  const CommandResult report = RunCommand<analyzer::ReportCommand>({path()});
  const CommandResult cat = RunCommand<analyzer::CatCommand>({path()});
  const CommandResult info = RunCommand<analyzer::InfoCommand>({path()});
  EXPECT_EQ(report.status, status()) << report.notes;
  EXPECT_EQ(cat.status, status()) << cat.notes;
  EXPECT_EQ(info.status, status()) << info.notes;
  // The first call and the third are read, whatever is wrong between them.
  for (const char* issued : {" 1.000000 ", " 3.000000 "}) {
    EXPECT_THAT(cat.out, HasSubstr(issued));
  }
  for (const std::string& notes : {report.notes, cat.notes}) {
    EXPECT_EQ(std::ranges::count(notes, '\n'), severity() == DefectSeverity::kDamage ? 1 : 0)
        << notes;
  }
}

TEST_P(DamagedCaptureTest, IsRecoveredToAClosedOne) {
  const TemporaryFolder folder("recover-" + NameOf(GetParam()));
  const std::string out = folder.Path("out.dstap");
  const CommandResult ran = RunCommand<analyzer::RecoverCommand>({path(), "-o", out});
  EXPECT_EQ(ran.status, 0) << ran.notes;
  const CommandResult verified = RunCommand<analyzer::VerifyCommand>({out});
  EXPECT_THAT(verified.status, AnyOf(0, 1));
  EXPECT_THAT(verified.out, HasSubstr(out + ": closed, "));
}

INSTANTIATE_TEST_SUITE_P(All, DamagedCaptureTest, testing::ValuesIn(DamagedSamples()),
                         [](const auto& tested) {
                           std::string name;
                           bool upper = true;
                           for (const char c : NameOf(tested.param)) {
                             if (c != '-') name += upper ? static_cast<char>(c - 'a' + 'A') : c;
                             upper = c == '-';
                           }
                           return name;
                         });

TEST(DamagedCapturesTest, ThereIsOneForEachRowOfTheTableInItsOrder) {
  const std::vector<DamagedSample> samples = DamagedSamples();
  ASSERT_EQ(samples.size(), capture::kDefects.size());
  for (size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i].id, capture::kDefects[i].id);
}

TEST(DamagedCapturesTest, TheirPageSaysHowEachWasMade) {
  std::string table;
  for (const DamagedSample& sample : DamagedSamples()) {
    table += "| `" + NameOf(sample) + ".dstap` | " + sample.made + " |\n";
  }
  EXPECT_THAT(ReadProjectFile("captures/damaged/README.md"), HasSubstr(table)) << table;
}

TEST(DamagedCapturesTest, NoOtherFileIsThere) {
  std::vector<std::string> names = {"README.md", "base.txtpb"};
  for (const DamagedSample& sample : DamagedSamples()) names.push_back(NameOf(sample) + ".dstap");
  for (const auto& entry :
       std::filesystem::directory_iterator(DSTAP_SOURCE_DIR "/captures/damaged")) {
    EXPECT_THAT(names, Contains(entry.path().filename().string()));
  }
}

}  // namespace
}  // namespace dstap::test
