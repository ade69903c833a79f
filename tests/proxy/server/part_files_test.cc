// A recording that is written as several files: by size, by time, and only around what matters.
#include "proxy/server/part_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "proto/capture/capture_writer.h"
#include "proxy/server/flight_recorder.h"
#include "proxy/server/rotating_file.h"
#include "tests/support/capture_command.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using capture::CaptureWriter;
using capture::Ending;
using proxy::FlightRecorder;
using proxy::PartFiles;
using proxy::RotatingFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::chrono_literals::operator""s;

class PartsTest : public testing::Test {
 protected:
  std::shared_ptr<PartFiles> Files(FileSink::IfExists if_exists = FileSink::IfExists::kRefuse,
                                   bool packs = true) {
    return std::make_shared<PartFiles>(
        PartFiles::Options{
            .path = folder_.Path("run.dstap"), .if_exists = if_exists, .packs = packs},
        ASmallHeader());
  }
  CaptureWriter Rotating(std::shared_ptr<PartFiles> files, RotatingFile::Limits limits) {
    auto file = RotatingFile::Create(std::move(files), limits);
    EXPECT_TRUE(file.ok()) << file.status().message();
    return CaptureWriter(*std::move(file), {.has_standing_rows = true});
  }
  CaptureWriter Flight(std::shared_ptr<PartFiles> files, FlightRecorder::Limits limits) {
    return CaptureWriter(std::make_unique<FlightRecorder>(std::move(files), limits),
                         {.has_standing_rows = true});
  }
  // A call a second, each committed; `trigger` is one that triggers.
  static void Record(CaptureWriter& writer, uint64_t first, uint64_t last, uint64_t trigger = 0) {
    for (uint64_t id = first; id <= last; ++id) {
      capture::CallRecord call = ACall(id);
      call.issued = Time(1s) * static_cast<int64_t>(id);
      call.admitted.reset();
      call.completed = call.issued;
      call.transform_runs = {};
      writer.Add(call);
      if (id == trigger) writer.Trigger();
      ASSERT_TRUE(writer.Commit().ok());
    }
  }
  ReadResult Part(const std::string& name) { return ReadCapture(folder_.Read(name)); }
  static std::vector<v1::Row> RowsOf(const ReadResult& read, v1::Row::KindCase kind) {
    std::vector<v1::Row> rows;
    for (const OwnedRecord& record : read.records) {
      if (!record.is_call && record.row.kind_case() == kind) rows.push_back(record.row);
    }
    return rows;
  }
  static v1::Row ASource() {
    v1::Row row;
    row.mutable_source()->set_id(1);
    row.mutable_source()->set_name("server");
    return row;
  }
  static v1::Row AStep(uint64_t id) {
    v1::Row row;
    row.mutable_step_begin()->set_id(id);
    row.mutable_step_begin()->set_source(1);
    row.mutable_step_begin()->set_name("load-new");
    return row;
  }

  TemporaryFolder folder_{"parts"};
};

TEST_F(PartsTest, ByTimeEachPartIsAWholeCaptureAndNoCallIsMissingOrTwice) {
  CaptureWriter writer = Rotating(Files(), {.time = Time(10s)});
  writer.AddRow(Time(1s), ASource());
  Record(writer, 1, 25);
  ASSERT_TRUE(writer.Close(Time(26s), v1::END_REASON_CLOSED).ok());
  EXPECT_THAT(folder_.Names(), ElementsAre("run.0001.dstap", "run.0002.dstap", "run.0003.dstap"));
  std::vector<uint64_t> ids;
  uint32_t part = 0;
  for (const std::string& name : folder_.Names()) {
    const ReadResult read = Part(name);
    ASSERT_TRUE(read.ok()) << read.end.message();
    EXPECT_EQ(read.ending, Ending::kClosed);
    EXPECT_EQ(RowsOf(read, v1::Row::kHeader).at(0).header().part(), ++part);
    // Each knows who calls.
    EXPECT_EQ(RowsOf(read, v1::Row::kSource).size(), 1U);
    EXPECT_EQ(RowsOf(read, v1::Row::kEnd).at(0).end().reason(),
              part == 3 ? v1::END_REASON_CLOSED : v1::END_REASON_CONTINUED);
    for (const uint64_t id : read.CallIds()) ids.push_back(id);
  }
  std::vector<uint64_t> all(25);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(ids, all);
  EXPECT_EQ(writer.calls(), 25U);
  EXPECT_EQ(writer.calls_lost(), 0U);
}

