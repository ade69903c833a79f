// A capture of a few chunks, cut at every byte and with every bit flipped: what is read, what is
// said of the rest, and what it costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::Ending;
using capture::SkippedRange;
using ::testing::IsEmpty;
using std::chrono_literals::operator""s;

constexpr auto kSkip = CaptureReader::OnDamage::kSkip;

// What reading may hold, whatever a file of a few KiB claims: one chunk as stored and one
// decompressed, what is read ahead, and small change.
constexpr uint64_t kMemoryMax = 2 * capture::kChunkBytesMax + (uint64_t{1} << 20);

// Header; a source and six calls; a call in flight; rows; a call with every field, and its like;
// the open call's outcome; End.
std::string AFewChunks(v1::Codec codec) {
  std::string bytes;
  CaptureWriter::Options options;
  options.codec = codec;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader(), options);
  const auto commit = [&] { EXPECT_TRUE(writer->Commit().ok()); };
  writer->AddRow(Time(0), ASource(1));
  for (uint64_t id = 1; id <= 6; ++id) writer->Add(ACall(id));
  commit();
  writer->Add(AnOpenCall(7));
  commit();
  for (int i = 0; i < 4; ++i) writer->AddRow(Time(8s), AComment("a comment, as it is said again"));
  commit();
  writer->Add(AFullCall());
  writer->Add(ACall(78));
  commit();
  writer->Add(ACall(7));
  EXPECT_TRUE(writer->Close(Time(99s), v1::END_REASON_CLOSED).ok());
  return bytes;
}

struct Whole {
  explicit Whole(v1::Codec codec) : bytes(AFewChunks(codec)), read(ReadCapture(bytes)) {
    for (const OwnedRecord& record : read.records) {
      if (begins.empty() || begins.back() != record.chunk_offset) {
        begins.push_back(static_cast<size_t>(record.chunk_offset));
      }
    }
    begins.push_back(bytes.size());
  }
  // The chunk that byte `at` is in. -1: the magic.
  int ChunkOf(size_t at) const {
    int chunk = -1;
    while (at >= begins[static_cast<size_t>(chunk + 1)]) ++chunk;
    return chunk;
  }
  size_t Begin(int chunk) const { return chunk < 0 ? 0 : begins[static_cast<size_t>(chunk)]; }
  size_t End(int chunk) const { return begins[static_cast<size_t>(chunk + 1)]; }

  std::string bytes;
  ReadResult read;
  std::vector<size_t> begins;  // Of each chunk; and the file's end.
};

bool Same(const OwnedRecord& a, const OwnedRecord& b) {
  if (a.is_call != b.is_call) return false;
  return a.is_call ? SameCall(a.call, b.call)
                   : a.time == b.time && a.row.SerializeAsString() == b.row.SerializeAsString();
}

// The records of `whole` up to `end`, but for those of chunk `without` (-1: none).
bool HasTheOthers(const ReadResult& read, const Whole& whole, int without,
                  size_t end = std::string::npos) {
  size_t at = 0;
  for (const OwnedRecord& record : whole.read.records) {
    const int chunk = whole.ChunkOf(static_cast<size_t>(record.chunk_offset));
    if (chunk == without || whole.End(chunk) > end) continue;
    if (at == read.records.size() || !Same(record, read.records[at++])) return false;
  }
  return at == read.records.size();
}

class EveryByteTest : public testing::TestWithParam<v1::Codec> {};

TEST_P(EveryByteTest, CutAtAnyByteEveryWholeChunkIsReadAndTheRestIsCounted) {
  const Whole whole(GetParam());
  ASSERT_GT(whole.begins.size(), 6U);
  for (size_t n = 1; n < whole.bytes.size(); ++n) {
    SCOPED_TRACE(n);
    ResetPeakBytes();
    const ReadResult read = ReadCapture(whole.bytes.substr(0, n), kSkip);
    ASSERT_TRUE(read.ok()) << read.open.message() << read.end.message();
    EXPECT_EQ(read.ending, Ending::kUnfinished);
    EXPECT_THAT(read.skipped, IsEmpty());
    EXPECT_TRUE(HasTheOthers(read, whole, -1, n));
    const int chunk = whole.ChunkOf(n);
    EXPECT_EQ(read.torn_bytes, n - whole.Begin(chunk));
    EXPECT_LT(PeakBytes(), kMemoryMax);
  }
}

