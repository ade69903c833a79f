// The bytes themselves, failing disks, limits.
#include "proto/capture/capture_writer.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include "proto/capture/descriptor_set.h"
#include "proto/capture/index_builder.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureWriter;
using capture::Ending;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using std::chrono_literals::operator""s;

std::vector<v1::Row> RowsOf(const ReadResult& read) {
  std::vector<v1::Row> rows;
  for (const OwnedRecord& record : read.records) {
    if (!record.is_call) rows.push_back(record.row);
  }
  return rows;
}

v1::End EndOf(const ReadResult& read) {
  for (const v1::Row& row : RowsOf(read)) {
    if (row.has_end()) return row.end();
  }
  ADD_FAILURE() << "no End row";
  return {};
}

TEST(CaptureWriterTest, FileStartsWithTheNineBytesInTheFormatDocument) {
  EXPECT_EQ(AClosedCapture(1).substr(0, 9),
            "\x09\x8A"
            "dstap\x0D\x0A");
}

TEST(CaptureWriterTest, FileIsByteForByteWhatProtobufMakesOfItsCapture) {
  for (const v1::Codec codec : {v1::CODEC_NONE, v1::CODEC_ZSTD}) {
    CaptureWriter::Options options;
    options.codec = codec;
    const std::string bytes = AClosedCapture(300, 7, options);
    v1::Capture capture;
    ASSERT_TRUE(capture.ParseFromString(bytes));
    EXPECT_EQ(capture.magic(), capture::kMagic);
    EXPECT_EQ(capture.chunk_size(), 1 + 42 + 1 + 1);
    for (int i = 0; i < capture.chunk_size(); ++i) {
      EXPECT_EQ(capture.chunk(i).sync(), capture::kSync);
      EXPECT_EQ(capture.chunk(i).sequence(), static_cast<uint64_t>(i));
    }
    EXPECT_EQ(capture.SerializeAsString(), bytes);
  }
}

TEST(CaptureWriterTest, AChunkOfOneCallIsSmall) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  const size_t before = bytes.size();
  writer->Add(ACall(1));
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_LT(bytes.size() - before, 140U);
}

TEST(CaptureWriterTest, ColumnsOfDefaultsAreLeftOut) {
  capture::ChunkBuilder builder(1000);
  capture::CallRecord call;
  call.id = 1;
  ASSERT_TRUE(builder.Add(call));
  v1::Records records;
  std::string body(builder.ByteSize(), '\0');
  builder.WriteTo(body.data());
  ASSERT_TRUE(records.ParseFromString(body));
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  records.calls().GetReflection()->ListFields(records.calls(), &fields);
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]->name(), "count");
  EXPECT_EQ(fields[1]->name(), "id_delta");
}

TEST(CaptureWriterTest, EveryStringStandsOnceInAChunk) {
  capture::ChunkBuilder builder(1000);
  for (uint64_t id = 1; id <= 100; ++id) ASSERT_TRUE(builder.Add(ACall(id)));
  v1::Records records;
  std::string body(builder.ByteSize(), '\0');
  builder.WriteTo(body.data());
  ASSERT_TRUE(records.ParseFromString(body));
  EXPECT_THAT(records.names(), ElementsAre("PlayerData", "global"));
  EXPECT_THAT(records.keys(), ElementsAre("Player_1", "Player_2"));
}

TEST(CaptureWriterTest, TheDescriptorSetLoadsIntoAnEmptyPool) {
  google::protobuf::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(capture::SerializedDescriptorSet()));
  google::protobuf::DescriptorPool pool;
  for (const auto& file : set.file()) ASSERT_NE(pool.BuildFile(file), nullptr) << file.name();
  const auto* capture = pool.FindMessageTypeByName("dstap.v1.Capture");
  ASSERT_NE(capture, nullptr);
  EXPECT_NE(capture->FindFieldByName("chunk"), nullptr);
}

