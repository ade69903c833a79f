// What `dstap recover` keeps, what it says of the rest, and that it is sure of what it wrote.
#include "proto/capture/recover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/capture/capture_text.h"
#include "proto/capture/validate.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::DefectId;
using capture::DefectSeverity;
using capture::Ending;
using capture::Recovery;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::chrono_literals::operator""s;

constexpr auto kSkip = CaptureReader::OnDamage::kSkip;

// Header; source and calls 1, 2; call 3 in flight; calls 4, 5; End. A chunk each.
std::string Small(v1::Codec codec = v1::CODEC_NONE) {
  std::string bytes;
  CaptureWriter::Options options;
  options.codec = codec;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader(), options);
  writer->AddRow(Time(0), ASource(1));
  writer->Add(ACall(1));
  writer->Add(ACall(2));
  EXPECT_TRUE(writer->Commit().ok());
  writer->Add(AnOpenCall(3));
  EXPECT_TRUE(writer->Commit().ok());
  writer->Add(ACall(4));
  writer->Add(ACall(5));
  EXPECT_TRUE(writer->Close(Time(9s), v1::END_REASON_SIGNAL, "SIGTERM").ok());
  return bytes;
}

struct Recovered {
  Status status;
  Recovery recovery;
  std::string bytes;
};

Recovered RecoverBytes(const std::string& bytes) {
  Recovered out;
  auto reader = CaptureReader::Open(std::make_unique<MemorySource>(bytes), kSkip);
  out.status = reader.status();
  if (!reader.ok()) return out;
  StringSink sink(out.bytes);
  auto recovery = Recover(*reader, sink);
  out.status = recovery.status();
  if (!recovery.ok()) return out;
  out.recovery = *std::move(recovery);
  const Status read_back = CheckRecovered(std::make_unique<MemorySource>(out.bytes), out.recovery);
  EXPECT_TRUE(read_back.ok()) << read_back.message();
  return out;
}

bool IsAddedByRecover(const v1::Row& row) {
  return row.loss().reason() == v1::LOSS_REASON_DAMAGE ||
         row.comment().text().starts_with("Recovered by dstap");
}

// What a capture holds, without what belongs to the file: End, Index, and a Header that says
// nothing.
std::deque<const OwnedRecord*> Contents(const ReadResult& read, bool with_added) {
  std::deque<const OwnedRecord*> out;
  for (const OwnedRecord& record : read.records) {
    if (record.row.has_end() || record.row.has_index()) continue;
    if (record.row.has_header() && record.row.header().clock() == v1::CLOCK_KIND_UNKNOWN) continue;
    if (!record.is_call && !with_added && IsAddedByRecover(record.row)) continue;
    out.push_back(&record);
  }
  return out;
}

void ExpectSameContents(const ReadResult& damaged, const ReadResult& recovered) {
  const auto before = Contents(damaged, true);
  const auto after = Contents(recovered, false);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(before[i]->is_call, after[i]->is_call);
    if (before[i]->is_call) {
      EXPECT_TRUE(SameCall(before[i]->call, after[i]->call));
    } else {
      EXPECT_EQ(before[i]->time, after[i]->time);
      v1::Header header = after[i]->row.header();  // What a writer fills in.
      if (!before[i]->row.has_header()) {
        EXPECT_EQ(before[i]->row.SerializeAsString(), after[i]->row.SerializeAsString());
      } else {
        EXPECT_EQ(before[i]->row.header().title(), header.title());
        EXPECT_EQ(before[i]->row.header().seed(), header.seed());
      }
    }
  }
}

// Closed, and nothing worse than a loss is in it.
void ExpectGood(const std::string& bytes) {
  auto reader = CaptureReader::Open(std::make_unique<MemorySource>(bytes), kSkip);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  const auto verdict = Validate(*reader, [](const capture::Defect& defect) {
    const DefectSeverity severity = capture::InfoOf(defect.id).severity;
    EXPECT_TRUE(severity == DefectSeverity::kLoss || severity == DefectSeverity::kNote)
        << capture::InfoOf(defect.id).name << ": " << defect.detail;
  });
  ASSERT_TRUE(verdict.ok()) << verdict.status().message();
  EXPECT_EQ(verdict->ending, Ending::kClosed);
}

