// A hundred kills; `tests/kill/run` makes as many as one likes.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/kill/kill.h"

namespace dstap::test {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kKillsEach = 10;

class KillTest : public testing::TestWithParam<uint64_t> {};

TEST_P(KillTest, WhatWasAnsweredIsInTheFileAndTheFileIsGood) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("dstap-kill-" + std::to_string(::getpid()));
  Killer killer(DSTAP_PROGRAM, DSTAP_TEST_CLIENT, folder);
  uint64_t answered = 0;
  uint64_t torn = 0;
  uint64_t killed = 0;
  for (uint64_t n = GetParam() * kKillsEach; n < (GetParam() + 1) * kKillsEach; ++n) {
    const KillResult result = killer.Run(PlanOf(kSeed, n));
    ASSERT_EQ(result.broken, "") << "kill " << n << "; its files are in " << folder;
    answered += result.answered;
    torn += result.torn_bytes;
    killed += result.was_killed ? 1 : 0;
  }
  // Else it would say little.
  EXPECT_GT(answered, 50U);
  EXPECT_GT(torn, 0U);
  EXPECT_GT(killed, kKillsEach / 2);
}

INSTANTIATE_TEST_SUITE_P(Ten, KillTest, testing::Range(uint64_t{0}, uint64_t{10}));

}  // namespace
}  // namespace dstap::test
