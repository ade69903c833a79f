// Files that are cut, flipped, spliced, or not captures at all.
#include "proto/capture/capture_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "proto/capture/resync.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::DefectId;
using capture::Ending;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using std::chrono_literals::operator""s;

constexpr auto kStop = CaptureReader::OnDamage::kStop;
constexpr auto kSkip = CaptureReader::OnDamage::kSkip;

// A closed capture small enough to walk bit by bit: header; source and calls 1, 2; call 3; End.
std::string Small(v1::Codec codec = v1::CODEC_NONE) {
  std::string bytes;
  CaptureWriter::Options options;
  options.codec = codec;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader(), options);
  writer->AddRow(Time(0), ASource(1));
  writer->Add(ACall(1));
  writer->Add(ACall(2));
  EXPECT_TRUE(writer->Commit().ok());
  writer->Add(ACall(3));
  EXPECT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
  return bytes;
}

// Where each chunk's first byte is, by the reader's own account, and the file's end.
std::vector<size_t> ChunkOffsets(const std::string& bytes) {
  std::set<size_t> offsets;
  for (const OwnedRecord& record : ReadCapture(bytes).records) offsets.insert(record.chunk_offset);
  std::vector<size_t> out(offsets.begin(), offsets.end());
  out.push_back(bytes.size());
  return out;
}

bool IsOneOf(const OwnedRecord& record, const ReadResult& whole) {
  for (const OwnedRecord& other : whole.records) {
    if (record.is_call != other.is_call) continue;
    if (record.is_call ? SameCall(record.call, other.call)
                       : record.row.SerializeAsString() == other.row.SerializeAsString()) {
      return true;
    }
  }
  return false;
}

TEST(CaptureReaderTest, EveryPrefixOfAGoodCaptureIsUnfinishedAndNothingWorse) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    const std::string whole = Small(codec);
    const std::vector<size_t> offsets = ChunkOffsets(whole);
    for (size_t n = 1; n < whole.size(); ++n) {
      SCOPED_TRACE(n);
      for (const auto mode : {kStop, kSkip}) {
        const ReadResult read = ReadCapture(whole.substr(0, n), mode);
        ASSERT_TRUE(read.ok()) << read.open.message() << read.end.message();
        EXPECT_EQ(read.ending, Ending::kUnfinished);
        EXPECT_THAT(read.skipped, IsEmpty());
        // The records of every whole chunk, and the rest is told.
        size_t good = n < 9 ? 0 : 9;
        for (const size_t offset : offsets) good = offset <= n ? std::max(good, offset) : good;
        EXPECT_EQ(read.torn_bytes, n - good);
      }
    }
  }
}

TEST(CaptureReaderTest, EveryFlippedBitIsNoticed) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    const std::string whole = Small(codec);
    const ReadResult good = ReadCapture(whole);
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      SCOPED_TRACE(bit);
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
      EXPECT_FALSE(ReadCapture(flipped, kStop).ok());
      const ReadResult read = ReadCapture(flipped, kSkip);
      ASSERT_TRUE(read.ok()) << read.open.message() << read.end.message();
      EXPECT_EQ(read.ending, Ending::kDamaged);
      EXPECT_FALSE(read.skipped.empty());
      for (const OwnedRecord& record : read.records) EXPECT_TRUE(IsOneOf(record, good));
      // One bit costs one chunk, wherever it is: each of the others has a row or a call.
      EXPECT_GE(read.records.size() + 3, good.records.size());
    }
  }
}

TEST(CaptureReaderTest, EveryMissingOrAddedByteIsNoticed) {
  const std::string whole = Small();
  const ReadResult good = ReadCapture(whole);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char* insert : {"", "\x09", "\xFF\xFF"}) {
      SCOPED_TRACE(at);
      std::string spliced = whole;
      spliced.replace(at, *insert == '\0' ? 1 : 0, insert);
      if (spliced == whole) continue;
      const ReadResult stopped = ReadCapture(spliced, kStop);
      EXPECT_TRUE(!stopped.ok() || stopped.ending != Ending::kClosed);
      const ReadResult read = ReadCapture(spliced, kSkip);
      EXPECT_TRUE(!read.ok() || read.ending != Ending::kClosed);
      for (const OwnedRecord& record : read.records) EXPECT_TRUE(IsOneOf(record, good));
    }
  }
}

