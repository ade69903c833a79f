// A disk that is slow, and one that is stuck.
#include "proxy/server/write_behind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "proto/capture/capture_file.h"
#include "proto/capture/capture_writer.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureFile;
using capture::CaptureWriter;
using capture::Ending;
using proxy::WriteBehind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using std::chrono_literals::operator""s;

// Each write waits until it is let through.
class GatedSink final : public ByteSink {
 public:
  GatedSink(std::string& bytes, std::counting_semaphore<>& gate) : sink_(bytes), gate_(gate) {}
  Status Append(std::string_view bytes) override {
    gate_.acquire();
    return sink_.Append(bytes);
  }
  Status Truncate(uint64_t size) override { return sink_.Truncate(size); }
  Status Sync() override { return sink_.Sync(); }
  uint64_t size() const override { return sink_.size(); }

 private:
  StringSink sink_;
  std::counting_semaphore<>& gate_;
};

class WriteBehindTest : public testing::Test {
 protected:
  // A writer whose disk does nothing before Open().
  CaptureWriter Start(WriteBehind::Options options) {
    gate_.release();  // The header.
    auto file = CaptureFile::Create(std::make_unique<GatedSink>(bytes_, gate_), ASmallHeader(), {});
    auto behind =
        std::make_unique<WriteBehind>(*std::move(file), options, [this] { ++told_written_; });
    behind_ = behind.get();
    return CaptureWriter(std::move(behind), {});
  }
  void Open() { gate_.release(1000); }

  std::string bytes_;
  std::counting_semaphore<> gate_{0};
  std::atomic<int> told_written_ = 0;
  WriteBehind* behind_ = nullptr;
};

v1::Loss LossOf(const ReadResult& read) {
  for (const OwnedRecord& record : read.records) {
    if (record.row.has_loss()) return record.row.loss();
  }
  return {};
}

TEST_F(WriteBehindTest, ACommitReturnsWhileTheDiskIsStuckAndIsWrittenLater) {
  CaptureWriter writer = Start({});
  const size_t header = bytes_.size();
  writer.Add(ACall(1));
  EXPECT_TRUE(writer.Commit().ok());
  EXPECT_EQ(behind_->submitted(), 1U);
  EXPECT_EQ(behind_->written(), 0U);
  EXPECT_EQ(bytes_.size(), header);
  Open();
  ASSERT_TRUE(writer.Close(Time(9s), v1::END_REASON_CLOSED).ok());
  EXPECT_EQ(behind_->written(), 1U);
  EXPECT_EQ(told_written_, 1);
  const ReadResult read = ReadCapture(bytes_);
  EXPECT_EQ(read.ending, Ending::kClosed);
  EXPECT_THAT(read.CallIds(), ElementsAre(1));
}

TEST_F(WriteBehindTest, PastItsBufferItDropsAndTheFileSaysHowManyAndWhy) {
  CaptureWriter writer = Start({.buffer_bytes = 300});
  std::vector<uint64_t> kept;
  int dropped = 0;
  for (uint64_t id = 1; id <= 20; ++id) {
    writer.Add(ACall(id));
    writer.AddRow(Time(1s), AComment("x"));
    const Status status = writer.Commit();
    if (status.ok()) {
      kept.push_back(id);
      continue;
    }
    ++dropped;
    EXPECT_EQ(status.code(), ErrorCode::kWrite);
    EXPECT_THAT(status.message(), HasSubstr("the buffer of 300 bytes is full"));
  }
  EXPECT_GT(kept.size(), 1U);
  EXPECT_GT(dropped, 10);
  EXPECT_EQ(writer.calls_lost(), static_cast<uint64_t>(dropped));
  Open();
  ASSERT_TRUE(writer.Close(Time(9s), v1::END_REASON_CLOSED).ok());
  EXPECT_EQ(writer.calls_lost(), static_cast<uint64_t>(dropped));
  EXPECT_EQ(writer.rows_lost(), static_cast<uint64_t>(dropped));
  const ReadResult read = ReadCapture(bytes_);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  EXPECT_EQ(read.CallIds(), kept);
  const v1::Loss loss = LossOf(read);
  EXPECT_EQ(loss.reason(), v1::LOSS_REASON_OVERFLOW);
  EXPECT_EQ(loss.calls(), static_cast<uint64_t>(dropped));
  EXPECT_EQ(loss.rows(), static_cast<uint64_t>(dropped));
  EXPECT_EQ(loss.text(), "the buffer of 300 bytes was full");
}

