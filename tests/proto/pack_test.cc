#include "proto/capture/pack.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "proto/capture/capture_text.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/validate.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

namespace fs = std::filesystem;
using capture::CaptureReader;
using capture::CaptureWriter;
using capture::Defect;
using capture::Ending;
using capture::PackOptions;
using capture::PackResult;
using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using std::chrono_literals::operator""s;

capture::OpenSource Opener(const std::string& bytes) {
  return [bytes]() -> Result<std::unique_ptr<ByteSource>> {
    return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(bytes));
  };
}

struct Packed {
  Status status;
  PackResult result;
  std::string bytes;
};

Packed Pack(const std::string& bytes, const PackOptions& options = {}) {
  Packed packed;
  StringSink sink(packed.bytes);
  auto result = capture::Pack(Opener(bytes), sink, options);
  packed.status = result.status();
  if (result.ok()) packed.result = *result;
  return packed;
}

std::string FromText(const std::string& text) {
  const auto bytes = capture::FromText(text);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? *bytes : std::string();
}

std::vector<std::string> DefectsOf(const std::string& bytes) {
  std::vector<std::string> names;
  auto reader =
      CaptureReader::Open(std::make_unique<MemorySource>(bytes), CaptureReader::OnDamage::kSkip);
  EXPECT_TRUE(reader.ok());
  const auto verdict = capture::Validate(
      *reader, [&](const Defect& defect) { names.emplace_back(capture::InfoOf(defect.id).name); });
  EXPECT_TRUE(verdict.ok());
  return names;
}

// The last records of calls are the same, and all rows but for what chunks and records decide.
void ExpectSame(const std::string& before, const std::string& after) {
  ReadResult a = ReadCapture(before);
  ReadResult b = ReadCapture(after);
  ASSERT_TRUE(a.ok()) << a.end.message();
  ASSERT_TRUE(b.ok()) << b.end.message();
  EXPECT_EQ(a.ending, b.ending);
  const auto keep = [](std::deque<OwnedRecord>& records) {
    std::deque<OwnedRecord> kept;
    for (size_t i = 0; i < records.size(); ++i) {
      bool is_replaced = false;
      if (records[i].is_call && records[i].call.outcome == v1::OUTCOME_IN_FLIGHT) {
        for (size_t j = i + 1; j < records.size() && !records[j].row.has_header(); ++j) {
          is_replaced |= records[j].is_call && records[j].call.id == records[i].call.id;
        }
      }
      if (!is_replaced && !records[i].row.has_index()) kept.push_back(records[i]);
    }
    records = std::move(kept);
  };
  keep(a.records);
  ASSERT_EQ(a.records.size(), b.records.size() - static_cast<size_t>(std::ranges::count_if(
                                                     b.records, [](const OwnedRecord& record) {
                                                       return record.row.has_index();
                                                     })));
  keep(b.records);
  for (size_t i = 0; i < a.records.size(); ++i) {
    ASSERT_EQ(a.records[i].is_call, b.records[i].is_call) << i;
    EXPECT_EQ(a.records[i].time, b.records[i].time) << i;
    if (a.records[i].is_call) {
      EXPECT_TRUE(SameCall(a.records[i].call, b.records[i].call)) << i;
      continue;
    }
    if (a.records[i].row.has_end()) {
      a.records[i].row.mutable_end()->clear_call_records();
      b.records[i].row.mutable_end()->clear_call_records();
    }
    EXPECT_TRUE(MessageDifferencer::Equals(a.records[i].row, b.records[i].row)) << i;
  }
}

// A recording as a recorder writes it: a commit a record, calls that are recorded twice, one that
// is never answered, a loss.
std::string ARecording(uint64_t calls, bool ends = true) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  EXPECT_TRUE(writer.ok());
  writer->AddRow(0s, ASource(1));
  writer->Add(AnOpenCall(1'000'000));
  for (uint64_t id = 1; id <= calls; ++id) {
    if (id % 3 == 0) writer->Add(AnOpenCall(id));
    EXPECT_TRUE(writer->Commit().ok());
    writer->Add(ACall(id));
    if (id % 5 == 0) writer->AddRow(Time(1s) * static_cast<int64_t>(id), AComment("five"));
    EXPECT_TRUE(writer->Commit().ok());
  }
  v1::Row loss;
  loss.mutable_loss()->set_calls(7);
  loss.mutable_loss()->set_rows(2);
  writer->AddRow(9s, loss);
  writer->Add(AnOpenCall(1'000'000));
  EXPECT_TRUE(writer->Commit().ok());
  if (ends) {
    EXPECT_TRUE(writer->Close(Time(99s), v1::END_REASON_COMMAND_FAILED, "status 3").ok());
  }
  return bytes;
}

