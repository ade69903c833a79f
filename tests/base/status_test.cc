#include "proto/base/status.h"

#include <gtest/gtest.h>

#include <memory>

#include "proto/base/exit_status.h"

namespace dstap {
namespace {

Status Fails() { return {ErrorCode::kDamaged, "byte 7: wrong"}; }
Result<std::unique_ptr<int>> Makes(int n) { return std::make_unique<int>(n); }

Result<int> Adds(bool fail) {
  DSTAP_TRY_ASSIGN(const std::unique_ptr<int> one, Makes(1));
  DSTAP_TRY_ASSIGN(const std::unique_ptr<int> two, Makes(2));
  if (fail) DSTAP_TRY(Fails());
  return *one + *two;
}

TEST(StatusTest, EachLayerAddsWhereItStood) {
  EXPECT_EQ(Fails().At("chunk 3").At("run.dstap").message(), "run.dstap: chunk 3: byte 7: wrong");
  EXPECT_EQ(Status().At("run.dstap").message(), "");
}

TEST(ResultTest, TheMacrosPassOnErrorsAndUnpackValues) {
  EXPECT_EQ(*Adds(false), 3);
  const Result<int> failed = Adds(true);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().code(), ErrorCode::kDamaged);
}

TEST(ResultDeathTest, TheValueOfAnErrorIsABugAndEndsTheProgram) {
  EXPECT_DEATH(static_cast<void>(*Adds(true)), "a bug in dstap");
}

TEST(ExitStatusTest, SaysTheSameAsTheReadme) {
  EXPECT_EQ(ExitStatusOf(ErrorCode::kOk), ExitStatus::kFine);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kUsage), ExitStatus::kUsage);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kDamaged), ExitStatus::kBadInput);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kWrite), ExitStatus::kNoOutput);
}

}  // namespace
}  // namespace dstap
