#include "analyzer/views/stage.h"

#include <gtest/gtest.h>

namespace dstap::analyzer {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Call Answered(Method method, Outcome outcome) {
  Call call;
  call.method = method;
  call.outcome = outcome;
  call.issued = 1s;
  call.admitted = 1s;
  call.completed = 2s;
  call.served_by = ServedBy::kBackend;
  return call;
}

TEST(StageTest, ACallThatNeverWaitedWasAdmittedAtOnce) {
  EXPECT_EQ(StageOf(Answered(Method::kGetAsync, Outcome::kOk)), Stage::kAdmitted);
  EXPECT_EQ(StageOf(Answered(Method::kUpdateAsync, Outcome::kCancelled)), Stage::kAdmitted);
}

TEST(StageTest, AFailureAfterAdmissionIsStillAdmitted) {
  Call call = Answered(Method::kGetAsync, Outcome::kFailed);
  call.error_code = 502;
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
}

TEST(StageTest, ACallThatWaitedWasQueuedWhateverCameOfIt) {
  for (const Outcome outcome : {Outcome::kOk, Outcome::kCancelled, Outcome::kFailed}) {
    Call call = Answered(Method::kUpdateAsync, outcome);
    call.times_queued = 1;
    EXPECT_EQ(StageOf(call), Stage::kQueued);
  }
}

TEST(StageTest, AnUpdateThatReadTheLocalCopyAndWaitedToWriteWasQueued) {
  Call call = Answered(Method::kUpdateAsync, Outcome::kOk);
  call.served_by = ServedBy::kLocalCopy;
  call.times_queued = 1;
  EXPECT_EQ(StageOf(call), Stage::kQueued);
  call.outcome = Outcome::kCancelled;  // After a conflict its function wanted to write no more.
  EXPECT_EQ(StageOf(call), Stage::kQueued);
}

TEST(StageTest, ADropIsADropEvenAfterAWait) {
  Call call = Answered(Method::kUpdateAsync, Outcome::kDropped);
  call.times_queued = 1;
  EXPECT_EQ(StageOf(call), Stage::kDropped);
}

TEST(StageTest, AFailureWithAnErrorOfAFullQueueIsADrop) {
  Call call = Answered(Method::kGetAsync, Outcome::kFailed);
  for (const uint32_t code : {301U, 306U}) {
    call.error_code = code;
    EXPECT_EQ(StageOf(call), Stage::kDropped);
  }
  for (const uint32_t code : {300U, 307U}) {
    call.error_code = code;
    EXPECT_EQ(StageOf(call), Stage::kAdmitted);
  }
  call.error_code = 0;
  call.error_name = "StandardReadGameServerThrottled";
  EXPECT_EQ(StageOf(call), Stage::kDropped);
  // The limit of the whole experience is the backend's: the server let the call through.
  call.error_name = "StandardReadExperienceThrottled";
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
}

TEST(StageTest, ALocalReadSpentNothing) {
  Call call = Answered(Method::kGetAsync, Outcome::kOk);
  call.served_by = ServedBy::kLocalCopy;
  EXPECT_EQ(StageOf(call), Stage::kLocal);
  call.budgets[0].taken = 1;
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
}

TEST(StageTest, AnUpdateIsLocalOnlyIfItWroteNothing) {
  Call call = Answered(Method::kUpdateAsync, Outcome::kCancelled);
  call.served_by = ServedBy::kLocalCopy;
  EXPECT_EQ(StageOf(call), Stage::kLocal);
  call.outcome = Outcome::kOk;
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
  call.outcome = Outcome::kFailed;  // Its function raised.
  EXPECT_EQ(StageOf(call), Stage::kLocal);
  call.written = ValueInfo{.bytes = 2, .value = {}};
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
}

TEST(StageTest, WhatIsNotToldIsNotGuessed) {
  EXPECT_EQ(StageOf(Answered(Method::kGetAsync, Outcome::kUnknown)), Stage::kUnknown);
  Call call = Answered(Method::kGetAsync, Outcome::kOk);
  call.served_by = ServedBy::kUnknown;
  EXPECT_EQ(StageOf(call), Stage::kAdmitted);
  call.admitted.reset();
  EXPECT_EQ(StageOf(call), Stage::kUnknown);
}

TEST(StageTest, ACallInFlightMayStillGetWorse) {
  Call call = Answered(Method::kUpdateAsync, Outcome::kInFlight);
  EXPECT_EQ(StageOf(call), Stage::kInFlight);
  call.times_queued = 1;
  EXPECT_EQ(StageOf(call), Stage::kInFlight);
}

TEST(StageTest, ARejectedCallNeverCounted) {
  EXPECT_EQ(StageOf(Answered(Method::kSetAsync, Outcome::kRejected)), Stage::kRejected);
}

TEST(ThrottlingTest, TheEquationClosesWhateverWasSent) {
  Throttling sum;
  uint64_t sent = 0;
  for (const Stage stage : {Stage::kLocal, Stage::kAdmitted, Stage::kQueued, Stage::kDropped,
                            Stage::kRejected, Stage::kInFlight, Stage::kUnknown}) {
    for (uint64_t i = 0; i <= static_cast<uint64_t>(stage); ++i) {
      sum.Add(stage);
      ++sent;
      EXPECT_EQ(sum.sent, sent);
      EXPECT_EQ(sum.sent, sum.local + sum.admitted + sum.queued + sum.dropped + sum.gap());
      EXPECT_EQ(sum.gap(), sum.rejected + sum.in_flight + sum.unknown);
    }
  }
  EXPECT_EQ(sum.local, 1U);
  EXPECT_EQ(sum.admitted, 2U);
  EXPECT_EQ(sum.queued, 3U);
  EXPECT_EQ(sum.dropped, 4U);
  EXPECT_EQ(sum.rejected, 5U);
  EXPECT_EQ(sum.in_flight, 6U);
  EXPECT_EQ(sum.unknown, 7U);
  Throttling twice = sum;
  twice += sum;
  EXPECT_EQ(twice.sent, 2 * sum.sent);
  EXPECT_EQ(twice.gap(), 2 * sum.gap());
}

}  // namespace
}  // namespace dstap::analyzer