TEST_P(EveryByteTest, AFlippedBitCostsItsChunkAtMostAndItsPlaceIsNamed) {
  const Whole whole(GetParam());
  uint64_t chunks_lost = 0;
  for (size_t bit = 0; bit < 8 * whole.bytes.size(); ++bit) {
    SCOPED_TRACE(bit);
    std::string flipped = whole.bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    ResetPeakBytes();
    const ReadResult read = ReadCapture(std::move(flipped), kSkip);
    EXPECT_LT(PeakBytes(), kMemoryMax);
    ASSERT_TRUE(read.ok()) << read.open.message() << read.end.message();
    EXPECT_EQ(read.ending, Ending::kDamaged);

    const int chunk = whole.ChunkOf(bit / 8);
    ASSERT_EQ(read.skipped.size(), 1U);
    const SkippedRange& range = read.skipped[0];
    EXPECT_EQ(range.begin, whole.Begin(chunk));
    EXPECT_FALSE(range.why.empty());
    if (HasTheOthers(read, whole, -1)) {  // Only a length, or the magic.
      EXPECT_LE(range.end - range.begin, 9U);
      continue;
    }
    ++chunks_lost;
    ASSERT_TRUE(HasTheOthers(read, whole, chunk));
    EXPECT_EQ(range.end, whole.End(chunk));
    EXPECT_EQ(range.chunk, static_cast<uint64_t>(chunk)) << range.why;
  }
  // Nearly every bit is one of a body.
  EXPECT_GT(chunks_lost, 6 * whole.bytes.size());
}

TEST(CaptureDamageTest, EachOfTwoDamagedChunksInARowIsNamed) {
  const Whole whole(v1::CODEC_NONE);
  std::string bytes = whole.bytes;
  bytes[whole.begins[2] - 1] ^= 1;
  bytes[whole.begins[3] - 1] ^= 1;
  const ReadResult read = ReadCapture(bytes, kSkip);
  ASSERT_EQ(read.skipped.size(), 2U);
  EXPECT_EQ(read.skipped[0].chunk, 1U);
  EXPECT_EQ(read.skipped[1].chunk, 2U);
}

TEST(MemoryTest, AFewBytesThatClaimTheLargestChunkCostNoMoreThanOne) {
  // A chunk's length, and the length of a body of zeros that zstd makes small.
  const std::string zeros(capture::kChunkBytesMax, '\0');
  std::string small(capture::ZstdCompressor::Bound(zeros.size()), '\0');
  small.resize(*capture::ZstdCompressor(3).Compress(zeros, small.data()));
  const std::string bomb = ACaptureOf({}) + AChunk(1, small, [&](capture::ChunkFrame& frame) {
                             frame.codec = v1::CODEC_ZSTD;
                             frame.raw_size = static_cast<uint32_t>(zeros.size());
                           });
  // The file ends long before what its length claims, so nothing of that size is allocated.
  const std::string length = ACaptureOf({}) + "\x12\x80\x80\x80\x08" + std::string(50, '\0');
  const std::string files[] = {bomb, length};
  for (const std::string& bytes : files) {
    EXPECT_LT(bytes.size(), 4096U);
    ResetPeakBytes();
    const ReadResult read = ReadCapture(bytes, kSkip);
    EXPECT_LT(PeakBytes(), kMemoryMax);
    if (kCanCount && &bytes == &files[0]) {  // It is counted.
      EXPECT_GT(PeakBytes(), capture::kChunkBytesMax / 2);
    }
    EXPECT_TRUE(read.ok());
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryByteTest, testing::Values(v1::CODEC_NONE, v1::CODEC_ZSTD),
                         [](const auto& tested) {
                           return tested.param == v1::CODEC_NONE ? "None" : "Zstd";
                         });

}  // namespace
}  // namespace dstap::test
