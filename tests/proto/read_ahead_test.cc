// Whole chunks, read here or on another thread, hold what record by record is read.
#include "proto/capture/read_ahead.h"

#include <gtest/gtest.h>

#include "proto/capture/chunk_frame.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::ReadAhead;
using capture::ReadOn;

// Enough small chunks that a reader ahead has to wait; every seventh call has a record in flight.
std::string ManyChunks(uint64_t chunks, v1::Codec codec = v1::CODEC_NONE) {
  std::string bytes;
  CaptureWriter::Options options;
  options.codec = codec;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader(), options);
  for (uint64_t id = 1; id <= 3 * chunks; ++id) {
    if (id % 5 == 0) writer->AddRow(Time(0), AComment("five"));
    if (id % 7 == 0) writer->Add(AnOpenCall(id));
    if (id % 49 != 0) writer->Add(ACall(id));
    if (id % 3 != 0) continue;
    EXPECT_TRUE(writer->Commit().ok()) << id;
  }
  EXPECT_TRUE(writer->Close(Time(0), v1::END_REASON_CLOSED).ok());
  return bytes;
}

// What there is to say of a file, the records as text.
struct Told {
  std::vector<std::string> records;
  std::string error;
  capture::Ending ending = capture::Ending::kClosed;
  std::vector<std::string> skipped;
  uint64_t torn_bytes = 0;

  void Add(const capture::Record& record) {
    records.push_back(record.call != nullptr
                          ? std::to_string(record.call->id) + ' ' + std::string(record.call->key) +
                                ' ' + std::to_string(record.call->outcome)
                          : record.row->SerializeAsString());
  }
  void EndWith(const CaptureReader& reader) {
    ending = reader.ending();
    torn_bytes = reader.torn_bytes();
    for (const capture::SkippedRange& range : reader.skipped()) {
      skipped.push_back(std::to_string(range.begin) + ' ' + range.why);
    }
  }
  friend bool operator==(const Told&, const Told&) = default;
};

Result<CaptureReader> Open(const std::string& bytes) {
  return CaptureReader::Open(std::make_unique<MemorySource>(bytes), CaptureReader::OnDamage::kSkip);
}

Told ByRecord(const std::string& bytes) {
  Told told;
  auto reader = Open(bytes);
  if (!reader.ok()) return {.error = reader.status().message()};
  for (;;) {
    const auto record = reader->Next();
    if (!record.ok()) told.error = record.status().message();
    if (!record.ok() || !*record) break;
    told.Add(**record);
  }
  told.EndWith(*reader);
  return told;
}

Told ByChunk(const std::string& bytes, ReadOn read_on) {
  Told told;
  auto reader = Open(bytes);
  if (!reader.ok()) return {.error = reader.status().message()};
  ReadAhead chunks(*std::move(reader), read_on);
  for (;;) {
    const auto chunk = chunks.Next();
    if (!chunk.ok()) told.error = chunk.status().message();
    if (!chunk.ok() || *chunk == nullptr) break;
    capture::Record record;
    while ((*chunk)->records().Next(record)) told.Add(record);
  }
  told.EndWith(chunks.reader());
  return told;
}

void ExpectTheSameEveryWay(const std::string& bytes) {
  const Told told = ByRecord(bytes);
  for (const ReadOn read_on : {ReadOn::kThisThread, ReadOn::kOneMoreThread}) {
    const Told other = ByChunk(bytes, read_on);
    EXPECT_EQ(other.records, told.records);
    EXPECT_EQ(other.error, told.error);
    EXPECT_EQ(other.ending, told.ending);
    EXPECT_EQ(other.skipped, told.skipped);
    EXPECT_EQ(other.torn_bytes, told.torn_bytes);
  }
}

TEST(ReadAheadTest, MoreChunksThanAreHeldGiveTheRecordsThatTheReaderGives) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    const std::string bytes = ManyChunks(5 * ReadAhead::kAheadChunks, codec);
    EXPECT_GT(ByRecord(bytes).records.size(), 15 * ReadAhead::kAheadChunks);
    ExpectTheSameEveryWay(bytes);
  }
}

TEST(ReadAheadTest, ChunksOfMoreThanMayBeHeldAreReadOneByOne) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader());
  for (uint64_t id = 1; id <= 4; ++id) {
    writer->AddRow(Time(0), AComment(std::string(ReadAhead::kAheadBytes + 1, 'c')));
    writer->Add(ACall(id));
    ASSERT_TRUE(writer->Commit().ok());
  }
  ASSERT_TRUE(writer->Close(Time(0), v1::END_REASON_CLOSED).ok());
  ExpectTheSameEveryWay(bytes);
}

TEST(ReadAheadTest, ACutOrDamagedFileIsToldTheSameEveryWay) {
  const std::string whole = ManyChunks(20);
  for (size_t n = 0; n < whole.size(); n += 97) {
    SCOPED_TRACE(n);
    ExpectTheSameEveryWay(whole.substr(0, n));
    std::string flipped = whole;
    flipped[n] = static_cast<char>(flipped[n] ^ 0x10);
    ExpectTheSameEveryWay(flipped);
  }
}

TEST(ReadAheadTest, CallsAndRowsBehindTheEndAreToldTheSameEveryWay) {
  const std::string whole = ManyChunks(3);
  const std::string more = ManyChunks(4);
  ExpectTheSameEveryWay(whole + more);
  // The second recording without its magic and first chunk: it goes on behind the first one's End.
  const size_t second = more.find(std::string(capture::SyncBytes()), 20 + 9);
  ASSERT_NE(second, std::string::npos);
  ExpectTheSameEveryWay(whole + more.substr(second - 3));
}

TEST(ReadAheadTest, WhoStopsLookingStopsTheReading) {
  const std::string bytes = ManyChunks(5 * ReadAhead::kAheadChunks);
  auto reader = Open(bytes);
  ASSERT_TRUE(reader.ok());
  ReadAhead chunks(*std::move(reader), ReadOn::kOneMoreThread);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(chunks.Next().ok());
}  // Its thread ends with it, though it would wait for room.

}  // namespace
}  // namespace dstap::test