// Recovers `bytes` and holds it against what a reader that skips damage gives.
void ExpectRecovers(const std::string& bytes) {
  const ReadResult damaged = ReadCapture(bytes, kSkip);
  const Recovered recovered = RecoverBytes(bytes);
  if (damaged.records.empty()) {
    EXPECT_EQ(recovered.status.code(), ErrorCode::kDamaged);
    return;
  }
  ASSERT_TRUE(recovered.status.ok()) << recovered.status.message();
  ExpectGood(recovered.bytes);
  ExpectSameContents(damaged, ReadCapture(recovered.bytes));
}

std::vector<v1::Row> RowsOf(const std::string& bytes, v1::Row::KindCase kind) {
  std::vector<v1::Row> rows;
  for (const OwnedRecord& record : ReadCapture(bytes).records) {
    if (!record.is_call && record.row.kind_case() == kind) rows.push_back(record.row);
  }
  return rows;
}

std::vector<std::string> LossTexts(const std::string& bytes) {
  std::vector<std::string> texts;
  for (const v1::Row& row : RowsOf(bytes, v1::Row::kLoss)) texts.push_back(row.loss().text());
  return texts;
}

uint64_t OffsetOfChunk(const std::string& bytes, uint64_t sequence) {
  for (const OwnedRecord& record : ReadCapture(bytes).records) {
    if (record.chunk_sequence == sequence) return record.chunk_offset;
  }
  ADD_FAILURE() << "no chunk " << sequence;
  return 0;
}

// `bytes` with a bit flipped near the end of chunk `sequence`.
std::string WithBadChunk(std::string bytes, uint64_t sequence) {
  bytes[OffsetOfChunk(bytes, sequence + 1) - 2] ^= 1;
  return bytes;
}

TEST(RecoverTest, EveryCutGivesAClosedCaptureOfWhatIsWhole) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    const std::string whole = Small(codec);
    for (size_t n = 1; n <= whole.size(); ++n) {
      SCOPED_TRACE(n);
      ExpectRecovers(whole.substr(0, n));
    }
  }
}

TEST(RecoverTest, FlippedBitsGiveAClosedCaptureOfWhatASkippingReaderReads) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    const std::string whole = Small(codec);
    for (size_t bit = 0; bit < 8 * whole.size(); bit += 7) {
      SCOPED_TRACE(bit);
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
      ExpectRecovers(flipped);
    }
  }
}

TEST(RecoverTest, FlippedBitsOfTwoRecordingsKeepThemTwo) {
  const std::string one = Small();
  const std::string whole = one + one;
  for (size_t bit = 8 * one.size() - 400; bit < 8 * one.size() + 1600; bit += 3) {
    SCOPED_TRACE(bit);
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ExpectRecovers(flipped);
    EXPECT_EQ(RecoverBytes(flipped).recovery.recordings, 2U);
  }
}

TEST(RecoverTest, AWholeCaptureKeepsItsRecordsAndGetsNoRemark) {
  const Recovered recovered = RecoverBytes(Small() + Small(v1::CODEC_ZSTD));
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_TRUE(recovered.recovery.nothing_was_lost());
  EXPECT_EQ(recovered.recovery.recordings, 2U);
  EXPECT_EQ(recovered.recovery.rows_added, 0U);
  EXPECT_THAT(LossTexts(recovered.bytes), IsEmpty());
  const auto ends = RowsOf(recovered.bytes, v1::Row::kEnd);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].end().reason(), v1::END_REASON_SIGNAL);
  EXPECT_EQ(ends[0].end().text(), "SIGTERM");
}

TEST(RecoverTest, AnUnfinishedCaptureIsClosedAndSaysThatItWasNot) {
  const std::string whole = Small();
  const Recovered recovered = RecoverBytes(whole.substr(0, OffsetOfChunk(whole, 3) + 5));
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.was, Ending::kUnfinished);
  EXPECT_EQ(recovered.recovery.torn_bytes, 5U);
  EXPECT_EQ(recovered.recovery.calls, 3U);
  EXPECT_FALSE(recovered.recovery.nothing_was_lost());
  const auto ends = RowsOf(recovered.bytes, v1::Row::kEnd);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].end().reason(), v1::END_REASON_RECOVERED);
  EXPECT_EQ(ends[0].end().calls(), 3U);
  EXPECT_EQ(ends[0].end().calls_in_flight(), 1U);
  EXPECT_THAT(LossTexts(recovered.bytes), IsEmpty());
  const auto comments = RowsOf(recovered.bytes, v1::Row::kComment);
  ASSERT_EQ(comments.size(), 1U);
  EXPECT_EQ(comments[0].comment().text(),
            "Recovered by dstap " DSTAP_VERSION ": there was no End row.");
}

