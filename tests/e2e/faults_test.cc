// `--fault` and fault plans, from the command line through to what is said of the capture.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"

namespace dstap::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FaultsTest : public LabTest {
 protected:
  Ran Record(const std::vector<std::string>& options,
             const std::vector<std::string>& client = {"calls", "4"}) const {
    std::vector<std::string> words = {"record", "--force", "-o", "run.dstap"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", DSTAP_TEST_CLIENT});
    words.insert(words.end(), client.begin(), client.end());
    return Run(words);
  }
  // The calls as `dstap cat` has them.
  std::vector<Json> Calls() const {
    std::istringstream lines(Run({"cat", "run.dstap", "--format", "jsonl"}).out);
    std::vector<Json> calls;
    for (std::string line; std::getline(lines, line);) calls.push_back(Json::parse(line));
    return calls;
  }
};

TEST_F(FaultsTest, ARuleFailsTheCallsItSaysAndTheReportSaysThatItDid) {
  const Ran ran = Record({"--fault", "error=InternalServerError count=2 method=GetAsync"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Run({"verify", "run.dstap"}).status, 0);
  const std::vector<Json> calls = Calls();
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[0].at("outcome"), "failed");
  EXPECT_EQ(calls[0].at("fault"), 1);
  EXPECT_EQ(calls[1].at("fault"), 2);
  EXPECT_EQ(calls[2].at("outcome"), "ok");
  EXPECT_FALSE(calls[2].contains("fault"));
  EXPECT_THAT(Run({"report", "run.dstap"}).out,
              AllOf(HasSubstr("2 faults on purpose. See \"Not seen\"."),
                    HasSubstr("InternalServerError count=2")));
  EXPECT_THAT(Run({"info", "run.dstap"}).out, HasSubstr("2: error 2"));
  EXPECT_THAT(Run({"cat", "run.dstap"}).out, HasSubstr("fault 2"));
}

TEST_F(FaultsTest, ARunWithFaultsIsNotTakenForOneWithout) {
  ASSERT_EQ(Record({}).status, 0);
  std::filesystem::rename(Path("run.dstap"), Path("plain.dstap"));
  ASSERT_EQ(Record({"--fault", "drop call=2"}).status, 0);
  EXPECT_THAT(Run({"diff", "plain.dstap", "run.dstap"}).out,
              AllOf(HasSubstr("fault-injected 1"), HasSubstr("option fault")));
}

TEST_F(FaultsTest, TheSameSeedMakesTheSameFaultsAndAnotherSeedOthers) {
  const auto bytes = [this](const std::string& seed) {
    EXPECT_EQ(
        Record({"--seed", seed, "--fault", "error=502 probability=0.5"}, {"calls", "40"}).status,
        0);
    return Slurp(Path("run.dstap"));
  };
  const auto struck = [this] {
    std::string out;
    for (const Json& call : Calls()) out += call.contains("fault") ? 'x' : '.';
    return out;
  };
  const std::string first = bytes("1");
  const std::string struck_first = struck();
  EXPECT_THAT(struck_first, AllOf(HasSubstr("x"), HasSubstr(".")));
  EXPECT_EQ(bytes("1"), first);
  bytes("2");
  EXPECT_NE(struck(), struck_first);
}

TEST_F(FaultsTest, NonsenseIsRefusedBeforeAnythingIsStarted) {
  const Ran rule = Record({"--fault", "queue=-5s"});
  EXPECT_EQ(rule.status, 2);
  EXPECT_EQ(rule.err,
            "dstap record: --fault \"queue=-5s\": queue=-5s: a time cannot be negative\n");
  EXPECT_FALSE(std::filesystem::exists(Path("run.dstap")));
  Spill(Path("plan.toml"), "[[fault]]\ndrop = true\n\n[[fault]]\nmethod = \"Get\"\ndrop = true\n");
  const Ran plan = Record({"--fault-plan", "plan.toml"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_THAT(plan.err, StartsWith("dstap record: plan.toml:5: method=Get: no method \"Get\""));
  EXPECT_TRUE(IsOneLine(plan.err)) << plan.err;
  const Ran both = Record({"--fault", "drop", "--fault", "error=502"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("can never strike"));
  EXPECT_EQ(Record({"--fault-plan", "missing.toml"}).status, 3);
  EXPECT_FALSE(std::filesystem::exists(Path("run.dstap")));
}

TEST_F(FaultsTest, RulesOfTheCommandLineStandBeforeThoseOfAPlan) {
  std::filesystem::create_directories(Path("plans"));
  Spill(Path("plans/two.toml"), "[[fault]]\nerror = \"502\"\ncount = 2\n");
  ASSERT_EQ(Record({"--fault-plan", "plans/two.toml", "--fault", "drop count=1"}).status, 0);
  const std::vector<Json> calls = Calls();
  EXPECT_EQ(calls.at(0).at("outcome"), "dropped");
  EXPECT_EQ(calls.at(1).at("outcome"), "failed");
  EXPECT_EQ(calls.at(2).at("outcome"), "failed");
  EXPECT_EQ(calls.at(3).at("outcome"), "ok");
  const std::string report = Run({"report", "--format", "json", "run.dstap"}).out;
  EXPECT_THAT(report, HasSubstr("two.toml"));
  EXPECT_THAT(report, Not(HasSubstr("plans/")));
}

constexpr const char* kScenario = R"(
local lab = ...
local server = lab:server({ name = "server", role = "server" })
local profile = lab:profile()
lab:wait(8)
lab:step(server, 1, "load-new", profile, lab:hold(server, profile).load)
)";

TEST_F(FaultsTest, APlanBesideAScenarioGoesWithIt) {
  Spill(Path("flaky.luau"), kScenario);
  Spill(Path("flaky.toml"), "[[fault]]\nstep = \"load-*\"\nerror = \"502\"\ncount = 2\n");
  const Ran ran = Lab({"--library", "datastore2", "--scenario", "./flaky.luau"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Steps steps = StepsOf(Report({"out/datastore2.dstap"}));
  EXPECT_EQ(steps.at("load-new").at("requests"), Requests("GetAsync", 3));
  EXPECT_THAT(Run({"info", "out/datastore2.dstap"}).out, HasSubstr("2: error 2"));
  const std::string report = Run({"report", "--format", "json", "out/datastore2.dstap"}).out;
  EXPECT_THAT(report, HasSubstr("flaky.toml"));
  EXPECT_THAT(report, Not(HasSubstr("./flaky.toml")));
  Spill(Path("flaky.toml"), "[[fault]]\nstep = \"load-*\"\n");
  const Ran bad = Lab({"--library", "datastore2", "--scenario", "./flaky.luau"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("flaky.toml:1: says nothing that happens"));
}

TEST_F(FaultsTest, AScenarioOfTheLabHasNoFaultsUnlessAskedFor) {
  ASSERT_EQ(Lab({"--library", "datastore2", "--samples", "1"}).status, 0);
  EXPECT_THAT(Run({"info", "out/datastore2.dstap"}).out, Not(HasSubstr("fault")));
}

}  // namespace
}  // namespace dstap::test