TEST(PackTest, RecordsTheirOrderAndTheEndStay) {
  const std::string before = ARecording(100);
  const Packed packed = Pack(before);
  ASSERT_TRUE(packed.status.ok()) << packed.status.message();
  ExpectSame(before, packed.bytes);
  EXPECT_THAT(DefectsOf(packed.bytes), ElementsAre("loss"));
  EXPECT_EQ(packed.result.bytes_before, before.size());
  EXPECT_EQ(packed.result.bytes_after, packed.bytes.size());
  EXPECT_LT(packed.bytes.size(), before.size() / 2);
}

TEST(PackTest, CallsInFlightThatWereAnsweredAreFolded) {
  const std::string before = ARecording(9);
  const Packed packed = Pack(before);
  // Calls 3, 6 and 9, and the first of two records of the call that was never answered.
  EXPECT_EQ(packed.result.records_folded, 4U);
  EXPECT_THAT(ReadCapture(packed.bytes).CallIds(),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 1'000'000));
}

TEST(PackTest, AnIdThatComesAgainKeepsItsRecords) {
  const std::string open = "record { call { id: 5 outcome: OUTCOME_IN_FLIGHT } }";
  const std::string answered = "record { call { id: 5 outcome: OUTCOME_OK completed_ns: 1000 } }";
  const std::string before =
      FromText("record { header {} }" + open + answered + answered + open + open);
  const ReadResult read = ReadCapture(Pack(before).bytes);
  std::vector<v1::Outcome> outcomes;
  for (const OwnedRecord& record : read.records) {
    if (record.is_call) outcomes.push_back(record.call.outcome);
  }
  EXPECT_THAT(outcomes, ElementsAre(v1::OUTCOME_OK, v1::OUTCOME_OK, v1::OUTCOME_IN_FLIGHT));
}

TEST(PackTest, PackingTwiceGivesTheSameBytes) {
  const std::string once = Pack(ARecording(3000), {.chunk_bytes = 4096}).bytes;
  EXPECT_TRUE(Pack(once, {.chunk_bytes = 4096}).bytes == once);
}

TEST(PackTest, CommitsLeaveNoTrace) {
  const auto recorded = [](int calls_per_commit) {
    std::string bytes;
    auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
    for (uint64_t id = 1; id <= 500; ++id) {
      writer->Add(ACall(id));
      if (id % static_cast<uint64_t>(calls_per_commit) == 0) {
        EXPECT_TRUE(writer->Commit().ok());
      }
    }
    EXPECT_TRUE(writer->Close(Time(999s), v1::END_REASON_CLOSED).ok());
    return bytes;
  };
  ASSERT_TRUE(recorded(1) != recorded(7));
  EXPECT_TRUE(Pack(recorded(1)).bytes == Pack(recorded(7)).bytes);
}