TEST_F(PartsTest, BySizeNoPartPassesItBeforeItIsPacked) {
  CaptureWriter writer =
      Rotating(Files(FileSink::IfExists::kRefuse, /*packs=*/false), {.bytes = 10'000});
  Record(writer, 1, 300);
  ASSERT_TRUE(writer.Close(Time(301s), v1::END_REASON_CLOSED).ok());
  const std::vector<std::string> names = folder_.Names();
  ASSERT_GT(names.size(), 2U);
  for (const std::string& name : names) {
    // The End and the index come on top.
    EXPECT_LT(folder_.Read(name).size(), 10'000U + 6'000U) << name;
  }
}

TEST_F(PartsTest, AStepThatIsOpenAtTheBorderGoesOnAsPartial) {
  CaptureWriter writer = Rotating(Files(), {.time = Time(10s)});
  writer.AddRow(Time(1s), ASource());
  writer.AddRow(Time(1s), AStep(1));
  Record(writer, 1, 15);
  v1::Row end;
  end.mutable_step_end()->set_id(1);
  end.mutable_step_end()->set_ok(true);
  writer.AddRow(Time(15s), end);
  ASSERT_TRUE(writer.Close(Time(16s), v1::END_REASON_CLOSED).ok());
  const std::vector<v1::Row> first = RowsOf(Part("run.0001.dstap"), v1::Row::kStepBegin);
  const std::vector<v1::Row> second = RowsOf(Part("run.0002.dstap"), v1::Row::kStepBegin);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_FALSE(first[0].step_begin().partial());
  EXPECT_TRUE(second[0].step_begin().partial());
}

TEST_F(PartsTest, ThatTheNextFileCannotBeMadeIsToldAndTheRecordingStaysWhereItIs) {
  folder_.File("run.0002.dstap", "somebody's");
  CaptureWriter writer = Rotating(Files(), {.time = Time(10s)});
  Record(writer, 1, 10);
  capture::CallRecord call = ACall(11);
  call.issued = Time(12s);
  call.completed = Time(12s);
  call.admitted.reset();
  call.transform_runs = {};
  writer.Add(call);
  EXPECT_THAT(writer.Commit().message(), HasSubstr("run.0002.dstap: the file exists"));
  ASSERT_TRUE(writer.Close(Time(20s), v1::END_REASON_CLOSED).ok());
  EXPECT_EQ(Part("run.0001.dstap").CallIds().size(), 11U);
  EXPECT_EQ(folder_.Read("run.0002.dstap"), "somebody's");
}

TEST_F(PartsTest, AFlightRecorderWritesNothingUntilACallTriggers) {
  CaptureWriter writer = Flight(Files(), {.keep = Time(5s)});
  Record(writer, 1, 50);
  ASSERT_TRUE(writer.Close(Time(51s), v1::END_REASON_CLOSED).ok());
  EXPECT_THAT(folder_.Names(), IsEmpty());
  EXPECT_EQ(writer.calls_lost(), 0U);
}

TEST_F(PartsTest, ItWritesWhatLedThereAndWhatFollowsWithAllThatStood) {
  CaptureWriter writer = Flight(Files(), {.keep = Time(5s)});
  writer.AddRow(Time(1s), ASource());
  writer.AddRow(Time(1s), AStep(1));
  Record(writer, 1, 40, /*trigger=*/20);
  ASSERT_TRUE(writer.Close(Time(41s), v1::END_REASON_CLOSED).ok());
  EXPECT_THAT(folder_.Names(), ElementsAre("run.0001.dstap"));
  const ReadResult read = Part("run.0001.dstap");
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  EXPECT_THAT(read.CallIds(), ElementsAre(15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25));
  EXPECT_EQ(RowsOf(read, v1::Row::kSource).size(), 1U);
  EXPECT_TRUE(RowsOf(read, v1::Row::kStepBegin).at(0).step_begin().partial());
}

TEST_F(PartsTest, ATriggerWhileItWritesKeepsItWritingAndALaterOneMakesTheNextFile) {
  CaptureWriter writer = Flight(Files(), {.keep = Time(3s)});
  Record(writer, 1, 10, 10);
  Record(writer, 11, 12, 12);
  Record(writer, 13, 40, 35);
  ASSERT_TRUE(writer.Close(Time(41s), v1::END_REASON_CLOSED).ok());
  EXPECT_THAT(folder_.Names(), ElementsAre("run.0001.dstap", "run.0002.dstap"));
  EXPECT_THAT(Part("run.0001.dstap").CallIds(), ElementsAre(7, 8, 9, 10, 11, 12, 13, 14, 15));
  EXPECT_THAT(Part("run.0002.dstap").CallIds(), ElementsAre(32, 33, 34, 35, 36, 37, 38));
}

TEST_F(PartsTest, ItHoldsNoMoreThanItMay) {
  CaptureWriter writer = Flight(Files(), {.keep = Time(1000s), .bytes = 2'000});
  Record(writer, 1, 500, 500);
  ASSERT_TRUE(writer.Close(Time(501s), v1::END_REASON_CLOSED).ok());
  const std::vector<uint64_t> ids = Part("run.0001.dstap").CallIds();
  EXPECT_LT(ids.size(), 60U);
  EXPECT_EQ(ids.back(), 500U);
}

TEST_F(PartsTest, WhatWasLostWhileItHeldIsSaidInTheFile) {
  auto files = Files();
  FlightRecorder flight(files, {.keep = Time(100s)});
  capture::ChunkBuilder builder(capture::kTickNs);
  const auto append = [&](uint64_t id, bool triggers) {
    builder.Add(ACall(id));
    capture::SealedChunk chunk;
    chunk.Take(builder);
    chunk.marks = {{id, false}};
    chunk.triggers = triggers;
    ASSERT_TRUE(flight.Append(chunk).ok());
  };
  append(1, false);
  flight.Lose(Time(3s), {.reason = v1::LOSS_REASON_OVERFLOW, .calls = 7, .rows = 2, .text = "x"});
  append(2, true);
  ASSERT_TRUE(flight.Close(Time(9s), v1::END_REASON_CLOSED, "").ok());
  EXPECT_EQ(flight.calls_lost(), 7U);
  const ReadResult read = Part("run.0001.dstap");
  EXPECT_EQ(RowsOf(read, v1::Row::kLoss).at(0).loss().calls(), 7U);
  EXPECT_EQ(RowsOf(read, v1::Row::kEnd).at(0).end().calls_lost(), 7U);
}

}  // namespace
}  // namespace dstap::test
