// The main job, from the real source of four libraries to the report: what comes out is what a live
// benchmark measured.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/e2e/lab.h"
#include "tests/e2e/live_bench.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kSamples = 5;

// Live times were printed with two decimals, and time passes in frames.
constexpr double kRounding = 0.005, kFrame = 1.0 / 60;
// How far one sample may be from what was seen live: by all that one UpdateAsync's time varied.
// What holds a step to its band is the median. Under throttling each live run had a single sample,
// five in all, and a median may be half as far.
constexpr double kOneSample = kUpdateMax - kUpdateMin;

class LiveBenchTest : public LabTest {
 protected:
  static void ExpectStep(const Steps& steps, const BenchStep& live) {
    ASSERT_TRUE(steps.contains(live.step));
    const Json& step = steps.at(live.step);
    // A release comes twice a sample: after the save, and after the second load.
    const int samples = std::string_view(live.step) == "release" ? 2 * kSamples : kSamples;
    EXPECT_EQ(step.at("samples"), samples);
    EXPECT_EQ(step.at("failed"), 0);

    const Json& requests = step.at("requests");
    ASSERT_EQ(requests.size(), 1U) << requests;
    ASSERT_TRUE(requests.contains(live.method)) << requests;
    EXPECT_GE(requests.at(live.method).at("min"), live.requests_min);
    EXPECT_LE(requests.at(live.method).at("max"), live.requests_max);
    EXPECT_EQ(step.at("failed_calls"), (Json{{"min", live.failed}, {"max", live.failed}}));

    const double low = live.seconds_min + live.message_waits * kMessageMin - kRounding;
    const double high = live.seconds_max + live.message_waits * kMessageMax + kRounding;
    const bool throttled = std::string_view(live.step).starts_with("throttle-");
    const double slack = throttled ? kOneSample / 2 : kFrame;
    const Json& seconds = step.at("seconds");
    EXPECT_GE(seconds.at("median"), low - slack);
    EXPECT_LE(seconds.at("median"), high + slack);
    EXPECT_GE(seconds.at("min"), low - kOneSample);
    EXPECT_LE(seconds.at("max"), high + kOneSample);

    const Json seen = *live.seen == '\0' ? Json::object() : Json{{live.seen, samples}};
    EXPECT_EQ(step.at("values_seen"), seen);

    const Json& throttling = step.at("throttling");
    EXPECT_EQ(throttling.at("gap"), 0);
    EXPECT_EQ(throttling.at("dropped"), live.failed * kSamples);
  }

  static void ExpectBurst(const Json& step) {
    EXPECT_EQ(step.at("requests"), Requests(kUpdate, kBurstSent));
    EXPECT_EQ(step.at("failed_calls"), (Json{{"min", kBurstDropped}, {"max", kBurstDropped}}));
    const Json& throttling = step.at("throttling");
    EXPECT_EQ(throttling.at("sent"), kSamples * kBurstSent);
    EXPECT_EQ(throttling.at("local"), 0);
    EXPECT_EQ(throttling.at("admitted"), kSamples * kBurstAtOnce);
    EXPECT_EQ(throttling.at("queued"), kSamples * kBurstQueued);
    EXPECT_EQ(throttling.at("dropped"), kSamples * kBurstDropped);
    EXPECT_EQ(throttling.at("gap"), 0);
    // The queue empties at a request a second.
    EXPECT_NEAR(step.at("longest_queue"), kBurstQueued, kFrame);

    const auto budget = [&step](const char* type) -> const Json& {
      return step.at("budgets").at(type);
    };
    for (const char* type : {"StandardRead", "UpdateAsync"}) {
      SCOPED_TRACE(type);
      EXPECT_EQ(budget(type).at("before"), (Json{{"min", 120}, {"max", 120}}));
      EXPECT_EQ(budget(type).at("lowest"), 0);
      EXPECT_EQ(budget(type).at("after"), (Json{{"min", 0}, {"max", 0}}));
    }
    // Transforms that return nil write nothing: it only grows.
    EXPECT_EQ(budget("StandardWrite").at("before"), (Json{{"min", 120}, {"max", 120}}));
    EXPECT_EQ(budget("StandardWrite").at("lowest"), 120);
    EXPECT_GE(budget("StandardWrite").at("after").at("min"), 120);
  }

