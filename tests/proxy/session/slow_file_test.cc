// Answers and the file that is written behind them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/session/commit_progress.h"
#include "tests/proxy/session/playbook.h"

namespace dstap::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

class FakeProgress final : public proxy::CommitProgress {
 public:
  uint64_t submitted() const override { return submitted_; }
  uint64_t written() const override { return is_busy ? 0 : submitted_; }
  bool is_busy = false;

 private:
  uint64_t submitted_ = 1;
};

class SlowFileTest : public testing::Test {
 protected:
  explicit SlowFileTest(std::optional<Time> wait_max = 1s)
      : book_(proxy::Hub::Options{
            .clock = v1::CLOCK_KIND_WALL, .progress = &progress_, .answer_wait_max = wait_max}) {
    book_.In({Hello(v1::CLOCK_KIND_WALL), SourceInfo(1, "server")});
  }
  void AnswerCall(uint64_t id, Time now) {
    book_.hub->OnBytes(now, book_.connection, Delimited(Get(id, "k")));
    book_.backend.OkAt(now, id);
    book_.hub->Advance(now);
  }

  FakeProgress progress_;
  Playbook book_;
};

class PatientTest : public SlowFileTest {
 protected:
  PatientTest() : SlowFileTest(std::nullopt) {}
};

TEST_F(SlowFileTest, AnAnswerWaitsForItsRecord) {
  progress_.is_busy = true;
  AnswerCall(1, 10ms);
  EXPECT_THAT(book_.Out(10ms), IsEmpty());
  EXPECT_THAT(book_.Written().calls, SizeIs(1));  // It was handed on.
  progress_.is_busy = false;
  EXPECT_THAT(book_.Out(20ms), SizeIs(1));
}

TEST_F(SlowFileTest, WhatIsAnsweredMeanwhileBecomesOneCommit) {
  progress_.is_busy = true;
  AnswerCall(1, 10ms);
  EXPECT_THAT(book_.Out(10ms), IsEmpty());
  AnswerCall(2, 20ms);
  EXPECT_THAT(book_.Out(20ms), IsEmpty());
  AnswerCall(3, 30ms);
  EXPECT_THAT(book_.Out(30ms), IsEmpty());
  EXPECT_THAT(book_.Written().calls, SizeIs(1));
  progress_.is_busy = false;
  EXPECT_THAT(book_.Out(40ms), SizeIs(3));
  EXPECT_THAT(book_.Written().calls, SizeIs(3));
}

TEST_F(SlowFileTest, AnAnswerWaitsNoLongerThanItMayAndTheCaptureSaysSo) {
  progress_.is_busy = true;
  AnswerCall(1, 10ms);
  EXPECT_THAT(book_.Out(10ms), IsEmpty());
  EXPECT_EQ(book_.hub->NextEvent(), Time(1010ms));
  EXPECT_THAT(book_.Out(1009ms), IsEmpty());
  EXPECT_THAT(book_.Out(1010ms), SizeIs(1));
  // While it stays so nobody waits.
  AnswerCall(2, 1020ms);
  EXPECT_THAT(book_.Out(1020ms), SizeIs(1));
  // Afterwards they do again.
  progress_.is_busy = false;
  EXPECT_THAT(book_.Out(1030ms), IsEmpty());
  progress_.is_busy = true;
  AnswerCall(3, 1040ms);
  EXPECT_THAT(book_.Out(1040ms), IsEmpty());
  progress_.is_busy = false;
  EXPECT_THAT(book_.Out(1050ms), SizeIs(1));
  std::vector<std::string> notices;
  for (const v1::Row& row : book_.Written().rows) {
    if (row.has_notice()) notices.push_back(row.notice().text());
  }
  EXPECT_THAT(notices, ElementsAre(HasSubstr("answers went out before their records")));
}

TEST_F(PatientTest, WhereNothingMayBeDroppedAnAnswerWaitsForEver) {
  progress_.is_busy = true;
  AnswerCall(1, 10ms);
  EXPECT_THAT(book_.Out(10ms), IsEmpty());
  EXPECT_THAT(book_.Out(1000s), IsEmpty());
  EXPECT_EQ(book_.hub->NextEvent(), std::nullopt);
  progress_.is_busy = false;
  EXPECT_THAT(book_.Out(1001s), SizeIs(1));
}

}  // namespace
}  // namespace dstap::test