TEST_F(WriteBehindTest, ABlockingOneWaitsAndLosesNothing) {
  CaptureWriter writer =
      Start({.buffer_bytes = 300, .on_overflow = WriteBehind::OnOverflow::kBlock});
  std::atomic<int> committed = 0;
  std::thread recorder([&] {
    for (uint64_t id = 1; id <= 20; ++id) {
      writer.Add(ACall(id));
      EXPECT_TRUE(writer.Commit().ok());
      ++committed;
    }
  });
  while (behind_->submitted() < 2) std::this_thread::yield();
  EXPECT_LT(committed, 20);
  Open();
  recorder.join();
  ASSERT_TRUE(writer.Close(Time(9s), v1::END_REASON_CLOSED).ok());
  EXPECT_EQ(writer.calls_lost(), 0U);
  EXPECT_EQ(ReadCapture(bytes_).CallIds().size(), 20U);
}

TEST_F(WriteBehindTest, AChunkLargerThanTheBufferIsTakenWhenNothingElseWaits) {
  CaptureWriter writer = Start({.buffer_bytes = 1});
  writer.Add(ACall(1));
  EXPECT_TRUE(writer.Commit().ok());
  writer.Add(ACall(2));
  EXPECT_FALSE(writer.Commit().ok());
  Open();
  ASSERT_TRUE(writer.Close(Time(9s), v1::END_REASON_CLOSED).ok());
  EXPECT_THAT(ReadCapture(bytes_).CallIds(), ElementsAre(1));
}

TEST_F(WriteBehindTest, WhatWaitsIsWrittenAlsoWhenNobodyCloses) {
  {
    CaptureWriter writer = Start({});
    writer.Add(ACall(1));
    EXPECT_TRUE(writer.Commit().ok());
    Open();
  }
  const ReadResult read = ReadCapture(bytes_);
  EXPECT_EQ(read.ending, Ending::kUnfinished);
  EXPECT_THAT(read.CallIds(), ElementsAre(1));
}

// Any write, cut or sync may fail, on the thread: nothing is written twice or out of order, and
// what is not there is counted.
TEST(WriteBehindFailureTest, AFailureAnywhereLosesOnlyWhatItStruckAndIsTold) {
  for (const int count : {1, 2, 5}) {
    for (int n = 1;; ++n) {
      SCOPED_TRACE(testing::Message() << "operation " << n << ", " << count << " in a row");
      std::string bytes;
      auto file = CaptureFile::Create(
          std::make_unique<FailAtSink>(bytes, FailPlan{.first = n, .count = count}), ASmallHeader(),
          {});
      ASSERT_TRUE(file.ok());
      auto behind = std::make_unique<WriteBehind>(*std::move(file), WriteBehind::Options(), [] {});
      CaptureWriter writer(std::move(behind), {});
      bool failed = false;
      for (uint64_t id = 1; id <= 3; ++id) {
        writer.Add(ACall(id));
        failed |= !writer.Commit().ok();
      }
      failed |= !writer.Close(Time(9s), v1::END_REASON_CLOSED).ok();
      const ReadResult read = ReadCapture(bytes);
      ASSERT_TRUE(read.ok()) << read.end.message();
      EXPECT_EQ(read.CallIds().size() + writer.calls_lost(), 3U);
      if (read.ending == Ending::kClosed) {
        EXPECT_EQ(LossOf(read).calls(), writer.calls_lost());
      }
      if (!failed) break;
    }
  }
}

}  // namespace
}  // namespace dstap::test
