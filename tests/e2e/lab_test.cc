// What every run of the lab keeps to, whichever the library.
#include <gmock/gmock.h>

#include "tests/e2e/lab.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(LabTest, TheSameSeedGivesTheSameBytesAndAnotherOnlyOtherTimes) {
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "1"}).status, 0);
  const std::string first = Slurp(Path("out/datastore2.dstap"));
  auto one = StepsOf(Report({"out/datastore2.dstap"}));
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "1"}).status, 0);
  EXPECT_EQ(first, Slurp(Path("out/datastore2.dstap")));
  ASSERT_EQ(Lab({"--library", "datastore2", "--seed", "2"}).status, 0);
  auto two = StepsOf(Report({"out/datastore2.dstap"}));
  ASSERT_EQ(one.size(), two.size());
  bool other_times = false;
  for (const auto& [name, step] : one) {
    EXPECT_EQ(step.at("requests"), two[name].at("requests")) << name;
    other_times = other_times || step.at("seconds") != two[name].at("seconds");
  }
  EXPECT_TRUE(other_times);
}

TEST_F(LabTest, LibrariesThatRunAtOneTimeAreToldAndRecordedAsOneAfterTheOther) {
  const std::vector<std::string> names = {"lapis", "datastore2", "profile-store"};
  const auto run = [&](const std::string& jobs) {
    std::vector<std::string> words = {"--samples", "1", "--jobs", jobs};
    for (const std::string& name : names) words.insert(words.end(), {"--library", name});
    const Ran ran = Lab(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    std::vector<std::string> out = {ran.err};
    for (const std::string& name : names) out.push_back(Slurp(Path("out/" + name + ".dstap")));
    return out;
  };
  const std::vector<std::string> one_by_one = run("1");
  EXPECT_THAT(one_by_one[0], StartsWith("dstap lab: lapis: 5 calls"));
  EXPECT_EQ(run("3"), one_by_one);
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

TEST_F(OwnLibraryTest, ThatCouldNotRunIsInTheReportWithItsReasonBesideOnesThatCould) {
  ASSERT_EQ(Lab({"--library", "lapis", "--samples", "1"}).status, 0);
  EXPECT_EQ(LabWith("return nil + 1\n").status, 1);
  const Json report = Report({"out/lapis.dstap", "out/datastore2.dstap"});
  const Json& not_run = report.at("not_run");
  ASSERT_EQ(not_run.size(), 1U);
  EXPECT_EQ(not_run[0].at("name"), "datastore2");
  EXPECT_THAT(not_run[0].at("reasons")[0].at("text").get<std::string>(), HasSubstr("init.luau:1:"));
  EXPECT_THAT(Run({"report", "out/datastore2.dstap"}).out,
              HasSubstr("Not whole: command-failed 1"));
}

TEST_F(OwnLibraryTest, ThatIsBrokenOffAfterGoodSamplesPassesNoComparison) {
  std::filesystem::copy(std::string(DSTAP_SOURCE_DIR) + "/proxy/lab/examples/notebook",
                        Path("notebook"));
  const std::string source = Slurp(Path("notebook/init.luau"));
  const auto lab = [&](const std::string& folder, const std::string& before_save) {
    std::string text = source;
    const std::string save = "function Notebook:save()\n";
    EXPECT_NE(text.find(save), std::string::npos);
    Spill(Path("notebook/init.luau"), text.insert(text.find(save) + save.size(), before_save));
    return Run({"lab", "--library", "notebook=" + Path("notebook"), "--samples", "3",
                "--time-limit", "10", "-o", folder})
        .status;
  };
  ASSERT_EQ(lab("old", ""), 0);
  // Three saves a sample: it stops in the third one.
  ASSERT_EQ(lab("new", "SAVES = (SAVES or 0) + 1 while SAVES > 6 do end\n"), 1);
  const Ran ran = Run({"diff", "old", "new", "--fail-on", "requests"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("4 steps compared"));
  EXPECT_THAT(ran.out, HasSubstr("Every step that was compared sends the same requests."));
  EXPECT_THAT(ran.err, HasSubstr("new: is not whole (command-failed 1"));
  EXPECT_EQ(Run({"diff", "old", "old", "--fail-on", "requests"}).status, 0);
}

TEST_F(OwnLibraryTest, ThatMakesNoCallKeepsAnEarlierCapture) {
  ASSERT_EQ(Lab({"--library", "datastore2", "--samples", "1"}).status, 0);
  const std::string before = Slurp(Path("out/datastore2.dstap"));
  const Ran ran = LabWith("local = 3\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("out/datastore2.dstap stays as it was\n"));
  EXPECT_EQ(Slurp(Path("out/datastore2.dstap")), before);
}

TEST_F(OwnLibraryTest, ThatIsNoLuauIsNamedWithFileAndLine) {
  const Ran ran = LabWith("This is a letter, and no module.\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, StartsWith("dstap lab: datastore2: datastore2/init.luau:1: "));
  EXPECT_THAT(ran.err, Not(HasSubstr("socket")));
  EXPECT_EQ(Run({"verify", "out/datastore2.dstap"}).status, 0);
}

struct NoModule {
  const char* path;
  const char* says;
};

class NoModuleTest : public LabTest, public testing::WithParamInterface<NoModule> {};

TEST_P(NoModuleTest, IsOneLineAndAnEarlierCaptureStays) {
  std::filesystem::create_directories(Path("empty"));
  std::filesystem::create_directories(Path("text"));
  Spill(Path("text/readme.txt"), "no module");
  std::filesystem::create_symlink("loop", Path("loop"));
  std::filesystem::create_directories(Path("out"));
  Spill(Path("out/datastore2.dstap"), "earlier");
  const Ran ran = Lab({"--library", std::string("datastore2=") + GetParam().path});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, StartsWith("dstap lab: --library datastore2"));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().path));
  EXPECT_THAT(ran.err, HasSubstr(GetParam().says));
  EXPECT_TRUE(IsOneLine(ran.err)) << ran.err;
  EXPECT_EQ(Slurp(Path("out/datastore2.dstap")), "earlier");
  EXPECT_FALSE(std::filesystem::exists(Path("out/datastore2.dstap.part")));
}

constexpr const char* kNoInit = "has no init.luau or init.lua, so it is not a module";
constexpr const char* kNotThere = "there is no such file or folder";
const NoModule kNoModules[] = {
    {"empty", kNoInit},
    {"text", kNoInit},
    {"missing", kNotThere},
    {"loop", kNotThere},
    {"text/readme.txt/below", kNotThere},
    {"/proc/self/mem", "cannot be read"},
};

INSTANTIATE_TEST_SUITE_P(All, NoModuleTest, testing::ValuesIn(kNoModules), [](const auto& tested) {
  std::string name = tested.param.path;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

// A scenario of one load, and something without end: in virtual time, or in none at all.
struct Endless {
  const char* name;
  const char* source;
  const char* doing;  // What it was stopped in.
};

class EndlessScenarioTest : public LabTest, public testing::WithParamInterface<Endless> {};

TEST_P(EndlessScenarioTest, IsStoppedByTheWallClockAndWhatItDidIsKept) {
  Spill(Path("endless.luau"), std::string(R"(
local lab = ...
local server = lab:server({ name = "server", role = "server" })
local profile = lab:profile()
local hold = lab:hold(server, profile)
lab:step(server, 1, "load-new", profile, hold.load)
lab:wait(8)
)") + GetParam().source);
  const Ran ran =
      Lab({"--library", "datastore2", "--scenario", "./endless.luau", "--time-limit", "4"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err,
              StartsWith(std::string("dstap lab: datastore2: stopped after 4 s of wall clock in ") +
                         GetParam().doing));
  EXPECT_THAT(ran.err, HasSubstr("--time-limit"));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 2);  // The other names the capture.
  const Ran verify = Run({"verify", "out/datastore2.dstap"});
  EXPECT_EQ(verify.status, 0);
  EXPECT_THAT(verify.out, HasSubstr("datastore2.dstap: closed, 1 call"));
  const Steps steps = StepsOf(Report({"out/datastore2.dstap"}));
  EXPECT_EQ(steps.at("load-new").at("requests"), Requests("GetAsync", 1));
}

const Endless kEndless[] = {
    {"WaitsForEver", "while true do lab:wait(1) end",
     "scenario endless, after step load-new, sample 1: "},
    {"StepLoopsForEver",
     "lab:step(server, 1, 'forever', profile, function() while true do end end)",
     "step forever, sample 1: "},
};

INSTANTIATE_TEST_SUITE_P(All, EndlessScenarioTest, testing::ValuesIn(kEndless),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace dstap::test
