// Nothing is tuned to the live figures: change a constant in a copy of a library, or a rule of the
// service, and requests and times move to where working them out by hand puts them.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"
#include "tests/e2e/live_bench.h"

namespace dstap::test {
namespace {

namespace fs = std::filesystem;

constexpr double kFrame = 1.0 / 60;
constexpr int kSamples = 2;

class ChangedTest : public LabTest {
 protected:
  // Copies an installed library and replaces the one place where `from` stands. Gives the value for
  // --library.
  std::string Copy(const std::string& name, const std::string& package, const std::string& file,
                   const std::string& from, const std::string& to) const {
    const fs::path source = fs::path(DSTAP_SOURCE_DIR) / "proxy/lab/node_modules" / package / "src";
    std::error_code error;
    fs::copy(source, Path("copy"), fs::copy_options::recursive, error);
    EXPECT_FALSE(error) << source << ": " << error.message();
    std::string text = Slurp(Path("copy/" + file));
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << file << " of " << package << " has no \"" << from << '"';
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " stands there twice";
    if (at != std::string::npos) Spill(Path("copy/" + file), text.replace(at, from.size(), to));
    return name + "=" + Path("copy");
  }

  static void ExpectSeconds(const Json& step, double low, double high) {
    EXPECT_GE(step.at("seconds").at("min"), low);
    EXPECT_LE(step.at("seconds").at("max"), high);
  }

  struct Burst {
    int sent, at_once, queued, dropped;
  };
  static void ExpectBurst(const Json& step, const Burst& burst) {
    EXPECT_EQ(step.at("requests"), Requests(kUpdate, burst.sent));
    const Json& throttling = step.at("throttling");
    EXPECT_EQ(throttling.at("admitted"), kSamples * burst.at_once);
    EXPECT_EQ(throttling.at("queued"), kSamples * burst.queued);
    EXPECT_EQ(throttling.at("dropped"), kSamples * burst.dropped);
    EXPECT_EQ(throttling.at("gap"), 0);
    EXPECT_EQ(step.at("failed_calls"), (Json{{"min", burst.dropped}, {"max", burst.dropped}}));
  }
};

// ProfileStore's second try of a load comes 5 s after the first one's answer; here 3 s. Within 4 s
// of that answer its server still has its own copy of the key, which is the state before the old
// server's write: the try begins with it, its write is refused, and it writes again. That is two
// requests' time for one request. Then the build in npm waits for a message.
TEST_F(ChangedTest, AFirstRepeatOfThreeSecondsHandsOverTwoSecondsEarlier) {
  const Json report = RunAndReport(Copy("profile-store", "@rbxts/profile-store", "init.luau",
                                        "FIRST_LOAD_REPEAT = 5 ", "FIRST_LOAD_REPEAT = 3 "),
                                   {"hop-releases", "hop-keeps"}, kSamples);
  const Steps steps = StepsOf(report);
  for (const auto& [name, seen] :
       {std::pair("hop-releases", "888"), {"hop-keeps", "999"}, {"hop-keeps-early", "999"}}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), Requests(kUpdate, 2));
    EXPECT_EQ(steps.at(name).at("values_seen"), (Json{{seen, kSamples}}));
    const Json schedule = ScheduleOf(report, name);
    ASSERT_TRUE(schedule.is_object());
    // From one try's end to the next one's start: 3 s, and at most the frame after.
    EXPECT_NEAR(schedule.at("attempts").at(1).at("wait"), 3.0 + kFrame / 2, kFrame);
    EXPECT_EQ(schedule.at("attempts").at(1).at("served_by"), "local_copy");
    ExpectSeconds(steps.at(name), kUpdateMin + 3.0 + 2 * kUpdateMin + kMessageMin,
                  kUpdateMax + 3.0 + kFrame + 2 * kUpdateMax + kMessageMax);
  }
}