TEST(CaptureReaderTest, SkipsAChunkWhoseChecksumFailsAndSaysWhere) {
  std::string bytes = Small();
  const std::vector<size_t> offsets = ChunkOffsets(bytes);
  bytes[offsets[2] - 1] ^= 1;  // The last byte of chunk 1.
  const ReadResult stopped = ReadCapture(bytes, kStop);
  EXPECT_EQ(stopped.end.code(), ErrorCode::kDamaged);
  EXPECT_THAT(stopped.end.message(), StartsWith("chunk 1 at byte " + std::to_string(offsets[1]) +
                                                " is damaged: its checksum is "));
  EXPECT_THAT(stopped.end.message(), HasSubstr("\"dstap verify FILE\" lists all"));

  const ReadResult read = ReadCapture(bytes, kSkip);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read.CallIds(), ElementsAre(3));
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].begin, offsets[1]);
  EXPECT_EQ(read.skipped[0].end, offsets[2]);
  EXPECT_EQ(read.skipped[0].chunk, 1U);
  EXPECT_EQ(read.skipped[0].defect, DefectId::kChecksum);
}

TEST(CaptureReaderTest, AWrongLengthCostsNoCallAtAll) {
  // In front of the sync, so the chunk itself is good and says how long it is.
  for (const int change : {1, -1, 40, -40}) {
    std::string bytes = Small();
    const size_t length = ChunkOffsets(bytes)[1] + 1;
    bytes[length] = static_cast<char>(bytes[length] + change);
    const ReadResult read = ReadCapture(bytes, kSkip);
    ASSERT_TRUE(read.ok());
    EXPECT_THAT(read.CallIds(), ElementsAre(1, 2, 3));
    EXPECT_EQ(read.ending, Ending::kDamaged);
    ASSERT_EQ(read.skipped.size(), 1U);
    EXPECT_LT(read.skipped[0].end - read.skipped[0].begin, 7U);
  }
}

TEST(CaptureReaderTest, AChunkCutOutOfTheMiddleIsMissed) {
  std::string bytes = Small();
  const std::vector<size_t> offsets = ChunkOffsets(bytes);
  bytes.erase(offsets[1], offsets[2] - offsets[1]);
  const ReadResult stopped = ReadCapture(bytes, kStop);
  EXPECT_EQ(stopped.end.code(), ErrorCode::kDamaged);
  EXPECT_THAT(stopped.end.message(), HasSubstr("chunk 1 is missing"));
  const ReadResult read = ReadCapture(bytes, kSkip);
  EXPECT_THAT(read.CallIds(), ElementsAre(3));
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].defect, DefectId::kMissingChunks);
}

TEST(CaptureReaderTest, AChunkThatStandsTwiceIsReadOnce) {
  std::string bytes = Small();
  const std::vector<size_t> offsets = ChunkOffsets(bytes);
  bytes.insert(offsets[2], bytes.substr(offsets[1], offsets[2] - offsets[1]));
  EXPECT_EQ(ReadCapture(bytes, kStop).end.code(), ErrorCode::kDamaged);
  const ReadResult read = ReadCapture(bytes, kSkip);
  EXPECT_THAT(read.CallIds(), ElementsAre(1, 2, 3));
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].defect, DefectId::kChunkOrder);
}

TEST(CaptureReaderTest, ALostMagicBetweenTwoCapturesCostsNothingElse) {
  const std::string one = Small();
  std::string bytes = one + one;
  bytes[one.size() + 3] ^= 0x20;
  const ReadResult read = ReadCapture(bytes, kSkip);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read.CallIds(), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_EQ(read.ending, Ending::kDamaged);
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].end - read.skipped[0].begin, 9U);
}

TEST(CaptureReaderTest, ACaptureInsideADamagedAttachmentIsNotReadAsPartOfTheFile) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader());
  writer->Add(ACall(8));
  ASSERT_TRUE(writer->Commit().ok());
  v1::Row row;
  row.mutable_attachment()->set_data(Small());
  writer->AddRow(Time(0), row);
  ASSERT_TRUE(writer->Commit().ok());
  const size_t attachment_end = bytes.size();
  writer->Add(ACall(9));
  ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
  bytes[attachment_end - 1] ^= 1;
  EXPECT_THAT(ReadCapture(bytes, kSkip).CallIds(), ElementsAre(8, 9));
}

TEST(CaptureReaderTest, GarbageBetweenTwoChunksIsPassedOver) {
  std::string bytes = Small();
  const std::vector<size_t> offsets = ChunkOffsets(bytes);
  // Longer than the reader's scan step, with false starts in it.
  std::string garbage(3'000'000, 'x');
  for (size_t i = 0; i + 20 < garbage.size(); i += 100'000) {
    garbage.replace(i, 9, capture::SyncBytes());
    garbage.replace(i + 9, 9, capture::MagicBytes());
  }
  bytes.insert(offsets[2], garbage);
  const ReadResult read = ReadCapture(bytes, kSkip);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_THAT(read.CallIds(), ElementsAre(1, 2, 3));
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].begin, offsets[2]);
  EXPECT_EQ(read.skipped[0].end, offsets[2] + garbage.size());
}