TEST(CaptureWriterTest, HeaderIsFilledInWhereItIsEmptyAndKeptWhereItIsNot) {
  std::string bytes;
  v1::Header header = AHeader();
  header.set_tool_version("0.0.9");
  ASSERT_TRUE(CaptureWriter::Create(std::make_unique<StringSink>(bytes), header).ok());
  const v1::Header back = RowsOf(ReadCapture(bytes)).at(0).header();
  EXPECT_EQ(back.format_version(), 1U);
  EXPECT_EQ(back.tool(), "dstap");
  EXPECT_EQ(back.tool_version(), "0.0.9");
  EXPECT_EQ(back.descriptor_set(), capture::SerializedDescriptorSet());
  EXPECT_EQ(back.title(), "a test");
}

TEST(CaptureWriterTest, NothingIsWrittenBeforeACommitAndNothingTwice) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  const size_t header = bytes.size();
  writer->Add(ACall(1));
  EXPECT_EQ(bytes.size(), header);
  ASSERT_TRUE(writer->Commit().ok());
  const size_t one = bytes.size();
  EXPECT_GT(one, header);
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_EQ(bytes.size(), one);
}

TEST(CaptureWriterTest, DestructorDoesNotCloseBecauseACrashMustNotLookLikeAnEnd) {
  std::string bytes;
  {
    auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
    writer->Add(ACall(1));
  }
  EXPECT_EQ(ReadCapture(bytes).ending, Ending::kUnfinished);
}

TEST(CaptureWriterTest, EndCountsEachCallOnceAndThoseInFlight) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  writer->Add(AnOpenCall(1));
  writer->Add(AnOpenCall(2));
  ASSERT_TRUE(writer->Commit().ok());
  writer->Add(AnOpenCall(2));
  writer->Add(ACall(2));
  writer->Add(ACall(3));
  writer->AddRow(Time(4s), AComment("x"));
  ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_SIGNAL, "SIGTERM").ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  const v1::End end = EndOf(read);
  EXPECT_EQ(end.reason(), v1::END_REASON_SIGNAL);
  EXPECT_EQ(end.text(), "SIGTERM");
  EXPECT_EQ(end.calls(), 3U);
  EXPECT_EQ(end.calls_in_flight(), 1U);
  EXPECT_EQ(end.call_records(), 5U);
  EXPECT_EQ(end.rows(), 2U);
  EXPECT_EQ(writer->calls(), 3U);
}

TEST(CaptureWriterTest, WhatComesAfterCloseIsLostAndTheFileStaysClosed) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
  const std::string closed = bytes;
  writer->Add(ACall(1));
  writer->AddRow(Time(9s), AComment("x"));
  EXPECT_EQ(writer->Commit().code(), ErrorCode::kWrite);
  EXPECT_EQ(writer->Close(Time(9s), v1::END_REASON_CLOSED).code(), ErrorCode::kWrite);
  EXPECT_EQ(bytes, closed);
  EXPECT_EQ(writer->calls_lost(), 1U);
  EXPECT_EQ(writer->rows_lost(), 1U);
}

// Walks a failure of `count` operations in a row through every write, cut and sync the writer
// makes.
void WalkFailures(int count) {
  for (int n = 0;; ++n) {
    SCOPED_TRACE(testing::Message() << "operation " << n << ", " << count << " in a row");
    std::string bytes;
    auto writer = CaptureWriter::Create(
        std::make_unique<FailAtSink>(bytes, FailPlan{.first = n, .count = count}), ASmallHeader());
    if (!writer.ok()) {
      EXPECT_EQ(writer.status().code(), ErrorCode::kWrite);
      continue;
    }
    std::vector<uint64_t> committed;
    bool failed = false;
    for (uint64_t id = 1; id <= 3; ++id) {
      writer->Add(ACall(id));
      const Status status = writer->Commit();
      if (status.ok()) committed.push_back(id);
      failed |= !status.ok();
      EXPECT_TRUE(status.ok() || status.message().find("No space left") != std::string::npos);
    }
    const Status closed = writer->Close(Time(9s), v1::END_REASON_CLOSED);
    failed |= !closed.ok();

    // Whatever failed: what was committed is in the file, in order, and nothing else is.
    const ReadResult read = ReadCapture(bytes);
    ASSERT_TRUE(read.ok()) << read.end.message();
    EXPECT_EQ(read.CallIds(), committed);
    EXPECT_EQ(writer->calls_lost(), 3 - committed.size());
    if (read.ending == Ending::kClosed) {
      EXPECT_EQ(EndOf(read).calls(), committed.size());
      EXPECT_EQ(EndOf(read).calls_lost(), 3 - committed.size());
      uint64_t said = 0;
      for (const v1::Row& row : RowsOf(read)) {
        said += row.loss().calls();
        if (!row.has_loss()) continue;
        EXPECT_EQ(row.loss().reason(), v1::LOSS_REASON_WRITE);
        // The system's words, and no name of a file.
        EXPECT_EQ(row.loss().text(), "No space left on device");
      }
      EXPECT_EQ(said, 3 - committed.size());
    }
    if (!failed) {
      EXPECT_EQ(read.ending, Ending::kClosed);
      return;  // n is past the last operation: every failure point has been visited.
    }
  }
}