  // That the library's first request left so long after the burst or later, in each sample.
  static void ExpectFirstCallAfterTheBurst(const std::string& file, Time wait) {
    const ReadResult capture = ReadCapture(Slurp(file));
    ASSERT_TRUE(capture.ok());
    std::map<uint32_t, Time> burst, first;  // By source: a server a sample.
    for (const OwnedRecord& record : capture.records) {
      const capture::CallRecord& call = record.call;
      if (!record.is_call) continue;
      if (call.store == "Throwaway") {
        burst.emplace(call.source, call.issued);
      } else if (burst.contains(call.source)) {
        first.emplace(call.source, call.issued);
      }
    }
    EXPECT_EQ(first.size(), static_cast<size_t>(kSamples));
    for (const auto& [source, issued] : first) EXPECT_GE(issued - burst[source], wait) << source;
  }

  // A hop away from a server that keeps the profile, which this library does not take: the load
  // gives up after its 20 tries. 15 of them are answered by the server's own copy.
  static void ExpectRefused(const Json& report, const Steps& steps, const std::string& name) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), Requests(kUpdate, 20));
    EXPECT_EQ(steps.at(name).at("failed"), kSamples);
    EXPECT_EQ(steps.at(name).at("seconds"), Json());
    EXPECT_EQ(steps.at(name).at("values_seen"), Json::object());
    const Json schedule = ScheduleOf(report, name);
    ASSERT_TRUE(schedule.is_object());
    EXPECT_EQ(schedule.at("samples"), kSamples);
    EXPECT_EQ(schedule.at("end"), "gave_up");
    EXPECT_EQ(schedule.at("outcomes"), (Json{{"cancelled", 20}}));
    EXPECT_EQ(schedule.at("answered_by"), (Json{{"backend", 5}, {"local_copy", 15}}));
  }
};

// One test, since the run takes longest of all. What it finds wrong, it names by library and step.
TEST_F(LiveBenchTest, FourLibrariesSendWhatTheySentToTheLiveService) {
  const std::vector<std::string> libraries = {"profile-store", "profile-service", "lapis",
                                              "datastore2"};
  std::vector<std::string> words, files;
  for (const std::string& library : libraries) {
    words.insert(words.end(), {"--library", library});
    files.push_back("out/" + library + ".dstap");
  }
  for (const char* scenario : {"load-save-release", "hop-releases", "hop-keeps", "throttle"}) {
    words.insert(words.end(), {"--scenario", scenario});
  }
  words.insert(words.end(), {"--samples", std::to_string(kSamples), "--seed", "1"});
  const Ran ran = Lab(words);
  ASSERT_EQ(ran.status, 0) << ran.err;

  // All in one report: a subject each, in the order of their names.
  const Json together = Report(files);
  EXPECT_EQ(together.at("format"), "dstap.report/1");
  EXPECT_EQ(together.at("subjects").size(), libraries.size());
  EXPECT_EQ(together.at("not_run"), Json::array());
  std::map<std::string, Steps> steps;
  for (size_t i = 0; i < together.at("subjects").size(); ++i) {
    steps[together.at("subjects").at(i).at("name").get<std::string>()] = StepsOf(together, i);
  }

  const auto expect_all = [&steps](auto& table) {
    for (const BenchStep& live : table) {
      SCOPED_TRACE(std::string(live.library) + " " + live.step);
      ASSERT_TRUE(steps.contains(live.library));
      ExpectStep(steps[live.library], live);
    }
  };
  expect_all(kMeasured);
  expect_all(kDerived);
  for (const std::string& library : libraries) {
    SCOPED_TRACE(library);
    ASSERT_TRUE(steps[library].contains("throttle-burst"));
    ExpectBurst(steps[library]["throttle-burst"]);
  }
  // A step of the run that no row above holds would be a step that nothing compares.
  std::set<std::string> compared, all;
  for (const BenchStep& row : kMeasured) compared.insert(std::string(row.library) + " " + row.step);
  for (const BenchStep& row : kDerived) compared.insert(std::string(row.library) + " " + row.step);
  for (const std::string& library : libraries) {
    compared.insert(library + " throttle-burst");
    for (const auto& [name, step] : steps[library]) all.insert(library + " " + name);
  }
  compared.insert({"lapis hop-keeps", "lapis hop-keeps-early"});
  EXPECT_EQ(compared, all);

  for (const std::string& library : libraries) ExpectContractIsKept(library, {"--all-steps"});

  const Json lapis = Report({"out/lapis.dstap"});
  ExpectRefused(lapis, steps["lapis"], "hop-keeps");
  ExpectRefused(lapis, steps["lapis"], "hop-keeps-early");
  ExpectFirstCallAfterTheBurst(Path("out/lapis.dstap"), std::chrono::seconds(32));
  // Of a hop's five requests two reach the service.
  const Json hop = ScheduleOf(lapis, "hop-releases");
  ASSERT_TRUE(hop.is_object());
  EXPECT_EQ(hop.at("answered_by"), (Json{{"backend", 2}, {"local_copy", 3}}));
  EXPECT_EQ(steps["lapis"]["hop-releases"].at("throttling").at("local"), 3 * kSamples);
}

