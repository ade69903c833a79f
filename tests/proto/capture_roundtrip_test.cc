// What the writer writes, the reader reads.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CallRecord;
using capture::CaptureReader;
using capture::CaptureWriter;
using capture::Ending;
using google::protobuf::util::MessageDifferencer;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

constexpr auto kStop = CaptureReader::OnDamage::kStop;

// Writes `calls` as one chunk behind the header.
std::string Written(const std::vector<CallRecord>& calls, CaptureWriter::Options options = {}) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader(), options);
  for (const CallRecord& call : calls) writer->Add(call);
  EXPECT_TRUE(writer->Close(Time(100s), v1::END_REASON_CLOSED).ok());
  return bytes;
}

TEST(CaptureRoundTripTest, EveryFieldOfACallComesBack) {
  const ReadResult read = ReadCapture(Written({AFullCall(), ACall(78), AFullCall()}));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  ASSERT_EQ(read.CallIds(), (std::vector<uint64_t>{77, 78, 77}));
  EXPECT_TRUE(SameCall(read.records[1].call, AFullCall()));
  EXPECT_TRUE(SameCall(read.records[2].call, ACall(78)));
  EXPECT_TRUE(SameCall(read.records[3].call, AFullCall()));
}

TEST(CaptureRoundTripTest, AFullCallLeavesNoFieldOfTheSchemaAtItsDefault) {
  // So that the test above cannot pass by a column that nobody writes.
  capture::ChunkBuilder builder(1000);
  ASSERT_TRUE(builder.Add(ACall(1)));
  ASSERT_TRUE(builder.Add(AFullCall()));
  std::string body(builder.ByteSize(), '\0');
  builder.WriteTo(body.data());
  v1::Records records;
  ASSERT_TRUE(records.ParseFromString(body));
  const v1::Calls& calls = records.calls();
  const auto* descriptor = v1::Calls::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (!field->is_repeated()) continue;
    // The second budget's `after` is not known in AFullCall.
    if (field->name() == "second_after") continue;
    EXPECT_GT(calls.GetReflection()->FieldSize(calls, field), 0) << field->name();
  }
}

TEST(CaptureRoundTripTest, EveryKindOfRowComesBackWithItsTimeAndPlace) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  const auto* kinds = v1::Row::descriptor()->oneof_decl(0);
  std::vector<v1::Row> rows;
  for (int i = 0; i < kinds->field_count(); ++i) {
    const auto* kind = kinds->field(i);
    if (kind->name() == "header" || kind->name() == "end" || kind->name() == "index") continue;
    v1::Row& row = rows.emplace_back();
    row.GetReflection()->MutableMessage(&row, kind);
    if (row.has_comment()) row.mutable_comment()->set_text("\xFF");
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    writer->AddRow(Time(5us) * static_cast<int64_t>(rows.size() - i), rows[i]);
    writer->Add(ACall(i + 1));
  }
  ASSERT_TRUE(writer->Commit().ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  ASSERT_EQ(read.records.size(), 1 + 2 * rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const OwnedRecord& row = read.records[1 + 2 * i];
    EXPECT_TRUE(MessageDifferencer::Equals(row.row, rows[i])) << row.row.DebugString();
    EXPECT_EQ(row.time, Time(5us) * static_cast<int64_t>(rows.size() - i));
    EXPECT_TRUE(SameCall(read.records[2 + 2 * i].call, ACall(i + 1)));
  }
}

TEST(CaptureRoundTripTest, CompressedChunksReadTheSame) {
  CaptureWriter::Options options;
  options.codec = v1::CODEC_ZSTD;
  std::vector<CallRecord> calls;
  for (uint64_t id = 1; id <= 1000; ++id) calls.push_back(ACall(id));
  const std::string compressed = Written(calls, options);
  const std::string plain = Written(calls);
  const ReadResult read = ReadCapture(compressed);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.CallIds(), ReadCapture(plain).CallIds());
  EXPECT_TRUE(SameCall(read.records[500].call, ACall(500)));
}