TEST(PackTest, ChunksAreAboutAsLargeAsAsked) {
  const size_t kAsked = 16 << 10;
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  for (uint64_t id = 1; id <= 20'000; ++id) writer->Add(ACall(id));
  ASSERT_TRUE(writer->Close(Time(30'000s), v1::END_REASON_CLOSED).ok());
  const std::string packed = Pack(bytes, {.chunk_bytes = kAsked}).bytes;
  std::vector<size_t> sizes;
  for (size_t at = packed.find(capture::SyncBytes()); at != std::string::npos;
       at = packed.find(capture::SyncBytes(), at + 1)) {
    sizes.push_back(capture::ParseChunk(std::string_view(packed).substr(at)).frame.raw_size);
  }
  ASSERT_GT(sizes.size(), 8U);
  // The header's, the first, from which the estimate learns, the last of calls and the End's.
  for (size_t i = 2; i + 2 < sizes.size(); ++i) {
    EXPECT_GT(sizes[i], kAsked / 2);
    EXPECT_LT(sizes[i], kAsked * 2);
  }
}

TEST(PackTest, SeveralRecordingsStaySeveral) {
  const std::string before = ARecording(10) + ARecording(20, false) + AClosedCapture(3);
  const Packed packed = Pack(before);
  ExpectSame(before, packed.bytes);
  EXPECT_EQ(ReadCapture(packed.bytes).ending, Ending::kUnfinished);
}

TEST(PackTest, UnfinishedStaysUnfinishedAndATornTailIsLeftOut) {
  const std::string whole = ARecording(10, false);
  const std::string before = whole + ARecording(1).substr(capture::kMagicBytes, 100);
  const Packed packed = Pack(before);
  ASSERT_TRUE(packed.status.ok()) << packed.status.message();
  EXPECT_EQ(packed.result.torn_bytes, 100U);
  ExpectSame(whole, packed.bytes);
  EXPECT_THAT(DefectsOf(packed.bytes), ElementsAre("loss", "unfinished"));
}

TEST(PackTest, ARecordingThatHasHardlyBegunIsStillThere) {
  const std::string before = AClosedCapture(2) + std::string(capture::MagicBytes());
  const Packed packed = Pack(before);
  EXPECT_THAT(packed.bytes, EndsWith(std::string(capture::MagicBytes())));
  EXPECT_EQ(ReadCapture(packed.bytes).ending, Ending::kUnfinished);
}

TEST(PackTest, TimesFinerThanAMicrosecondStay) {
  const std::string before = FromText(
      "record { header {} } record { call { id: 1 issued_ns: 1001 completed_ns: 2003 "
      "outcome: OUTCOME_OK } } record { time_ns: 3001 end { reason: END_REASON_CLOSED } }");
  ExpectSame(before, Pack(before).bytes);
  EXPECT_EQ(ReadCapture(Pack(before).bytes).records[1].call.issued.count(), 1001);
}

TEST(PackTest, EveryFieldOfACallAndEveryKindOfRowStays) {
  std::string before;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(before), AHeader());
  const auto* kinds = v1::Row::descriptor()->oneof_decl(0);
  for (int i = 0; i < kinds->field_count(); ++i) {
    const std::string& name = kinds->field(i)->name();
    if (name == "header" || name == "end" || name == "index") continue;
    v1::Row row;
    row.GetReflection()->MutableMessage(&row, kinds->field(i));
    writer->AddRow(Time(1s) * i, row);
  }
  writer->Add(AFullCall());
  ASSERT_TRUE(writer->Close(Time(99s), v1::END_REASON_LIMIT, "enough").ok());
  ExpectSame(before, Pack(before).bytes);
}

TEST(PackTest, DamageIsRefusedWithTheRemedy) {
  std::string bytes = ARecording(10);
  bytes[bytes.size() / 2] ^= 1;
  const Packed packed = Pack(bytes);
  EXPECT_EQ(packed.status.code(), ErrorCode::kDamaged);
  EXPECT_THAT(packed.status.message(), HasSubstr("\"dstap recover FILE -o OUT\""));
}

TEST(PackTest, WhatANewerDstapWroteIsNotLost) {
  v1::Records records;
  records.set_tick_ns(1000);
  records.GetReflection()->MutableUnknownFields(&records)->AddVarint(4000, 1);
  const Packed packed = Pack(ACaptureOf({records}));
  EXPECT_EQ(packed.status.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(packed.status.message(), HasSubstr("1 fields"));
}

TEST(PackTest, ARecordingWithoutAHeaderIsRefused) {
  v1::Records records;
  records.set_tick_ns(1000);
  *records.add_row() = AComment("first");
  const Packed packed =
      Pack(std::string(capture::MagicBytes()) + AChunk(0, records.SerializeAsString()));
  EXPECT_EQ(packed.status.code(), ErrorCode::kDamaged);
  EXPECT_THAT(packed.status.message(), HasSubstr("does not begin with its header"));
}

TEST(PackTest, AFileThatGrowsMeanwhileIsRefused) {
  const std::string bytes = ARecording(10, false);
  int opened = 0;
  std::string out;
  StringSink sink(out);
  const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
    const std::string grown = ++opened == 1 ? bytes.substr(0, bytes.size() - 1) : bytes;
    return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(grown));
  };
  const auto result = capture::Pack(open, sink, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kRead);
  EXPECT_THAT(result.status().message(), HasSubstr("changed while it was read"));
}

TEST(PackTest, AFullDiskIsItsOwnError) {
  const std::string bytes = ARecording(1000);
  int failures = 0;
  for (int n = 0;; ++n) {
    std::string out;
    FailAtSink sink(out, {.first = n, .count = 1'000'000});
    const auto result = capture::Pack(Opener(bytes), sink, {.chunk_bytes = 4096});
    if (result.ok()) break;
    ++failures;
    EXPECT_EQ(result.status().code(), ErrorCode::kWrite);
    EXPECT_THAT(result.status().message(), EndsWith("No space left on device"));
  }
  EXPECT_GT(failures, 5);
}

TEST(PackFileTest, TheFileIsReplacedByASmallerOne) {
  const TemporaryFolder folder("pack");
  const std::string before = ARecording(100);
  const std::string path = folder.File("a.dstap", before);
  const auto result = capture::PackFile(path, {});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(folder.Read("a.dstap") == Pack(before).bytes);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
}

TEST(PackFileTest, ASiblingThatAKilledRunLeftIsOverwritten) {
  const TemporaryFolder folder("pack");
  const std::string path = folder.File("a.dstap", ARecording(10));
  folder.File("a.dstap.part", std::string(1'000'000, 'x'));
  ASSERT_TRUE(capture::PackFile(path, {}).ok());
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
  EXPECT_TRUE(folder.Read("a.dstap") == Pack(ARecording(10)).bytes);
}

TEST(PackFileTest, ALinkStaysAndItsTargetIsReplacedWithItsPermissions) {
  const TemporaryFolder folder("pack");
  const std::string path = folder.File("a.dstap", ARecording(10));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  fs::create_symlink("a.dstap", folder.Path("link.dstap"));
  ASSERT_TRUE(capture::PackFile(folder.Path("link.dstap"), {}).ok());
  EXPECT_TRUE(fs::is_symlink(folder.Path("link.dstap")));
  EXPECT_TRUE(folder.Read("a.dstap") == Pack(ARecording(10)).bytes);
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0640));
}

