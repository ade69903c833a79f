// Captures with data of the future stay readable for ever: everything that this version knows is
// read as it is without, and the rest is counted.
// DSTAP_UPDATE_GOLDEN=1 makes them anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/commands/cat_command.h"
#include "analyzer/commands/report_command.h"
#include "analyzer/commands/verify_command.h"
#include "proto/capture/capture_text.h"
#include "tests/captures/made_captures.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using ::testing::HasSubstr;

// The record without what this version does not know.
std::string Known(const OwnedRecord& record) {
  v1::Row row = record.row;
  row.DiscardUnknownFields();
  return row.SerializeAsString();
}

class PaddedCaptureTest : public testing::TestWithParam<const char*> {
 protected:
  std::string golden() const { return std::string("captures/golden/") + GetParam() + ".dstap"; }
  std::string padded() const { return std::string("captures/padded/") + GetParam() + ".dstap"; }
};

TEST_P(PaddedCaptureTest, IsTheGoldenOneWithUnknownData) {
  ExpectProjectFile(padded(), Padded(ReadProjectFile(golden())));
}

TEST_P(PaddedCaptureTest, ReadsAsTheGoldenOneAndCountsTheRest) {
  const ReadResult plain = ReadCapture(ReadProjectFile(golden()));
  const ReadResult padded_one = ReadCapture(ReadProjectFile(padded()));
  ASSERT_TRUE(padded_one.ok()) << padded_one.end.message();
  EXPECT_EQ(padded_one.ending, capture::Ending::kClosed);
  EXPECT_EQ(plain.unknown_fields, 0U);
  std::vector<const OwnedRecord*> kept;
  uint64_t padding = 0;
  for (const OwnedRecord& record : padded_one.records) {
    if (!record.is_call && IsPadding(record.row)) {
      ++padding;
    } else {
      kept.push_back(&record);
    }
  }
  EXPECT_GT(padding, 4U);
  // Two behind each chunk's body, four in its Records and in its Calls, and more in each row.
  EXPECT_GT(padded_one.unknown_fields,
            10 * (padding / 2) + 8 * (kept.size() - plain.CallIds().size()));
  ASSERT_EQ(kept.size(), plain.records.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    const OwnedRecord& a = plain.records[i];
    const OwnedRecord& b = *kept[i];
    ASSERT_EQ(a.is_call, b.is_call);
    if (a.is_call) {
      EXPECT_TRUE(SameCall(a.call, b.call));
    } else if (!a.row.has_end() && !a.row.has_index()) {  // They count the padding too.
      EXPECT_EQ(Known(a), Known(b));
      EXPECT_EQ(a.time, b.time);
    }
  }
}

TEST_P(PaddedCaptureTest, ReportAndCatPrintTheSameButForTheNote) {
  const auto lines = [](const std::string& text, const std::string& without) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.find(without) == std::string::npos) out.push_back(line);
    }
    return out;
  };
  // One name, so that the outputs differ in nothing else.
  const TemporaryFolder folder(std::string("padded-") + GetParam());
  const std::string path = folder.File("run.dstap", ReadProjectFile(golden()));
  const CommandResult plain = RunCommand<analyzer::ReportCommand>({path});
  const CommandResult plain_cat = RunCommand<analyzer::CatCommand>({path});
  folder.File("run.dstap", ReadProjectFile(padded()));
  const CommandResult padded_one = RunCommand<analyzer::ReportCommand>({path});
  const CommandResult padded_cat = RunCommand<analyzer::CatCommand>({path});
  EXPECT_EQ(padded_one.status, 0);
  EXPECT_THAT(padded_one.out, HasSubstr("unknown-fields"));
  EXPECT_EQ(padded_cat.out, plain_cat.out);
  EXPECT_EQ(padded_cat.status, 0);
  // Of the last section only the note is new: its lines may be laid out anew around it.
  const auto numbers = [](const std::string& text) {
    return text.substr(0, text.find("\nNot seen\n"));
  };
  EXPECT_EQ(numbers(padded_one.out), numbers(plain.out));
  EXPECT_FALSE(lines(padded_one.out, "unknown-fields").empty());
}

TEST_P(PaddedCaptureTest, VerifyFindsNothingButUnknownFields) {
  const std::string path = std::string(DSTAP_SOURCE_DIR "/") + padded();
  const CommandResult ran = RunCommand<analyzer::VerifyCommand>({path});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 2);
  EXPECT_THAT(ran.out, HasSubstr(": unknown-fields: "));
  EXPECT_THAT(ran.out, HasSubstr(path + ": closed, "));
}

INSTANTIATE_TEST_SUITE_P(All, PaddedCaptureTest, testing::Values("burst", "load-save-release"),
                         [](const auto& tested) {
                           return std::string(tested.param) == "burst" ? "Burst"
                                                                       : "LoadSaveRelease";
                         });

// Every enum of a call and of the rows with a number that has no name yet.
const char kNumbers[] = "captures/padded/unknown-numbers.dstap";

TEST(UnknownNumbersTest, AreKeptAsNumbersAndReported) {
  const auto bytes = capture::FromText(ReadProjectFile("captures/padded/unknown-numbers.txtpb"));
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  ExpectProjectFile(kNumbers, *bytes);
  const ReadResult read = ReadCapture(ReadProjectFile(kNumbers));
  ASSERT_TRUE(read.ok()) << read.end.message();
  const capture::CallRecord& call = read.records.at(3).call;
  EXPECT_EQ(static_cast<int>(call.method), 999);
  EXPECT_EQ(static_cast<int>(call.outcome), 999);
  EXPECT_EQ(static_cast<int>(call.budgets[0].type), 999);
  EXPECT_EQ(static_cast<int>(call.transform_runs[0].outcome), 999);
  const std::string path = std::string(DSTAP_SOURCE_DIR "/") + kNumbers;
  EXPECT_EQ(RunCommand<analyzer::VerifyCommand>({path}).out, path + ": closed, 1 call\n");
  EXPECT_EQ(RunCommand<analyzer::ReportCommand>({path}).status, 0);
  const CommandResult cat = RunCommand<analyzer::CatCommand>({path});
  EXPECT_EQ(cat.status, 0);
  EXPECT_THAT(cat.out, HasSubstr("100001"));
}

}  // namespace
}  // namespace dstap::test