TEST(ScanTest, HashingOfFalseStartsHasABudget) {
  // 1,000 bytes of body behind a start whose checksum is wrong, then a good chunk of 100 bytes.
  std::string wrong = AChunk(5, std::string(1000, 'x'));
  wrong.back() = 'y';
  const std::string view = wrong + AChunk(6, std::string(100, 'x'));
  capture::ScanBudget budget{.bytes = 5000};
  const capture::ScanResult result = capture::ScanForItem(view, 1, true, budget);
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.at, wrong.size());
  const size_t sync_at = view.rfind(capture::SyncBytes());
  EXPECT_EQ(budget.bytes, 5000 + (sync_at - 1) * capture::ScanBudget::kPerByte - 1000 - 100);
}

TEST(ScanTest, AStartThatTheBudgetDoesNotCoverIsNotTried) {
  const std::string view = "?" + AChunk(6, std::string(10'000, 'x'));
  // Scanning up to the sync, behind the question mark, tag and length, earns 3 times kPerByte.
  const uint64_t earned = 3 * capture::ScanBudget::kPerByte;
  capture::ScanBudget short_of_one{.bytes = 10'000 - earned - 1};
  EXPECT_FALSE(capture::ScanForItem(view, 1, true, short_of_one).found);
  capture::ScanBudget enough{.bytes = 10'000 - earned};
  EXPECT_TRUE(capture::ScanForItem(view, 1, true, enough).found);
  EXPECT_EQ(enough.bytes, 0U);
}

TEST(CaptureReaderTest, WhatIsNoCaptureIsToldInOneLine) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "is not a dstap capture: it is empty"},
      {"hello, world, how are you\n",
       "is not a dstap capture: it begins with \"hello, world, ho\""},
      {std::string("PK\x03\x04") + std::string(40, 'x'), "is not a dstap capture: it is a zip"},
      {"\x1F\x8B\x08", "is not a dstap capture: it is compressed by gzip"},
      {"\x09\x8A"
       "dstap\n rest of it",
       "line ends were converted"},
      {"\x09\x0A"
       "dstap\r\n rest of it",
       "7-bit"},
      {"\x1B[2J\xFF", "begins with \"\\x1b[2J\\xff\""},
  };
  for (const auto& [bytes, words] : cases) {
    for (const auto mode : {kStop, kSkip}) {
      const ReadResult read = ReadCapture(bytes, mode);
      EXPECT_EQ(read.open.code(), ErrorCode::kDamaged);
      EXPECT_THAT(read.open.message(), HasSubstr(words));
      EXPECT_EQ(read.open.message().find('\n'), std::string::npos);
    }
  }
}

TEST(CaptureReaderTest, AReadErrorIsPassedOnAndComesAgain) {
  const std::string bytes = Small();
  for (size_t at = 0; at < bytes.size(); ++at) {
    const ReadResult read = ReadCapture(std::make_unique<PieceSource>(bytes, 64, at), kSkip);
    EXPECT_EQ((read.open.ok() ? read.end : read.open).code(), ErrorCode::kRead) << at;
  }
}

TEST(CaptureReaderTest, ANewerFormatIsRefusedWithAWayOut) {
  const ReadResult read = ReadCapture(ACaptureOf({}, 2), kSkip);
  EXPECT_EQ(read.end.code(), ErrorCode::kUnsupported);
  EXPECT_EQ(read.end.message(),
            "chunk 0 at byte 9: the recording has format version 2; dstap " DSTAP_VERSION
            " reads version 1; update dstap");
}

TEST(CaptureReaderTest, ANewerFormatNamesWhatWroteIt) {
  v1::Records head;
  head.set_tick_ns(1000);
  v1::Header& header = *head.add_row()->mutable_header();
  header.set_format_version(3);
  header.set_tool("dstap");
  header.set_tool_version("2.1.0\n");
  const ReadResult read =
      ReadCapture(std::string(capture::MagicBytes()) + AChunk(0, head.SerializeAsString()), kSkip);
  EXPECT_THAT(read.end.message(),
              HasSubstr("the recording has format version 3, written by dstap 2.1.0\\n; dstap "));
}

TEST(CaptureReaderTest, AnUnknownCodecIsRefusedOnlyWhenItsChecksumHolds) {
  std::string bytes = Small();
  bytes += AChunk(4, "abc", [](capture::ChunkFrame& f) { f.codec = static_cast<v1::Codec>(3); });
  for (const auto mode : {kStop, kSkip}) {
    const ReadResult read = ReadCapture(bytes, mode);
    EXPECT_EQ(read.end.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(read.end.message(), HasSubstr("codec 3"));
  }
  bytes.back() = 'x';
  EXPECT_EQ(ReadCapture(bytes, kStop).end.code(), ErrorCode::kDamaged);
}

TEST(CaptureReaderTest, UnknownFieldsArePassedOverAndCountedAlsoNestedOnes) {
  const auto add_to = [](google::protobuf::Message& message) {
    message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 1);
  };
  v1::Records records;
  records.set_tick_ns(1000);
  add_to(records);
  v1::Row& row = *records.add_row();
  *row.mutable_source() = ASource(1).source();
  add_to(row);
  add_to(*row.mutable_source());
  add_to(*row.mutable_source()->mutable_library());
  v1::Calls& calls = *records.mutable_calls();
  calls.set_count(1);
  calls.add_id_delta(5);
  calls.add_list(1);
  add_to(*calls.add_list_arguments());
  add_to(calls);
  const ReadResult read = ReadCapture(ACaptureOf({records}));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_THAT(read.CallIds(), ElementsAre(5));
  EXPECT_EQ(read.unknown_fields, 6U);
}

TEST(CaptureReaderTest, UnknownFieldsOfAChunkBehindAndBeforeItsBodyAreCounted) {
  v1::Records records;
  records.set_tick_ns(1);
  records.mutable_calls()->set_count(1);
  records.mutable_calls()->add_id_delta(5);
  const std::string body = records.SerializeAsString();
  const std::string good = ACaptureOf({records});
  const std::string framed = AChunk(1, body);
  // 0xF8 0x3E is the tag of field 1007 with a varint.
  const std::string unknown = "\xF8\x3E\x01";
  std::string behind = framed + unknown;
  behind[1] = static_cast<char>(behind[1] + 3);
  std::string before = framed;
  before.insert(framed.size() - body.size() - 2, unknown);
  before[1] = static_cast<char>(before[1] + 3);
  for (const std::string& chunk : {behind, before}) {
    const ReadResult read = ReadCapture(good.substr(0, good.size() - framed.size()) + chunk);
    ASSERT_TRUE(read.ok()) << read.end.message();
    EXPECT_THAT(read.CallIds(), ElementsAre(5));
    EXPECT_EQ(read.unknown_fields, 1U);
  }
}

TEST(CaptureReaderTest, AnEndThatCountsOtherRecordsThanStandThereIsDamage) {
  v1::Records records;
  records.set_tick_ns(1000);
  records.add_row()->mutable_end()->set_rows(2);  // One row stands before it.
  const ReadResult stopped = ReadCapture(ACaptureOf({records}), kStop);
  EXPECT_EQ(stopped.end.code(), ErrorCode::kDamaged);
  EXPECT_THAT(stopped.end.message(), HasSubstr("2 rows"));
  const ReadResult read = ReadCapture(ACaptureOf({records}), kSkip);
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].defect, DefectId::kEndTotals);
  records.mutable_row(0)->mutable_end()->set_rows(1);
  EXPECT_EQ(ReadCapture(ACaptureOf({records})).ending, Ending::kClosed);
}

