#include "analyzer/render/schedule.h"

#include <gtest/gtest.h>

#include "analyzer/views/method_counts.h"

namespace dstap::analyzer {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr size_t kUpdate = static_cast<size_t>(Method::kUpdateAsync);
constexpr size_t kGet = static_cast<size_t>(Method::kGetAsync);

Attempt At(Time issued, Outcome outcome, size_t column = kUpdate,
           ServedBy served_by = ServedBy::kBackend) {
  return {.column = column,
          .issued = issued,
          .completed = issued,
          .served_by = served_by,
          .outcome = outcome};
}

RetryChain ChainOf(const std::vector<Attempt>& attempts) {
  RetryChain chain;
  for (const Attempt& attempt : attempts) chain.Add(attempt);
  return chain;
}

TEST(ScheduleTest, TimesAreFromTheFirstTryWithoutZerosAtTheEnd) {
  EXPECT_EQ(FormatSchedule(ChainOf({At(3s, Outcome::kCancelled), At(8250ms, Outcome::kOk)})),
            "2 tries at 0, 5.25 s: cancelled, ok");
  EXPECT_EQ(FormatSchedule(ChainOf({At(3s, Outcome::kFailed), At(13s, Outcome::kOk)})),
            "2 tries at 0, 10 s: failed, ok");
}

TEST(ScheduleTest, AnswersOfTheLocalCopyAreMarked) {
  const RetryChain chain = ChainOf(
      {At(0s, Outcome::kCancelled), At(500ms, Outcome::kCancelled, kUpdate, ServedBy::kLocalCopy),
       At(2500ms, Outcome::kCancelled, kUpdate, ServedBy::kLocalCopy), At(4600ms, Outcome::kOk)});
  EXPECT_EQ(FormatSchedule(chain),
            "4 tries at 0, 0.5, 2.5, 4.6 s: cancelled, cancelled (local copy), cancelled (local "
            "copy), ok");
  EXPECT_EQ(FormatAnsweredBy(chain), "2 backend, 2 local copy");
  EXPECT_EQ(FormatMethods(chain), "UpdateAsync");
}

TEST(ScheduleTest, WhoAnsweredATryIsSaidWhenOfOthersItIsKnown) {
  const Attempt unknown = At(1s, Outcome::kOk, kUpdate, ServedBy::kUnknown);
  EXPECT_EQ(FormatSchedule(ChainOf({At(0s, Outcome::kFailed), unknown})),
            "2 tries at 0, 1 s: failed, ok (by whom is not known)");
  EXPECT_EQ(FormatSchedule(ChainOf({unknown, unknown})), "2 tries at 0, 0 s: ok, ok");
}

TEST(ScheduleTest, EachTryNamesItsMethodWhenTheyDiffer) {
  const RetryChain chain = ChainOf(
      {At(0s, Outcome::kCancelled), At(400ms, Outcome::kOk, kPastColumn), At(450ms, Outcome::kOk)});
  EXPECT_EQ(FormatSchedule(chain),
            "3 tries at 0, 0.4, 0.45 s: UpdateAsync cancelled, GetAsync past the cache ok, "
            "UpdateAsync ok");
  EXPECT_EQ(FormatMethods(chain), "UpdateAsync, GetAsync past the cache");
  EXPECT_EQ(FormatAnsweredBy(chain), "backend");
}

TEST(ScheduleTest, EightTriesAreShownAndOfNineTheFirstThreeAndTheLast) {
  std::vector<Attempt> attempts;
  for (int i = 0; i < 8; ++i) attempts.push_back(At(i * 1s, Outcome::kCancelled));
  EXPECT_EQ(FormatSchedule(ChainOf(attempts)), "8 tries at 0, 1, 2, 3, 4, 5, 6, 7 s: 8 cancelled");
  attempts.push_back(At(8s, Outcome::kOk));
  EXPECT_EQ(FormatSchedule(ChainOf(attempts)), "9 tries at 0, 1, 2, ..., 8 s: 8 cancelled, ok");
}

TEST(ScheduleTest, SixtyOneTriesFitIntoALine) {
  std::vector<Attempt> attempts;
  for (int64_t i = 0; i < 60; ++i) {
    attempts.push_back(
        At(Time(i * 1'000'000'000 / 60), Outcome::kDropped, kGet, ServedBy::kUnknown));
  }
  attempts.push_back(At(1s, Outcome::kOk, kGet));
  const RetryChain chain = ChainOf(attempts);
  EXPECT_EQ(FormatSchedule(chain), "61 tries at 0, 0.017, 0.033, ..., 1 s: 60 dropped, ok");
  EXPECT_EQ(FormatAnsweredBy(chain), "backend");  // Dropped ones were answered by nobody.
}

TEST(ScheduleTest, OutcomesThatAlternateAreCutToo) {
  std::vector<Attempt> attempts;
  for (int i = 0; i < 10; ++i) {
    attempts.push_back(At(i * 1s, i % 2 == 0 ? Outcome::kFailed : Outcome::kDropped));
  }
  EXPECT_EQ(FormatSchedule(ChainOf(attempts)),
            "10 tries at 0, 1, 2, ..., 9 s: failed, dropped, failed, ..., dropped");
}

TEST(ScheduleTest, WhatIsLeftOutIsCountedAndItsOrderIsNotClaimed) {
  std::vector<Attempt> attempts;
  for (size_t i = 0; i < 1000; ++i) {
    attempts.push_back(At(i * 1s, i % 2 == 0 ? Outcome::kFailed : Outcome::kDropped));
  }
  EXPECT_EQ(FormatSchedule(ChainOf(attempts)),
            "1000 tries at 0, 1, 2, ..., 999 s: 500 dropped, 500 failed; the last dropped");
  RetryChain small;
  for (const Attempt& attempt : attempts) small.Add(attempt, true);
  EXPECT_EQ(FormatSchedule(small),
            "1000 tries at 0, ..., 999 s: 500 dropped, 500 failed; the last dropped");
}

TEST(ScheduleTest, WhatNobodyAnsweredSaysSo) {
  const RetryChain chain = ChainOf({At(0s, Outcome::kFailed, kUpdate, ServedBy::kUnknown),
                                    At(1s, Outcome::kInFlight, kUpdate, ServedBy::kUnknown)});
  EXPECT_EQ(FormatSchedule(chain), "2 tries at 0, 1 s: failed, no answer");
  EXPECT_EQ(FormatAnsweredBy(chain), "not known");
  EXPECT_EQ(FormatAnsweredBy(ChainOf({At(0s, Outcome::kDropped), At(1s, Outcome::kDropped)})), "");
}

}  // namespace
}  // namespace dstap::analyzer
