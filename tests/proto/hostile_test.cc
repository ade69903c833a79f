// Files made to hurt: each is refused, or shown escaped, with its place, in bounded memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "proto/capture/capture_reader.h"
#include "proto/capture/format.h"
#include "proto/capture/validate.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::ChunkFrame;
using capture::Defect;
using capture::DefectId;
using capture::Ending;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kStop = CaptureReader::OnDamage::kStop;
constexpr auto kSkip = CaptureReader::OnDamage::kSkip;

// Zeros, compressed.
std::string Zeros(size_t bytes) {
  const std::string zeros(bytes, '\0');
  std::string packed(ZSTD_compressBound(bytes), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 19));
  return packed;
}

// A header, and then one chunk whose body is as it is given.
std::string FileWith(std::string_view body, const std::function<void(ChunkFrame&)>& tamper = {}) {
  return ACaptureOf({}) + AChunk(1, body, tamper);
}

void ExpectRefused(const std::string& file, DefectId defect, const std::string& why) {
  const std::string place = "chunk 1 at byte " + std::to_string(ACaptureOf({}).size());
  EXPECT_THAT(ReadCapture(file, kStop).end.message(), HasSubstr(place + " is damaged: "));
  const ReadResult read = ReadCapture(file, kSkip);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kDamaged);
  ASSERT_EQ(read.skipped.size(), 1U);
  EXPECT_EQ(read.skipped[0].defect, defect);
  EXPECT_EQ(read.skipped[0].begin, ACaptureOf({}).size());
  EXPECT_EQ(read.skipped[0].end, file.size());
  EXPECT_THAT(read.skipped[0].why, HasSubstr(why));
}