TEST(CaptureWriterTest, AFailureAnywhereLosesOnlyWhatItStruckAndSaysSo) { WalkFailures(1); }
TEST(CaptureWriterTest, TwoFailuresInARowStopRecordingForGoodAndLeaveATornTail) { WalkFailures(2); }
TEST(CaptureWriterTest, ManyFailuresInARowAreSurvivedToo) { WalkFailures(5); }

TEST(CaptureWriterTest, AfterADiskWasFullTheNextChunkBeginsWithWhatWasLost) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<FailAtSink>(bytes, FailPlan{.first = 1}),
                                      ASmallHeader());
  writer->Add(ACall(1));
  writer->AddRow(Time(1s), AComment("x"));
  EXPECT_THAT(writer->Commit().message(), HasSubstr("1 records of calls are lost"));
  writer->Add(ACall(2));
  ASSERT_TRUE(writer->Commit().ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.records.size(), 3U);
  EXPECT_EQ(read.records[1].row.loss().calls(), 1U);
  EXPECT_EQ(read.records[1].row.loss().rows(), 1U);
  EXPECT_TRUE(SameCall(read.records[2].call, ACall(2)));
}

TEST(CaptureWriterTest, ACallWhoseOutcomeIsLostStaysInFlight) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<FailAtSink>(bytes, FailPlan{.first = 2}),
                                      ASmallHeader());
  writer->Add(AnOpenCall(1));
  ASSERT_TRUE(writer->Commit().ok());
  writer->Add(ACall(1));
  EXPECT_FALSE(writer->Commit().ok());
  ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(EndOf(read).calls_in_flight(), 1U);
}

TEST(CaptureWriterTest, WhatAClientSaidItDroppedCountsAsLostAlsoWhenThatIsLostItself) {
  v1::Row row;
  row.mutable_loss()->set_reason(v1::LOSS_REASON_CLIENT);
  row.mutable_loss()->set_calls(10);
  for (const int fail_at : {1, 99}) {
    std::string bytes;
    auto writer = CaptureWriter::Create(
        std::make_unique<FailAtSink>(bytes, FailPlan{.first = fail_at}), ASmallHeader());
    writer->AddRow(Time(1s), row);
    EXPECT_EQ(writer->calls_lost(), 10U);
    EXPECT_EQ(writer->Commit().ok(), fail_at == 99);
    EXPECT_EQ(writer->calls_lost(), 10U);
    ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
    const ReadResult read = ReadCapture(bytes);
    ASSERT_TRUE(read.ok()) << read.end.message();
    EXPECT_EQ(EndOf(read).calls_lost(), 10U);
  }
}

TEST(CaptureWriterTest, AChunkTakesAsManyCallsAsItMayAndTheNextOneTheRest) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader());
  capture::CallRecord call;
  for (uint64_t id = 1; id <= capture::kChunkCallsMax + 1; ++id) {
    call.id = id;
    writer->Add(call);
  }
  ASSERT_TRUE(writer->Commit().ok());
  v1::Capture capture;
  ASSERT_TRUE(capture.ParseFromString(bytes));
  uint64_t calls = 0;
  for (const v1::Chunk& chunk : capture.chunk()) {
    EXPECT_LE(chunk.records().calls().count(), capture::kChunkCallsMax);
    EXPECT_LE(chunk.raw_size(), capture::kChunkBytesMax);
    calls += chunk.records().calls().count();
  }
  EXPECT_EQ(calls, capture::kChunkCallsMax + 1);
}