TEST(PackFileTest, AFileThatIsBeingRecordedIsRefusedUnlessTheCallerRecordsIt) {
  const TemporaryFolder folder("pack");
  const std::string before = ARecording(10);
  const std::string path = folder.File("a.dstap", before);
  const int fd = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  const auto refused = capture::PackFile(path, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kWrite);
  EXPECT_THAT(refused.status().message(), HasSubstr("is writing it"));
  EXPECT_TRUE(folder.Read("a.dstap") == before);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
  EXPECT_TRUE(capture::PackFile(path, {.is_locked = true}).ok());
  ::close(fd);
}

TEST(PackFileTest, WhatIsNoRegularFileIsRefused) {
  const TemporaryFolder folder("pack");
  ASSERT_EQ(::mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  const auto result = capture::PackFile(folder.Path("pipe"), {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message(), HasSubstr("is not a regular file"));
}

TEST(PackFileTest, AfterAnErrorTheFileIsAsItWasAndNothingIsLeftBeside) {
  const TemporaryFolder folder("pack");
  std::string bytes = ARecording(10);
  bytes[bytes.size() / 2] ^= 1;
  const std::string path = folder.File("a.dstap", bytes);
  const auto result = capture::PackFile(path, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message().rfind(path + ": ", 0), 0U);
  EXPECT_TRUE(folder.Read("a.dstap") == bytes);
  EXPECT_THAT(folder.Names(), ElementsAre("a.dstap"));
}

TEST(PackFileTest, AMissingFileIsNamed) {
  const TemporaryFolder folder("pack");
  const auto result = capture::PackFile(folder.Path("none.dstap"), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kNotFound);
  EXPECT_THAT(folder.Names(), IsEmpty());
}

}  // namespace
}  // namespace dstap::test