TEST_F(LiveBenchTest, WithoutTheCacheRuleALibraryThatAsksAgainAfterASecondNeedsTwo) {
  const Ran ran = Lab({"--library", "lapis", "--scenario", "hop-releases", "--scenario",
                       "hop-keeps", "--samples", "2", "--rule", "update_uses_cache=0"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json report = Report({"out/lapis.dstap"});
  const Steps steps = StepsOf(report);
  const Json& hop = steps.at("hop-releases");
  EXPECT_EQ(hop.at("requests"), Requests(kUpdate, 2));
  EXPECT_EQ(hop.at("values_seen"), (Json{{"888", 2}}));
  EXPECT_EQ(hop.at("throttling").at("local"), 0);
  // A cancelled try of at most 0.08 s (a read), a second to the frame, a whole one.
  EXPECT_GE(hop.at("seconds").at("min"), 1.0 + kUpdateMin);
  EXPECT_LE(hop.at("seconds").at("max"), 1.0 + 0.08 + 2 * kFrame + kUpdateMax);
  for (const char* name : {"hop-keeps", "hop-keeps-early"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(steps.at(name).at("requests"), Requests(kUpdate, 20));
    EXPECT_EQ(steps.at(name).at("failed"), 2);
    EXPECT_EQ(steps.at(name).at("throttling").at("local"), 0);
  }
}

// What the capture of one burst holds, call by call.
TEST_F(LiveBenchTest, DroppedRequestsCarryTheServicesTextAndQueuedOnesItsWarning) {
  const Ran ran = Lab({"--library", "datastore2", "--scenario", "throttle", "--samples", "1"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const ReadResult capture = ReadCapture(Slurp(Path("out/datastore2.dstap")));
  ASSERT_TRUE(capture.ok());

  std::map<uint64_t, std::vector<std::string>> warnings;  // By call.
  for (const OwnedRecord& record : capture.records) {
    const v1::Notice& notice = record.row.notice();
    if (record.is_call || notice.kind() != v1::NOTICE_KIND_QUEUE_WARNING) continue;
    warnings[notice.call()].push_back(notice.text());
  }
  std::map<std::string, int> dropped;  // By store.
  int queued_in_burst = 0;
  for (const OwnedRecord& record : capture.records) {
    if (!record.is_call || record.call.outcome == v1::OUTCOME_IN_FLIGHT) continue;
    const capture::CallRecord& call = record.call;
    SCOPED_TRACE(std::string(call.key));
    if (call.outcome == v1::OUTCOME_DROPPED) {
      EXPECT_EQ(call.error_text, kBurstError);
      EXPECT_EQ(call.error_name, "StandardReadGameServerThrottled");
      ++dropped[std::string(call.store)];
    }
    // Each call was warned about, by its key, as often as it waited.
    ASSERT_EQ(warnings[call.id].size(), call.times_queued);
    for (const std::string& warning : warnings[call.id]) {
      EXPECT_THAT(warning, StartsWith(kQueueWarning));
      EXPECT_THAT(warning, EndsWith("Key = " + std::string(call.key)));
    }
    queued_in_burst += call.store == "Throwaway" && call.times_queued > 0 ? 1 : 0;
  }
  EXPECT_EQ(queued_in_burst, kBurstQueued);
  // The library's own: every frame of the second until a place in the queue is free.
  EXPECT_EQ(dropped,
            (std::map<std::string, int>{{"Throwaway", kBurstDropped}, {"PlayerData", 60}}));
  // `dstap cat` prints what the server was told.
  const Ran cat = Run({"cat", "--format", "jsonl", "out/datastore2.dstap"});
  EXPECT_THAT(cat.out, HasSubstr(std::string("\"error_text\":\"") + kBurstError + "\""));
}

}  // namespace
}  // namespace dstap::test
