// The main job, from the library's real source to the report.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/e2e/program.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;

// What a live benchmark measured in October 2026: five runs of five samples on live servers with no
// players. Counts were the same in every sample; seconds are the lowest and highest seen.
struct Live {
  const char* step;
  const char* method;
  double seconds_min, seconds_max;
};
constexpr Live kDataStore2[] = {
    {"load-new", "GetAsync", 0.07, 0.12},
    {"load-stored", "GetAsync", 0.02, 0.08},
    {"save", "UpdateAsync", 0.20, 0.42},
    {"release", "UpdateAsync", 0.20, 0.35},
};
// Live times were printed with two decimals.
constexpr double kRounding = 0.005;

class LabTest : public ProgramTest {
 protected:
  Ran Lab(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"lab", "--samples", "5", "-o", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  }
  nlohmann::json Report(const std::string& file) const {
    const Ran ran = Run({"report", file, "--format", "json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
  std::map<std::string, nlohmann::json> StepsOf(const nlohmann::json& report) const {
    std::map<std::string, nlohmann::json> steps;
    for (const auto& step : report.at("subjects").at(0).at("steps")) {
      steps[step.at("name").get<std::string>()] = step;
    }
    return steps;
  }
};

TEST_F(LabTest, DataStore2SendsWhatItSentToTheLiveService) {
  const Ran ran = Lab({"--library", "datastore2", "--scenario", "load-save-release"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto report = Report("out/datastore2.dstap");
  EXPECT_EQ(report.at("format"), "dstap.report/1");
  EXPECT_EQ(report.at("subjects").at(0).at("name"), "datastore2");
  auto steps = StepsOf(report);
  for (const Live& live : kDataStore2) {
    SCOPED_TRACE(live.step);
    const auto& step = steps[live.step];
    // Release comes twice a sample: after the save, and after the second load.
    EXPECT_EQ(step.at("samples"), std::string(live.step) == "release" ? 10 : 5);
    EXPECT_EQ(step.at("failed"), 0);
    EXPECT_EQ(step.at("requests"),
              nlohmann::json::parse(std::string("{\"") + live.method + R"(":{"min":1,"max":1}})"));
    EXPECT_GE(step.at("seconds").at("min").get<double>(), live.seconds_min - kRounding);
    EXPECT_LE(step.at("seconds").at("max").get<double>(), live.seconds_max + kRounding);
    const auto& throttling = step.at("throttling");
    EXPECT_EQ(throttling.at("sent"), throttling.at("admitted"));
    EXPECT_EQ(throttling.at("queued"), 0);
    EXPECT_EQ(throttling.at("dropped"), 0);
  }
}

TEST_F(LabTest, TheSameSeedGivesTheSameBytesAndAnotherOnlyOtherTimes) {
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "1"}).status, 0);
  const std::string first = Slurp(Path("out/datastore2.dstap"));
  auto one = StepsOf(Report("out/datastore2.dstap"));
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "1"}).status, 0);
  EXPECT_EQ(first, Slurp(Path("out/datastore2.dstap")));
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "2"}).status, 0);
  auto two = StepsOf(Report("out/datastore2.dstap"));
  ASSERT_EQ(one.size(), two.size());
  bool other_times = false;
  for (const auto& [name, step] : one) {
    EXPECT_EQ(step.at("requests"), two[name].at("requests")) << name;
    other_times = other_times || step.at("seconds") != two[name].at("seconds");
  }
  EXPECT_TRUE(other_times);
}

TEST_F(LabTest, AnEarlierCaptureStaysWhenTheWordsAreWrong) {
  ASSERT_EQ(Lab({"--library", "datastore2"}).status, 0);
  const std::string before = Slurp(Path("out/datastore2.dstap"));
  EXPECT_EQ(Lab({"--library", "datastore2", "--scenario", "no-such-scenario"}).status, 2);
  EXPECT_EQ(Slurp(Path("out/datastore2.dstap")), before);
  EXPECT_FALSE(std::filesystem::exists(Path("out/datastore2.dstap.part")));
}

TEST_F(LabTest, NothingOfTheMachineIsInACapture) {
  ASSERT_EQ(Lab({"--library", "datastore2"}).status, 0);
  const std::string bytes = Slurp(Path("out/datastore2.dstap"));
  EXPECT_EQ(bytes.find("/home"), std::string::npos);
  EXPECT_EQ(bytes.find(folder_), std::string::npos);
  EXPECT_EQ(bytes.find(DSTAP_SOURCE_DIR), std::string::npos);
}

// A library of a few lines, with the wiring of the one it stands in for.
class OwnLibraryTest : public LabTest {
 protected:
  Ran LabWith(const std::string& source, const std::vector<std::string>& more = {}) const {
    std::filesystem::create_directories(Path("mine"));
    Spill(Path("mine/init.luau"), source);
    std::vector<std::string> words = {"--library", "datastore2=" + Path("mine")};
    words.insert(words.end(), more.begin(), more.end());
    return Lab(words);
  }
};

TEST_F(OwnLibraryTest, ThatErrorsIsNamedWithFileAndLineAndTheCaptureIsKept) {
  const Ran ran = LabWith("local x = nil\nreturn x.field\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr(":2:"));
  EXPECT_EQ(Run({"verify", "out/datastore2.dstap"}).status, 0);
}

TEST_F(OwnLibraryTest, ThatLoopsForEverIsStoppedAndTheCaptureIsKept) {
  const Ran ran = LabWith("while true do end\n", {"--time-limit", "2"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("2 s"));
  EXPECT_EQ(Run({"verify", "out/datastore2.dstap"}).status, 0);
}

TEST_F(OwnLibraryTest, ThatAsksForAServiceThatDoesNotExistIsToldWhich) {
  const Ran ran = LabWith("return game:GetService(\"TeapotService\")\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("TeapotService"));
  EXPECT_THAT(ran.err, HasSubstr(":1:"));
}

TEST_F(OwnLibraryTest, InAFolderWithoutAModuleIsOneLine) {
  std::filesystem::create_directories(Path("empty"));
  const Ran ran = Lab({"--library", "datastore2=" + Path("empty")});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("empty"));
}

}  // namespace
}  // namespace dstap::test