TEST(CaptureWriterTest, AChunkNeverPassesItsBytesAndNothingIsLostByThat) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader());
  // Five of these fill a chunk; each is another string.
  std::vector<uint64_t> ids;
  for (uint64_t id = 1; id <= 20; ++id) {
    const std::string value((3 << 20) - id, 'v');
    capture::CallRecord call = ACall(id);
    call.written = capture::ValueInfo{value.size(), 0, value, v1::VALUE_ENCODING_JSON};
    writer->Add(call);
    ids.push_back(id);
  }
  ASSERT_TRUE(writer->Close(Time(99s), v1::END_REASON_CLOSED).ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.CallIds(), ids);
  v1::Capture capture;
  ASSERT_TRUE(capture.ParseFromString(bytes));
  EXPECT_EQ(capture.chunk_size(), 6);
}

TEST(CaptureWriterTest, ARecordThatFitsIntoNoChunkIsLostAndTheRestGoesOn) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), ASmallHeader());
  const std::string huge(capture::kChunkBytesMax + 1, 'v');
  writer->Add(ACall(1));
  capture::CallRecord call = ACall(2);
  call.error_text = huge;
  writer->Add(call);
  writer->AddRow(Time(2s), AComment(huge));
  writer->Add(ACall(3));
  ASSERT_TRUE(writer->Close(Time(9s), v1::END_REASON_CLOSED).ok());
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_THAT(read.CallIds(), ElementsAre(1, 3));
  EXPECT_EQ(EndOf(read).calls_lost(), 1U);
  EXPECT_EQ(EndOf(read).rows_lost(), 1U);
  EXPECT_EQ(RowsOf(read).at(1).loss().reason(), v1::LOSS_REASON_OVERFLOW);
}

TEST(CaptureWriterTest, IndexPointsToEveryChunkButItsOwn) {
  const std::string bytes = AClosedCapture(6, 2);
  const ReadResult read = ReadCapture(bytes);
  const v1::Index index = RowsOf(read).back().index();
  // Header; source, 1, 2; 3, 4; 5, 6.
  ASSERT_EQ(index.entry_size(), 4);
  for (const v1::IndexEntry& entry : index.entry()) {
    EXPECT_EQ(bytes.at(entry.offset()), 0x12);
  }
  EXPECT_EQ(index.entry(0).offset(), 9U);
  EXPECT_EQ(index.entry(2).sequence(), 2U);
  EXPECT_EQ(index.entry(1).rows(), 1U);
  EXPECT_EQ(index.entry(2).calls(), 2U);
  EXPECT_EQ(Time(index.entry(2).first_ns()), Time(3s));
  EXPECT_EQ(Time(index.entry(2).last_ns()), *ACall(4).completed);
}

TEST(CaptureWriterTest, IndexOfALongRecordingStaysSmallAndCoversAll) {
  capture::IndexBuilder builder;
  const uint64_t chunks = 5 * capture::kIndexEntriesMax + 3;
  for (uint64_t i = 0; i < chunks; ++i) {
    v1::IndexEntry entry;
    entry.set_offset(10 * i);
    entry.set_sequence(i);
    entry.set_calls(2);
    entry.set_rows(1);
    entry.set_first_ns(static_cast<int64_t>(i));
    entry.set_last_ns(static_cast<int64_t>(i) + 5);
    builder.Add(entry);
  }
  const v1::Index index = builder.Build();
  EXPECT_LE(index.entry_size(), static_cast<int>(capture::kIndexEntriesMax));
  EXPECT_GE(index.entry_size(), static_cast<int>(capture::kIndexEntriesMax) / 2);
  uint64_t calls = 0;
  uint64_t rows = 0;
  for (int i = 0; i < index.entry_size(); ++i) {
    const v1::IndexEntry& entry = index.entry(i);
    EXPECT_EQ(entry.sequence(), 8U * static_cast<unsigned>(i));
    EXPECT_EQ(entry.offset(), 10 * entry.sequence());
    EXPECT_EQ(entry.first_ns(), static_cast<int64_t>(entry.sequence()));
    calls += entry.calls();
    rows += entry.rows();
  }
  EXPECT_EQ(calls, 2 * chunks);
  EXPECT_EQ(rows, chunks);
  EXPECT_EQ(index.entry(index.entry_size() - 1).last_ns(), static_cast<int64_t>(chunks) + 4);
}

}  // namespace
}  // namespace dstap::test