TEST(CaptureRoundTripTest, TimesAreRoundedToTheNearestTickAndDurationsToTheirDifference) {
  CallRecord call = ACall(1);
  call.issued = Time(1'499ns);
  call.admitted = Time(1'500ns);
  call.completed = Time(2'501ns);
  const ReadResult read = ReadCapture(Written({call}));
  ASSERT_TRUE(read.ok());
  const CallRecord& back = read.records[1].call;
  EXPECT_EQ(back.issued, Time(1us));
  EXPECT_EQ(back.admitted, Time(2us));
  EXPECT_EQ(back.completed, Time(3us));
}

TEST(CaptureRoundTripTest, ATickOfOneNanosecondKeepsEveryTime) {
  CaptureWriter::Options options;
  options.tick_ns = 1;
  CallRecord call = ACall(1);
  call.issued = Time(1'499ns);
  call.completed = Time::max();
  const ReadResult read = ReadCapture(Written({call}, options));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.records[1].call.issued, Time(1'499ns));
  EXPECT_EQ(read.records[1].call.completed, Time::max());
}

TEST(CaptureRoundTripTest, TimesThatMakeNoSenseAreMovedToWhereTheyDo) {
  CallRecord call = ACall(1);
  call.issued = Time(-5s);
  call.admitted = Time(-9s);
  call.completed = Time(-7s);
  const ReadResult read = ReadCapture(Written({call}));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.records[1].call.issued, Time(0));
  EXPECT_EQ(read.records[1].call.admitted, Time(0));
  EXPECT_EQ(read.records[1].call.completed, Time(0));
}

TEST(CaptureRoundTripTest, ExtremeNumbersComeBack) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  CallRecord call = ACall(kMax);
  call.issued = Time(1s);
  call.admitted = call.completed = call.issued;
  call.fault = kMax;
  call.source = std::numeric_limits<uint32_t>::max();
  call.budgets[0] = {v1::REQUEST_TYPE_GET_ASYNC, kMax - 1, 0, 1};
  call.read = capture::ValueInfo{kMax - 1, kMax, std::nullopt, v1::VALUE_ENCODING_UNKNOWN};
  CallRecord small = call;
  small.id = 1;
  const ReadResult read = ReadCapture(Written({call, small, call}));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_TRUE(SameCall(read.records[1].call, call));
  EXPECT_TRUE(SameCall(read.records[2].call, small));
  EXPECT_TRUE(SameCall(read.records[3].call, call));
}

TEST(CaptureRoundTripTest, ManyCallsInOneChunkKeepTheirColumnsApart) {
  // Across the reader's batches, with columns that begin late and others that stop early.
  std::vector<CallRecord> calls;
  for (uint64_t id = 1; id <= 1000; ++id) {
    CallRecord call = ACall(id);
    if (id % 300 == 7) call = AFullCall();
    call.id = id;
    if (id > 600) call.key = "";
    calls.push_back(call);
  }
  const ReadResult read = ReadCapture(Written(calls));
  ASSERT_TRUE(read.ok()) << read.end.message();
  ASSERT_EQ(read.CallIds().size(), calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(SameCall(read.records[i + 1].call, calls[i])) << i;
  }
}

TEST(CaptureRoundTripTest, NumbersOfEveryLengthComeBackNextToEachOther) {
  std::vector<CallRecord> calls;
  for (uint64_t id = 1; id <= 64 * 64; ++id) {
    CallRecord call = ACall(id);
    // All pairs of lengths, in both orders.
    call.fault = id % 2 == 0 ? ~uint64_t{0} >> (id / 64 % 64) : ~uint64_t{0} >> (id % 64);
    calls.push_back(call);
  }
  const ReadResult read = ReadCapture(Written(calls));
  ASSERT_TRUE(read.ok()) << read.end.message();
  for (size_t i = 0; i < calls.size(); ++i) {
    ASSERT_EQ(read.records[i + 1].call.fault, calls[i].fault) << i;
  }
}

TEST(CaptureRoundTripTest, FileReadInPiecesOfAnySizeGivesTheSame) {
  const std::string bytes = AClosedCapture(5);
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, size_t{1000}}) {
    const ReadResult read = ReadCapture(std::make_unique<PieceSource>(bytes, piece), kStop);
    ASSERT_TRUE(read.ok()) << read.end.message();
    EXPECT_EQ(read.CallIds(), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(read.ending, Ending::kClosed);
  }
}

TEST(CaptureRoundTripTest, SameRecordsGiveTheSameBytes) {
  EXPECT_EQ(AClosedCapture(50), AClosedCapture(50));
}

TEST(CaptureRoundTripTest, TwoCapturesOneAfterTheOtherReadAsOne) {
  const std::string one = AClosedCapture(3);
  const ReadResult read = ReadCapture(one + one);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  EXPECT_EQ(read.CallIds(), (std::vector<uint64_t>{1, 2, 3, 1, 2, 3}));
}

TEST(CaptureRoundTripTest, AnUnfinishedCaptureBeforeAClosedOneLeavesTheFileUnfinished) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  writer->Add(ACall(9));
  ASSERT_TRUE(writer->Commit().ok());
  const ReadResult read = ReadCapture(bytes + AClosedCapture(1));
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kUnfinished);
  EXPECT_EQ(read.CallIds(), (std::vector<uint64_t>{9, 1}));
}

// The builder writes the bytes itself: they are those that protobuf writes of the same message.
TEST(CaptureRoundTripTest, AChunkIsByteForByteWhatProtobufWrites) {
  capture::ChunkBuilder builder(1000);
  const auto expect_the_same = [&builder] {
    std::string bytes(builder.ByteSize(), '\0');
    builder.WriteTo(bytes.data());
    v1::Records records;
    ASSERT_TRUE(records.ParseFromString(bytes));
    EXPECT_EQ(records.SerializeAsString(), bytes);
  };
  expect_the_same();
  for (int chunk = 0; chunk < 3; ++chunk) {
    for (uint64_t id = 1; id <= 300; ++id) {
      capture::CallRecord call = id % 50 == 0 ? AFullCall() : ACall(id * id * id);
      call.key = id % 3 == 0 ? "again" : call.key;
      ASSERT_TRUE(builder.Add(call));
      if (id % 40 == 0) {
        ASSERT_TRUE(builder.AddRow(Time(id), AComment("row")));
      }
    }
    expect_the_same();
    builder.Clear();
  }
}

}  // namespace
}  // namespace dstap::test