TEST(CaptureReaderTest, RecordsBehindTheEndAreDamageButForAnIndex) {
  v1::Records end;
  end.set_tick_ns(1000);
  end.add_row()->mutable_end()->set_rows(1);
  end.add_row()->mutable_index();
  EXPECT_EQ(ReadCapture(ACaptureOf({end})).ending, Ending::kClosed);
  v1::Records more;
  more.set_tick_ns(1000);
  more.add_row()->mutable_comment();
  EXPECT_EQ(ReadCapture(ACaptureOf({end, more}), kStop).end.code(), ErrorCode::kDamaged);
  const ReadResult read = ReadCapture(ACaptureOf({end, more}), kSkip);
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].defect, DefectId::kAfterEnd);
}

TEST(CaptureReaderTest, OnlySoManySkippedRangesAreKeptAndTheLastCoversTheRest) {
  // Each chunk says one sequence more than it should, so each is a gap of its own.
  v1::Records records;
  records.set_tick_ns(1);
  std::string bytes = ACaptureOf({});
  const size_t damaged = CaptureReader::kSkippedMax + 5;
  for (size_t i = 0; i < damaged; ++i) bytes += AChunk(2 * i + 2, records.SerializeAsString());
  const ReadResult read = ReadCapture(bytes, kSkip);
  EXPECT_EQ(read.skipped.size(), CaptureReader::kSkippedMax);
  EXPECT_THAT(read.skipped.back().why, HasSubstr("all damage that follows"));
}

}  // namespace
}  // namespace dstap::test
