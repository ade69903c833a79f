// What live benches could not measure, over the simulator as it is: counts are what the libraries'
// constants say, whatever a request takes.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;

constexpr const char* kUpdate = "UpdateAsync";

TEST_F(LabTest, ListNamesLibrariesAndScenariosAndRecordsNothing) {
  const Ran ran = Run({"lab", "--list"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("\ndatastore2-backups  1.4.0-ts.0  upstream's own terms"));
  EXPECT_THAT(ran.out, HasSubstr("\ntakeover "));
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST_F(LabTest, ADeadServersProfileIsTakenOver) {
  ASSERT_EQ(Lab({"--library", "profile-store", "--library", "profile-service", "--scenario",
                 "takeover", "--samples", "1"})
                .status,
            0);
  const Steps store = StepsOf(Report({"out/profile-store.dstap"}));
  EXPECT_EQ(store.at("takeover-5s").at("requests"), Requests(kUpdate, 6));
  EXPECT_NEAR(store.at("takeover-5s").at("seconds").at("max"), 46.5, 0.5);
  EXPECT_EQ(store.at("takeover-700s").at("requests"), Requests(kUpdate, 1));
  const Steps service = StepsOf(Report({"out/profile-service.dstap"}));
  for (const char* step : {"takeover-5s", "takeover-700s"}) {
    EXPECT_EQ(service.at(step).at("requests"), Requests(kUpdate, 10));
    EXPECT_NEAR(service.at(step).at("seconds").at("max"), 63.4, 0.3);
    EXPECT_EQ(service.at(step).at("values_seen"), (Json{{"777", 1}}));
  }
}

// The figures are those of the same libraries over a stand-in with these latencies and no local
// copies, rounded to 0.01 s or, the long ones, 0.1 s.
TEST_F(LabTest, WithFixedLatenciesTimesAreThoseOfAnotherStandInToOneFrame) {
  const auto steps_of = [&](const std::string& library, std::vector<std::string> more) {
    more.insert(more.end(), {"--library", library, "--samples", "1", "--latency", "reference"});
    EXPECT_EQ(Lab(more).status, 0);
    return StepsOf(Report({"out/" + library + ".dstap"}));
  };
  constexpr double kFrame = 1.0 / 60 + 0.005;  // And the rounding.
  const auto seconds = [](const Json& step, const char* which = "seconds") {
    return step.at(which).at("median").get<double>();
  };
  const Steps service = steps_of("profile-service", {"--scenario", "hop-releases", "--scenario",
                                                     "hop-keeps", "--scenario", "takeover"});
  EXPECT_NEAR(seconds(service.at("hop-releases")), 7.27, kFrame);
  EXPECT_NEAR(seconds(service.at("hop-keeps")), 21.30, kFrame);
  EXPECT_NEAR(seconds(service.at("hop-keeps-early")), 28.32, kFrame);
  EXPECT_NEAR(seconds(service.at("takeover-5s")), 63.4, 0.05 + kFrame);
  const Steps lapis = steps_of(
      "lapis", {"--scenario", "hop-releases", "--scenario", "hop-keeps", "--rule", "cache_ms=0"});
  EXPECT_NEAR(seconds(lapis.at("hop-releases")), 1.53, kFrame);
  EXPECT_EQ(lapis.at("hop-releases").at("requests"), Requests(kUpdate, 2));
  EXPECT_NEAR(seconds(lapis.at("hop-keeps"), "failed_seconds"), 24.3, 0.05 + kFrame);
}

TEST_F(LabTest, FortyPlayersAreWithinTheirServersBudgetWithNewRulesAndOld) {
  // In 2020 there was no key info, which this library insists on; the budgets are those of 2023.
  for (const char* rules : {"2026", "2023"}) {
    SCOPED_TRACE(rules);
    ASSERT_EQ(Lab({"--library", "profile-store", "--scenario", "players", "--samples", "1",
                   "--rules", rules})
                  .status,
              0);
    const Steps steps = StepsOf(Report({"out/profile-store.dstap"}));
    for (const int size : {1, 10, 40}) {
      for (const char* what : {"join-", "leave-"}) {
        const Json& step = steps.at(what + std::to_string(size));
        EXPECT_EQ(step.at("requests"), Requests(kUpdate, size));
        EXPECT_EQ(step.at("failed"), 0);
        EXPECT_EQ(step.at("throttling").at("queued"), 0);
      }
    }
  }
}

}  // namespace
}  // namespace dstap::test
