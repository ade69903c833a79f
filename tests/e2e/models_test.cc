// The models send what the live benchmark saw the library send, and what depends on the service's
// local copies comes from the service, not from them.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"
#include "tests/e2e/live_bench.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;

// As many as live: with fewer a median says less. Under throttling a sample takes a minute and a
// half, and live had five as well.
constexpr int kSamples = 25, kThrottleSamples = 5;
constexpr int kHopSamples = 15;
constexpr double kFrame = 1.0 / 60;
// How far a median of five may be from what was seen live, as in live_bench_test.cc.
constexpr double kFewSamples = (kUpdateMax - kUpdateMin) / 2;

struct ModelStep {
  const char* library;
  const char* step;
  int update, get, past;  // Requests of each sample; none fails. `get` is its mailbox.
  double seconds_min, seconds_max;
  const char* seen;
};

// Source: the same benchmark as live_bench.h. Here a step's requests were the same in every sample.
constexpr ModelStep kModels[] = {
    {"geode", "load-new", 1, 0, 0, 0.22, 0.43, "0"},
    {"geode", "load-stored", 1, 0, 0, 0.17, 0.32, "888"},
    {"geode", "save", 1, 0, 0, 0.17, 0.30, ""},
    {"geode", "release", 1, 0, 0, 0.18, 0.77, ""},
    {"geode", "hop-releases", 2, 0, 1, 0.48, 0.88, "888"},
    {"geode", "hop-keeps", 2, 0, 1, 0.65, 0.83, "999"},
    {"geode", "throttle-load", 1, 0, 0, 32.70, 32.88, "0"},
    {"geode", "throttle-save", 1, 0, 0, 1.13, 1.32, ""},
    {"geode", "throttle-release", 1, 0, 0, 0.17, 0.40, ""},

    {"geode-mailbox", "load-new", 1, 1, 0, 0.18, 0.38, "0"},
    {"geode-mailbox", "load-stored", 1, 1, 0, 0.20, 0.28, "888"},
    {"geode-mailbox", "save", 1, 0, 0, 0.17, 0.32, ""},
    {"geode-mailbox", "release", 1, 0, 0, 0.22, 0.45, ""},
    {"geode-mailbox", "hop-releases", 2, 2, 1, 0.50, 0.98, "888"},
    {"geode-mailbox", "hop-keeps", 2, 2, 1, 0.63, 1.05, "999"},
    {"geode-mailbox", "throttle-load", 1, 1, 0, 33.70, 34.10, "0"},
    {"geode-mailbox", "throttle-save", 1, 0, 0, 0.22, 1.23, ""},
    {"geode-mailbox", "throttle-release", 1, 0, 0, 0.22, 0.27, ""},

    {"geode-before", "load-new", 1, 1, 0, 0.28, 0.52, "0"},
    {"geode-before", "load-stored", 1, 1, 0, 0.27, 0.40, "888"},
    {"geode-before", "save", 1, 0, 0, 0.15, 0.30, ""},
    {"geode-before", "release", 1, 0, 0, 0.18, 0.40, ""},
    {"geode-before", "hop-releases", 4, 1, 0, 4.55, 5.17, "888"},
    {"geode-before", "hop-keeps", 4, 1, 0, 4.62, 5.20, "999"},
    {"geode-before", "throttle-load", 1, 1, 0, 33.79, 34.11, "0"},
    {"geode-before", "throttle-save", 1, 0, 0, 0.20, 1.23, ""},
    {"geode-before", "throttle-release", 1, 0, 0, 0.17, 0.28, ""},
};

class ModelsTest : public LabTest {
 protected:
  static Json RequestsOf(int update, int get, int past) {
    Json requests = Json::object();
    if (update > 0) requests.update(Requests(kUpdate, update));
    if (get > 0) requests.update(Requests(kGet, get));
    if (past > 0) requests.update(Requests("past", past));
    return requests;
  }

  static void ExpectStep(const Json& step, const ModelStep& live) {
    EXPECT_EQ(step.at("failed"), 0);
    EXPECT_EQ(step.at("requests"), RequestsOf(live.update, live.get, live.past));
    EXPECT_EQ(step.at("failed_calls"), (Json{{"min", 0}, {"max", 0}}));
    const bool throttled = std::string_view(live.step).starts_with("throttle-");
    const double slack = throttled ? kFewSamples : kFrame;
    const Json& seconds = step.at("seconds");
    EXPECT_GE(seconds.at("median"), live.seconds_min - slack);
    EXPECT_LE(seconds.at("median"), live.seconds_max + slack);
    const Json samples = step.at("samples");
    EXPECT_EQ(step.at("values_seen"),
              *live.seen == '\0' ? Json::object() : Json({{live.seen, samples}}));
  }

  Json Hop(const std::string& library, const std::vector<std::string>& more = {}) const {
    return RunAndReport(library, {"hop-releases", "hop-keeps"}, kHopSamples, more);
  }
};