TEST(HostileTest, AZipBombIsNeverUnpackedPastWhatItsChunkClaims) {
  const std::string bomb = Zeros(size_t{64} << 20);
  ASSERT_LT(bomb.size(), 10'000U);
  const auto claiming = [](uint32_t size) {
    return [size](ChunkFrame& frame) {
      frame.codec = v1::CODEC_ZSTD;
      frame.raw_size = size;
    };
  };
  constexpr auto kMax = static_cast<uint32_t>(capture::kChunkBytesMax);
  for (const uint32_t size : {uint32_t{0}, uint32_t{1000}, kMax}) {
    ExpectRefused(FileWith(bomb, claiming(size)), DefectId::kChunkBody,
                  "its body is not " + std::to_string(size) + " bytes of records");
  }
  for (const uint32_t size : {kMax + 1, uint32_t{64} << 20, ~uint32_t{0}}) {
    ExpectRefused(FileWith(bomb, claiming(size)), DefectId::kChunkLimit,
                  "it claims " + std::to_string(size) + " bytes of records; the limit is ");
  }
  // As much as is allowed, and honestly said: it is unpacked, and is no message.
  ExpectRefused(FileWith(Zeros(kMax), claiming(kMax)), DefectId::kChunkBody, "not protobuf");
}

// A group in a group in a group: of a newer version's field, for all that a parser knows.
std::string Nested(size_t depth) {
  std::string groups;
  for (size_t i = 0; i < depth; ++i) groups += "\xA3\x06";  // Field 100 begins.
  for (size_t i = 0; i < depth; ++i) groups += "\xA4\x06";  // It ends.
  return groups;
}

TEST(HostileTest, MessagesInsideEachOtherWithoutEndAreRefused) {
  v1::Records records;
  records.set_tick_ns(1000);
  const auto row_of = [&records](const std::string& inside) {
    std::string body = records.SerializeAsString();
    body += '\x4A';  // Records.row
    for (size_t size = inside.size();; size >>= 7) {
      body += static_cast<char>((size & 0x7F) | (size > 0x7F ? 0x80 : 0));
      if (size <= 0x7F) break;
    }
    return FileWith(body + inside);
  };
  EXPECT_TRUE(ReadCapture(row_of(Nested(50))).ok());
  for (const size_t depth : {size_t{200}, size_t{1'000'000}}) {
    const std::string file = row_of(Nested(depth));
    EXPECT_EQ(ReadCapture(file, kStop).end.code(), ErrorCode::kDamaged);
    EXPECT_THAT(ReadCapture(file, kSkip).skipped, testing::SizeIs(1));
  }
  // Where no row stands, groups are refused at once.
  ExpectRefused(FileWith(Nested(1)), DefectId::kChunkBody, "not protobuf");
}

v1::Records Calls(const std::vector<int64_t>& id_deltas) {
  v1::Records records;
  records.set_tick_ns(1000);
  records.mutable_calls()->set_count(static_cast<uint32_t>(id_deltas.size()));
  for (const int64_t delta : id_deltas) {
    records.mutable_calls()->add_id_delta(delta);
    records.mutable_calls()->add_outcome(v1::OUTCOME_OK);
  }
  return records;
}

std::vector<Defect> DefectsOf(const std::string& file) {
  std::vector<Defect> defects;
  auto reader = CaptureReader::Open(std::make_unique<MemorySource>(file), kSkip);
  EXPECT_TRUE(reader.ok());
  const auto verdict = Validate(*reader, [&](const Defect& d) {
    if (InfoOf(d.id).severity >= capture::DefectSeverity::kRule) defects.push_back(d);
  });
  EXPECT_TRUE(verdict.ok());
  return defects;
}

TEST(HostileTest, IdsThatRunBackwardsAreTakenAndThoseThatRepeatAreNamedWithTheirPlace) {
  EXPECT_THAT(ReadCapture(ACaptureOf({Calls({9, -4, -2})})).CallIds(), ElementsAre(9, 5, 3));
  EXPECT_THAT(DefectsOf(ACaptureOf({Calls({9, -4, -2})})), IsEmpty());
  // Past 0 it goes on from the other end.
  EXPECT_THAT(ReadCapture(ACaptureOf({Calls({1, -2})})).CallIds(), ElementsAre(1, ~uint64_t{0}));

  const std::vector<Defect> defects = DefectsOf(ACaptureOf({Calls({9, -4, 4, -9})}));
  ASSERT_EQ(defects.size(), 2U);
  EXPECT_EQ(defects[0].id, DefectId::kCallIdRepeated);
  EXPECT_EQ(defects[0].detail, "call 9 has an outcome already");
  EXPECT_EQ(defects[1].id, DefectId::kCallIdZero);
  for (const Defect& defect : defects) {
    EXPECT_EQ(defect.offset, ACaptureOf({}).size());
    EXPECT_EQ(defect.chunk, 1U);
  }
  EXPECT_EQ(defects[0].record, 4U);  // Behind the header and two calls.
  EXPECT_EQ(defects[1].record, 5U);
}

TEST(HostileTest, NegativeTimesAreRefused) {
  v1::Records base = Calls({1});
  base.set_base_ticks(-1);
  v1::Records issued = Calls({1});
  issued.mutable_calls()->add_issued_delta(-1);
  for (const v1::Records& records : {base, issued}) {
    ExpectRefused(FileWith(records.SerializeAsString()), DefectId::kChunkBody, "no time of");
  }
  v1::Records row = Calls({1});
  *row.add_row() = AComment("a");
  row.mutable_row(0)->set_ticks(-1);
  EXPECT_EQ(ReadCapture(FileWith(row.SerializeAsString()), kStop).end.code(), ErrorCode::kDamaged);
}

TEST(HostileTest, CountsOfBillionsInAFewBytesAreRefused) {
  v1::Records calls = Calls({});
  calls.mutable_calls()->set_count(~uint32_t{0});
  EXPECT_EQ(ReadCapture(FileWith(calls.SerializeAsString()), kStop).end.code(),
            ErrorCode::kDamaged);
  v1::Records runs = Calls({1});
  runs.mutable_calls()->add_transform_runs(~uint32_t{0});
  EXPECT_EQ(ReadCapture(FileWith(runs.SerializeAsString()), kStop).end.code(), ErrorCode::kDamaged);
}

TEST(HostileTest, TextThatIsNotUtf8IsShownEscapedWithItsPlace) {
  v1::Row loss;
  loss.mutable_loss()->set_calls(1);
  loss.mutable_loss()->set_text("\xFF\x1B[2J\n");
  v1::Records records;
  records.set_tick_ns(1000);
  *records.add_row() = loss;
  std::vector<Defect> defects;
  auto reader = CaptureReader::Open(std::make_unique<MemorySource>(ACaptureOf({records})), kSkip);
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(Validate(*reader, [&](const Defect& d) {
                if (d.id == DefectId::kLoss) defects.push_back(d);
              }).ok());
  ASSERT_EQ(defects.size(), 1U);
  EXPECT_THAT(defects[0].detail, HasSubstr("\\xff\\x1b[2J\\n"));
  EXPECT_EQ(defects[0].offset, ACaptureOf({}).size());
  EXPECT_EQ(defects[0].chunk, 1U);
  EXPECT_EQ(defects[0].record, 2U);
}

}  // namespace
}  // namespace dstap::test