TEST(RecoverTest, WhatADamagedChunkHeldIsCountedByTheEndRow) {
  const std::string bytes = WithBadChunk(Small(), 1);  // A source and two calls.
  const uint64_t at = OffsetOfChunk(Small(), 1);
  const uint64_t end = OffsetOfChunk(Small(), 2);
  const Recovered recovered = RecoverBytes(bytes);
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.calls_lost, 2U);
  EXPECT_EQ(recovered.recovery.rows_lost, 1U);
  EXPECT_EQ(recovered.recovery.places_not_counted, 0U);
  EXPECT_THAT(LossTexts(recovered.bytes),
              ElementsAre("chunk 1, bytes " + std::to_string(at) + " to " +
                              std::to_string(end - 1) + " of the damaged file (checksum)",
                          "counted by the End row of the damaged file"));
  const v1::End closed = RowsOf(recovered.bytes, v1::Row::kEnd).at(0).end();
  EXPECT_EQ(closed.reason(), v1::END_REASON_SIGNAL);
  EXPECT_EQ(closed.calls(), 3U);
  EXPECT_EQ(closed.calls_lost(), 2U);
  EXPECT_EQ(closed.rows_lost(), 1U);
  // The row stands where the records stood: behind the Header, in front of call 3.
  const ReadResult read = ReadCapture(recovered.bytes);
  EXPECT_TRUE(read.records[1].row.has_loss());
  EXPECT_EQ(read.records[2].call.id, 3U);
}

TEST(RecoverTest, WithoutAnEndRowNobodyKnowsHowMuchIsLost) {
  const std::string bytes = WithBadChunk(Small(), 1).substr(0, OffsetOfChunk(Small(), 3));
  const Recovered recovered = RecoverBytes(bytes);
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.calls_lost, 0U);
  EXPECT_EQ(recovered.recovery.places_not_counted, 1U);
  EXPECT_EQ(LossTexts(recovered.bytes).size(), 1U);
}

TEST(RecoverTest, ALossThatStoodInALostChunkStaysCounted) {
  const auto text = [](const char* more) {
    return capture::FromText(std::string("record { header { clock: CLOCK_KIND_WALL } }") + more);
  };
  // FromText makes one chunk of all, so the parts are put together here.
  const std::string loss = *text("record { loss { reason: LOSS_REASON_WRITE calls: 5 rows: 2 } }");
  v1::Capture capture;
  ASSERT_TRUE(capture.ParseFromString(loss));
  v1::Records end;
  end.set_tick_ns(1000);
  end.add_row()->mutable_end()->set_rows(2);
  end.mutable_row(0)->mutable_end()->set_calls_lost(5);
  end.mutable_row(0)->mutable_end()->set_rows_lost(2);
  std::string bytes = loss + AChunk(2, end.SerializeAsString());
  ASSERT_EQ(ReadCapture(bytes).ending, Ending::kClosed);
  bytes[loss.size() - 1] ^= 1;
  const Recovered recovered = RecoverBytes(bytes);
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.calls_lost, 5U);
  EXPECT_EQ(recovered.recovery.rows_lost, 3U);
}

TEST(RecoverTest, ALengthThatWasWrongCostsNothingAndIsMentioned) {
  std::string bytes = Small();
  bytes[OffsetOfChunk(bytes, 1) + 1] ^= 2;
  const Recovered recovered = RecoverBytes(bytes);
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_THAT(LossTexts(recovered.bytes), IsEmpty());
  EXPECT_THAT(RowsOf(recovered.bytes, v1::Row::kComment).at(0).comment().text(),
              HasSubstr("1 damaged place passed over"));
}

TEST(RecoverTest, ALostHeaderIsReplacedByOneThatClaimsNothing) {
  const Recovered recovered = RecoverBytes(WithBadChunk(Small(), 0));
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.recordings_without_header, 1U);
  const v1::Header header = RowsOf(recovered.bytes, v1::Row::kHeader).at(0).header();
  EXPECT_EQ(header.clock(), v1::CLOCK_KIND_UNKNOWN);
  EXPECT_FALSE(header.has_seed());
  EXPECT_THAT(LossTexts(recovered.bytes).at(0), HasSubstr("all before chunk 1, bytes 9 to "));
  EXPECT_THAT(RowsOf(recovered.bytes, v1::Row::kComment).at(0).comment().text(),
              HasSubstr("there was no Header, clock, rules and seed are unknown"));
}