TEST_F(ModelsTest, SendWhatTheLibrarySentToTheLiveServiceAndAreCalledModels) {
  for (const std::string library : {"geode", "geode-before", "geode-mailbox"}) {
    const Json report =
        RunAndReport(library, {"load-save-release", "hop-releases", "hop-keeps"}, kSamples);
    EXPECT_EQ(report.at("subjects").at(0).at("model"), true);
    Steps steps = StepsOf(report);
    ExpectContractIsKept(library);
    for (auto& [name, step] : StepsOf(RunAndReport(library, {"throttle"}, kThrottleSamples))) {
      steps[name] = step;
    }
    ExpectContractIsKept(library);
    for (const ModelStep& live : kModels) {
      if (library != live.library) continue;
      SCOPED_TRACE(library + " " + live.step);
      ASSERT_TRUE(steps.contains(live.step));
      ExpectStep(steps[live.step], live);
      if (std::string_view(live.step) == "hop-keeps") {
        ExpectStep(steps.at("hop-keeps-early"), live);  // No autosave: no phase.
      }
    }
    EXPECT_THAT(Run({"report", "out/" + library + ".dstap"}).out, HasSubstr("(model)"));
  }
}

TEST_F(ModelsTest, TheOlderOnesLongHopComesFromTheServersCopyOfTheKey) {
  const Json report = Hop("geode-before");
  for (const char* name : {"hop-releases", "hop-keeps"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(StepsOf(report).at(name).at("throttling").at("local"), 2 * kHopSamples);
    EXPECT_GE(StepsOf(report).at(name).at("seconds").at("min"), 4.0);
  }
}

TEST_F(ModelsTest, WithoutTheCopyTheOlderOnesHopTakesLessThanASecondAndATenth) {
  const Steps steps = StepsOf(Hop("geode-before", {"--rule", "update_uses_cache=0"}));
  for (const char* name : {"hop-releases", "hop-keeps", "hop-keeps-early"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), RequestsOf(2, 1, 0));
    EXPECT_LT(steps.at(name).at("seconds").at("median"), 1.1);
  }
}

TEST_F(ModelsTest, WithOneReadPastTheCacheTheOlderOnesHopTakesLessThanASecondAndATenth) {
  std::string source = Slurp(std::string(DSTAP_SOURCE_DIR) + "/proxy/lab/models/geode.luau");
  const std::string after = "    waitForRelease(attempt, OLDER_RETRY_SECONDS)\n";
  const size_t at = source.find(after);
  ASSERT_NE(at, std::string::npos);
  Spill(Path("geode.luau"), source.insert(at + after.size(), "    readPastCache(self, key)\n"));
  const Steps steps = StepsOf(Hop("geode-before=" + Path("geode.luau")));
  for (const char* name : {"hop-releases", "hop-keeps", "hop-keeps-early"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), RequestsOf(2, 1, 1));
    EXPECT_LT(steps.at(name).at("seconds").at("median"), 1.1);
  }
}

// Its lock is an item of MemoryStore: calls of a service that the lab answers itself.
TEST_F(ModelsTest, CallsOfMemoryStoreAreInTheReportBesideTheRequests) {
  const Ran ran = Lab({"--library", "suphi", "--scenario", "load-save-release", "--scenario",
                       "hop-releases", "--scenario", "hop-keeps", "--samples", "2"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json report = Report({"out/suphi.dstap"});
  Steps steps = StepsOf(report);
  const Json one = Requests("MemorySortedMap.UpdateAsync", 1);
  const Json two = Requests("MemorySortedMap.UpdateAsync", 2);
  EXPECT_EQ(steps["load-new"].at("requests"), Requests(kGet, 1));
  EXPECT_EQ(steps["load-new"].at("services"), one);
  EXPECT_EQ(steps["load-stored"].at("values_seen"), (Json{{"888", 2}}));
  EXPECT_EQ(steps["save"].at("requests"), Requests("SetAsync", 1));
  EXPECT_FALSE(steps["save"].contains("services"));
  EXPECT_EQ(steps["release"].at("requests"), Requests("SetAsync", 1));
  EXPECT_EQ(steps["release"].at("services"), one);
  EXPECT_EQ(steps["hop-releases"].at("requests"), Requests(kGet, 1));
  EXPECT_EQ(steps["hop-releases"].at("services"), two);
  EXPECT_EQ(steps["hop-keeps"].at("requests"), Json::object());
  EXPECT_EQ(steps["hop-keeps"].at("services"), two);
  EXPECT_EQ(steps["hop-keeps"].at("failed"), 2);
  ExpectContractIsKept("suphi");
}

// A change that sends one request more breaks the contract, and the calls are named.
TEST_F(ModelsTest, ASecondReadBreaksTheContract) {
  RunAndReport("datastore2-backups", {"load-save-release"}, 2);
  ExpectContractIsKept("datastore2-backups");
  std::string contract = Slurp(std::string(DSTAP_SOURCE_DIR) +
                               "/proxy/lab/libraries/datastore2-backups/contract.toml");
  const std::string promise = "requests = { GetSortedAsync = 1 }";
  const size_t at = contract.find(promise);
  ASSERT_NE(at, std::string::npos);
  Spill(Path("c.toml"), contract.replace(at, promise.size(), "requests = {}"));
  const Ran ran = Run({"check", "--contract", "c.toml", "out/datastore2-backups.dstap"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("0 GetSortedAsync  1 GetSortedAsync"));
}

}  // namespace
}  // namespace dstap::test
