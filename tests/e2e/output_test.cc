// Where `dstap record` writes: behind what is there, in parts, or only when something happens.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/e2e/program.h"

namespace dstap::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class OutputTest : public ProgramTest {
 protected:
  Ran Record(int calls, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {"record", "-o", "run.dstap"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", DSTAP_TEST_CLIENT, "calls", std::to_string(calls)});
    return Run(words);
  }
  std::vector<std::string> Captures() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Path(""))) {
      if (entry.path().extension() == ".dstap") names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  size_t CallsIn(const std::string& name) const {
    const Ran cat = Run({"cat", name, "--format", "jsonl"});
    return static_cast<size_t>(std::count(cat.out.begin(), cat.out.end(), '\n'));
  }
};

TEST_F(OutputTest, ACaptureIsPackedWhenItIsClosedUnlessToldNotTo) {
  ASSERT_EQ(Record(200, {"--no-pack"}).status, 0);
  const auto loose = std::filesystem::file_size(Path("run.dstap"));
  const std::string calls = Run({"cat", "run.dstap"}).out;
  ASSERT_EQ(Record(200, {"--force"}).status, 0);
  EXPECT_LT(std::filesystem::file_size(Path("run.dstap")), loose / 2);
  EXPECT_EQ(Run({"cat", "run.dstap"}).out, calls);
  EXPECT_FALSE(std::filesystem::exists(Path("run.dstap.part")));
}

TEST_F(OutputTest, AppendWritesAnotherRecordingBehindTheFirst) {
  ASSERT_EQ(Record(10, {"--append"}).status, 0);  // There is no file yet.
  ASSERT_EQ(Record(5, {"--append"}).status, 0);
  EXPECT_THAT(Run({"verify", "run.dstap"}).out, HasSubstr("closed, 15 calls, 2 recordings"));
}

TEST_F(OutputTest, AppendCutsATornTailAndRefusesADamagedCapture) {
  ASSERT_EQ(Record(10, {"--no-pack"}).status, 0);
  const std::string whole = Slurp(Path("run.dstap"));
  Spill(Path("run.dstap"), whole.substr(0, whole.size() - 3));
  ASSERT_EQ(Record(5, {"--append"}).status, 0);
  EXPECT_THAT(Run({"verify", "run.dstap"}).out, HasSubstr("unfinished, 15 calls, 2 recordings"));

  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  Spill(Path("run.dstap"), damaged);
  const Ran refused = Record(5, {"--append"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("dstap recover"));
  EXPECT_EQ(Slurp(Path("run.dstap")), damaged);
  EXPECT_EQ(Record(5, {"--append", "--force"}).status, 2);
}

TEST_F(OutputTest, RotateMakesPartsThatTogetherHaveEachCallOnce) {
  const Ran ran = Record(100, {"--rotate", "2s"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::vector<std::string> names = Captures();
  ASSERT_GT(names.size(), 2U);
  EXPECT_EQ(names[0], "run.0001.dstap");
  EXPECT_THAT(ran.err, HasSubstr("dstap record: wrote run.0001.dstap, run.0002.dstap"));
  size_t calls = 0;
  std::vector<std::string> report = {"report"};
  for (const std::string& name : names) {
    EXPECT_THAT(Run({"verify", name}).out, HasSubstr(": closed, "));
    calls += CallsIn(name);
    report.push_back(name);
  }
  EXPECT_EQ(calls, 100U);
  EXPECT_THAT(Run(report).out, HasSubstr("continued"));
}

TEST_F(OutputTest, AFlightRecorderWritesWhenACallMatches) {
  const Ran quiet = Record(50, {"--dump-on", "outcome == dropped"});
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  EXPECT_THAT(quiet.err, HasSubstr("no call matched --dump-on, no file was written"));
  EXPECT_THAT(Captures(), SizeIs(0));

  const Ran ran = Record(50, {"--keep", "1s", "--dump-on", "id == 30"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(Captures(), ElementsAre("run.0001.dstap"));
  EXPECT_THAT(Run({"verify", "run.0001.dstap"}).out, HasSubstr("closed"));
  EXPECT_THAT(Run({"cat", "run.0001.dstap", "--format", "jsonl"}).out, HasSubstr("\"id\":30,"));
  EXPECT_LT(CallsIn("run.0001.dstap"), 40U);
  EXPECT_THAT(Run({"report", "--format", "json", "run.0001.dstap"}).out, HasSubstr("dump-on"));
}

TEST_F(OutputTest, OptionsThatMakeNoSenseAreRefusedBeforeTheCommandRuns) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--rotate", "often"}, "--rotate often: is no size such as 100MB, and no time such as 10m"},
      {{"--rotate", "0s"}, "--rotate 0s"},
      {{"--keep", "60s"}, "--dump-on"},
      {{"--keep", "soon", "--dump-on", "queue > 5s"}, "--keep soon: is no time"},
      {{"--dump-on", "queue >"}, "--dump-on: column"},
      {{"--dump-on", "step == load-new"}, "--dump-on: column 1"},
      {{"--rotate", "1s", "--dump-on", "queue > 5s"}, "--dump-on"},
      {{"--rotate", "1s", "--append"}, "--append"},
      {{"--buffer", "much"}, "--buffer"},
      {{"--on-overflow", "panic"}, "--on-overflow"},
  };
  for (const auto& [options, says] : wrong) {
    const Ran ran = Record(5, options);
    EXPECT_EQ(ran.status, 2) << says << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(says));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.out, Not(HasSubstr("answered")));
    EXPECT_THAT(Captures(), SizeIs(0)) << says;
  }
}

}  // namespace
}  // namespace dstap::test