TEST(RecoverTest, ARecordingOfWhichNothingIsGoodIsCounted) {
  std::string bytes = Small();
  bytes += Small().substr(0, OffsetOfChunk(Small(), 1));
  bytes[bytes.size() - 1] ^= 1;
  const Recovered recovered = RecoverBytes(bytes);
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.recordings, 1U);
  EXPECT_EQ(recovered.recovery.recordings_without_records, 1U);
  // The other one is whole.
  EXPECT_THAT(LossTexts(recovered.bytes), IsEmpty());
}

TEST(RecoverTest, ARowThatFitsIntoNoChunkOfOursIsCountedAsLost) {
  v1::Records large;
  large.set_tick_ns(1000);
  large.add_row()->mutable_comment()->set_text(std::string(capture::kChunkBytesMax - 40, 'x'));
  ASSERT_LE(large.ByteSizeLong(), capture::kChunkBytesMax);
  v1::Records end;
  end.set_tick_ns(1000);
  end.add_row()->mutable_end()->set_rows(2);
  const Recovered recovered = RecoverBytes(ACaptureOf({large, end}));
  ASSERT_TRUE(recovered.status.ok()) << recovered.status.message();
  EXPECT_EQ(recovered.recovery.records_too_large, 1U);
  EXPECT_FALSE(recovered.recovery.nothing_was_lost());
  EXPECT_EQ(RowsOf(recovered.bytes, v1::Row::kEnd).at(0).end().rows_lost(), 1U);
}

TEST(RecoverTest, TimesStayExactInTheUnitOfTheFirstChunk) {
  const std::string bytes = *capture::FromText(
      "record { header {} } record { call { id: 1 issued_ns: 1234567 outcome: OUTCOME_OK } }");
  const Recovered recovered = RecoverBytes(bytes);
  EXPECT_EQ(recovered.recovery.records_rounded, 0U);
  EXPECT_EQ(ReadCapture(recovered.bytes).records.at(1).call.issued.count(), 1'234'567);
}

TEST(RecoverTest, ALaterChunkOfAFinerUnitIsRoundedAndThatIsSaid) {
  v1::Records fine;
  fine.set_tick_ns(1);
  fine.set_base_ticks(1'234'567);
  *fine.add_row() = AComment("x");
  const Recovered recovered = RecoverBytes(ACaptureOf({fine}));
  ASSERT_TRUE(recovered.status.ok());
  EXPECT_EQ(recovered.recovery.records_rounded, 1U);
  EXPECT_EQ(ReadCapture(recovered.bytes).records.at(1).time.count(), 1'235'000);
}

TEST(RecoverTest, ANewerFormatIsLeftToANewerDstap) {
  EXPECT_EQ(RecoverBytes(Small() + ACaptureOf({}, 2)).status.code(), ErrorCode::kUnsupported);
}

TEST(RecoverTest, ADiskThatFailsAtAnyWriteFailsTheRecovery) {
  const std::string damaged = WithBadChunk(Small(), 1) + Small();
  for (int n = 0;; ++n) {
    SCOPED_TRACE(n);
    auto reader = CaptureReader::Open(std::make_unique<MemorySource>(damaged), kSkip);
    std::string bytes;
    FailAtSink sink(bytes, {.first = n});
    const auto recovery = Recover(*reader, sink);
    if (recovery.ok()) {
      EXPECT_GT(n, 4);
      break;
    }
    EXPECT_EQ(recovery.status().code(), ErrorCode::kWrite);
    EXPECT_EQ(recovery.status().message().find("recording goes on"), std::string::npos);
  }
}

TEST(RecoverTest, EveryFlippedBitOfWhatWasWrittenIsSeenWhenItIsReadAgain) {
  const Recovered recovered = RecoverBytes(WithBadChunk(Small(), 1));
  for (size_t bit = 0; bit < 8 * recovered.bytes.size(); bit += 5) {
    std::string flipped = recovered.bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const Status status =
        CheckRecovered(std::make_unique<MemorySource>(flipped), recovered.recovery);
    EXPECT_EQ(status.code(), ErrorCode::kWrite) << bit;
  }
  for (const std::string& other : {Small(), recovered.bytes + recovered.bytes, std::string("x")}) {
    EXPECT_FALSE(CheckRecovered(std::make_unique<MemorySource>(other), recovered.recovery).ok());
  }
}

}  // namespace
}  // namespace dstap::test
