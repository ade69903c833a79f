// The policies that libraries' own sources say they follow are found in what they send.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;

class RetryPoliciesTest : public LabTest {
 protected:
  // The only policy of a step.
  static Json PolicyOf(const Json& report, const std::string& step) {
    for (const Json& row : report.at("retries")) {
      if (row.at("step") == step && row.at("policies").size() == 1) return row["policies"][0];
    }
    ADD_FAILURE() << step << " has not one policy";
    return {};
  }

  // The same without what says how well it fits.
  static Json LawOf(const Json& report, const std::string& step) {
    const Json policy = PolicyOf(report, step);
    EXPECT_EQ(policy.at("explained"), policy.at("gaps")) << step;
    Json law = policy.at("parts").at(0);
    for (const char* key : {"gaps", "first_gap"}) law.erase(key);
    return law;
  }

  static Json Exponential(double delay, double factor) {
    return {{"kind", "exponential"}, {"from", "answer"}, {"delay", delay}, {"factor", factor}};
  }
};

TEST_F(RetryPoliciesTest, OfFailures) {
  const Ran ran = Lab({"--library", "profile-store", "--library", "profile-service", "--library",
                       "datastore2", "--scenario", "failures"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json store = Report({"out/profile-store.dstap"});
  Json capped = Exponential(1, 2);
  capped["cap"] = 20;
  for (const std::string step : {"load-fails", "release-fails"}) {
    EXPECT_EQ(LawOf(store, step + "-3"), Exponential(1, 2));
    EXPECT_EQ(LawOf(store, step + "-always"), capped);
    EXPECT_EQ(PolicyOf(store, step + "-always").at("confidence"), "high");
    // Of one gap nothing more is claimed.
    EXPECT_EQ(PolicyOf(store, step + "-1").at("kind"), "fixed");
    EXPECT_EQ(PolicyOf(store, step + "-1").at("confidence"), "low");
  }
  const Json cooldown = {{"kind", "cooldown"}, {"from", "start"}, {"delay", 7}};
  const Json service = Report({"out/profile-service.dstap"});
  EXPECT_EQ(LawOf(service, "load-fails-3"), cooldown);
  EXPECT_EQ(LawOf(service, "load-fails-always"), cooldown);
  const Json eager = Report({"out/datastore2.dstap"});
  const Json immediate = {{"kind", "immediate"}, {"from", "answer"}};
  EXPECT_EQ(LawOf(eager, "load-fails-3"), immediate);
  EXPECT_EQ(LawOf(eager, "load-fails-always"), immediate);
  EXPECT_EQ(PolicyOf(eager, "load-fails-always").at("confidence"), "high");
}

TEST_F(RetryPoliciesTest, OfAConflict) {
  const Ran ran = Lab({"--library", "profile-service", "--library", "lapis", "--library",
                       "geode-before", "--scenario", "hop-keeps", "--samples", "3"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json service = PolicyOf(Report({"out/profile-service.dstap"}), "hop-keeps");
  EXPECT_EQ(service.at("parts").at(0).at("kind"), "cooldown");
  EXPECT_EQ(service.at("parts").at(0).at("delay"), 7);
  EXPECT_EQ(service.at("confidence"), "high");

  const Json lapis = Report({"out/lapis.dstap"});
  EXPECT_EQ(LawOf(lapis, "hop-keeps"), (Json{{"kind", "fixed"}, {"from", "answer"}, {"delay", 1}}));
  const Json schedule = ScheduleOf(lapis, "hop-keeps");
  EXPECT_EQ(schedule.at("tries"), 20);
  EXPECT_EQ(schedule.at("end"), "gave_up");

  // A message is waited for; then the copy answers twice, until it is too old.
  const Json before = Report({"out/geode-before.dstap"});
  const Json policy = PolicyOf(before, "hop-keeps");
  EXPECT_EQ(policy.at("kind"), "in_parts");
  ASSERT_EQ(policy.at("parts").size(), 2U);
  EXPECT_EQ(policy["parts"][0].at("kind"), "irregular");
  EXPECT_EQ(policy["parts"][1].at("kind"), "fixed");
  EXPECT_EQ(policy["parts"][1].at("first_gap"), 2);
  EXPECT_EQ(policy["parts"][1].at("delay"), 2.05);
  for (const Json& row : before.at("retries")) {
    for (const Json& each : row.at("schedules")) {
      const Json& attempts = each.at("attempts");
      ASSERT_EQ(attempts.size(), 4U);
      const std::array at = {0.0, 0.5, 2.5, 4.6};
      for (size_t i = 0; i < at.size(); ++i) {
        EXPECT_NEAR(attempts[i].at("at"), at[i], 0.3);
        EXPECT_EQ(attempts[i].at("served_by"), i == 1 || i == 2 ? "local_copy" : "backend");
      }
    }
  }
}

TEST_F(RetryPoliciesTest, OfATakeoverAndTheCallsItRestsOnAreShown) {
  const Json report = RunAndReport("profile-store", {"takeover"}, 1);
  const Json policy = PolicyOf(report, "takeover-5s");
  ASSERT_EQ(policy.at("parts").size(), 2U);
  EXPECT_EQ(policy["parts"][0].at("delay"), 5);
  EXPECT_EQ(policy["parts"][0].at("gaps"), 1);
  EXPECT_EQ(policy["parts"][1].at("delay"), 10);
  EXPECT_EQ(policy["parts"][1].at("gaps"), 4);
  const Json call = ScheduleOf(report, "takeover-5s").at("attempts").at(1).at("call");
  const Ran shown =
      Run({"cat", "out/profile-store.dstap", "--call", call.dump(), "--format", "jsonl"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(Json::parse(shown.out).at("id"), call);
  EXPECT_EQ(Json::parse(shown.out).at("step"), "takeover-5s");
  EXPECT_THAT(Run({"report", "out/profile-store.dstap"}).out,
              HasSubstr("fixed 5 s, from gap 2 on fixed 10 s after the answer"));
}

}  // namespace
}  // namespace dstap::test