// ProfileService's requests for one key are 7 s apart; here 4 s, so at 0, 4.02, 8.03, ... 20.08 and
// 24.10 s: the first frame past 4 s each, or the frame at 4 s by a rounding of os.clock.
//   hop-releases: the old server has released long before the second try.
//   hop-keeps: the old server saves by itself 30 s after its save, and hands over then: 20.8 s into
//   the hop, or 22 s when it begins 1.2 s earlier after the save. Both are between the sixth try
//   and the seventh, so seven requests where there were four and five.
//   throttle-release: right after the save of the same key, so it waits the 4 s.
// The last try begins with the server's own copy, not 4 s old; it then writes twice, as above.
TEST_F(ChangedTest, ACooldownOfFourSecondsAsksSevenTimesForAKeptProfile) {
  const Json report = RunAndReport(Copy("profile-service", "@rbxts/profileservice", "init.lua",
                                        "RobloxWriteCooldown = 7,", "RobloxWriteCooldown = 4,"),
                                   {"hop-releases", "hop-keeps", "throttle"}, kSamples);
  const Steps steps = StepsOf(report);

  EXPECT_EQ(steps.at("hop-releases").at("requests"), Requests(kUpdate, 2));
  EXPECT_EQ(steps.at("hop-releases").at("values_seen"), (Json{{"888", kSamples}}));
  ExpectSeconds(steps.at("hop-releases"), 4.0 + kUpdateMin, 4.0 + kFrame + 2 * kUpdateMax);

  for (const char* name : {"hop-keeps", "hop-keeps-early"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), Requests(kUpdate, 7));
    EXPECT_EQ(steps.at(name).at("values_seen"), (Json{{"999", kSamples}}));
    ExpectSeconds(steps.at(name), 6 * 4.0 + kUpdateMin, 6 * (4.0 + kFrame) + 2 * kUpdateMax);
  }

  // The load waits for the queue, as with 7 s. A wait past 4 s, then a request; the wait counts
  // from the save's start.
  EXPECT_EQ(steps.at("throttle-release").at("requests"), Requests(kUpdate, 1));
  ExpectSeconds(steps.at("throttle-release"), 4.0 + kUpdateMin - kUpdateMax,
                4.0 + kFrame + kUpdateMax - kUpdateMin);
}

// The queue holds 10 instead of 30: 160 - 121 - 10 = 29 are dropped. It empties at one a second, so
// the last leaves after 10 s; and a library that tries every frame gets the place that is free
// after 1 s, as its 61st try, and leaves the queue 10 s later: at 11 s instead of 31.
TEST_F(ChangedTest, AQueueOfTenDropsTwentyMore) {
  const Steps steps =
      StepsOf(RunAndReport("datastore2", {"throttle"}, kSamples, {"--rule", "queue_length=10"}));
  const Json& burst = steps.at("throttle-burst");
  ExpectBurst(burst, {.sent = 160, .at_once = 121, .queued = 10, .dropped = 29});
  EXPECT_NEAR(burst.at("longest_queue"), 10.0, kFrame);
  EXPECT_EQ(steps.at("throttle-load").at("requests"), Requests(kGet, 61));
  EXPECT_EQ(steps.at("throttle-load").at("failed_calls"), (Json{{"min", 60}, {"max", 60}}));
  // 0.12 s: the longest that reading a missing key took live.
  ExpectSeconds(steps.at("throttle-load"), 11.0, 11.0 + kFrame + 0.12);
}

// A server begins with 60 requests instead of 120: a burst of 60 + 40, of which one passes more
// than the budget shows, 30 wait, and 100 - 61 - 30 = 9 are dropped, as many as before.
TEST_F(ChangedTest, AServerThatBeginsWithSixtyLetsSixtyOneThrough) {
  const Steps steps =
      StepsOf(RunAndReport("datastore2", {"throttle"}, kSamples, {"--rule", "start_level=60"}));
  const Json& burst = steps.at("throttle-burst");
  ExpectBurst(burst, {.sent = 100, .at_once = 61, .queued = 30, .dropped = 9});
  EXPECT_EQ(burst.at("budgets").at("StandardRead").at("before"), (Json{{"min", 60}, {"max", 60}}));
  EXPECT_EQ(steps.at("throttle-load").at("requests"), Requests(kGet, 61));
  ExpectSeconds(steps.at("throttle-load"), 31.0, 31.0 + kFrame + 0.12);
}

// The lab has 0.3.0 for its Promise. 26 bytes are "lastCompatibleVersion":0, which 0.3.8 adds.
TEST_F(ChangedTest, ADiffOfLapisZeroThreeZeroAndZeroThreeEightShowsLargerValuesAndNothingElse) {
  const std::string old_source =
      std::string(DSTAP_SOURCE_DIR) + "/proxy/lab/node_modules/lapis-promise";
  const auto run = [&](const std::string& library, const std::string& folder) {
    return Run({"lab", "--library", library, "--scenario", "load-save-release", "--scenario",
                "hop-releases", "--samples", "1", "-o", folder})
        .status;
  };
  ASSERT_EQ(run("lapis=" + old_source, "old"), 0);
  ASSERT_EQ(run("lapis@0.3.8", "new"), 0);
  const Ran ran = Run({"diff", "old", "new", "--fail-on", "sizes", "--format", "json"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  const Json diff = Json::parse(ran.out);
  EXPECT_EQ(diff.at("differences"),
            (Json{{"requests", 0}, {"steps", 0}, {"values", 0}, {"retries", 0}, {"sizes", 5}}));
  for (const Json& step : diff.at("subjects").at(0).at("steps")) {
    const auto bytes = [&step](const char* side) {
      return step.at(side).at("written_bytes").at("min").get<int>();
    };
    EXPECT_EQ(bytes("new") - bytes("old"), 26) << step.at("name");
  }
  EXPECT_EQ(Run({"diff", "old", "new", "--fail-on", "requests,steps,values,retries"}).status, 0);
}

}  // namespace
}  // namespace dstap::test
