#include "analyzer/diff/diff.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::Get;
using test::GetPast;
using test::Update;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Report ReportOf(std::initializer_list<CaptureScript> scripts) {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  for (const CaptureScript& script : scripts) script.Feed(builder);
  return views.Take();
}

// A capture with one sample of each step.
struct StepOf {
  std::string_view name = "load";
  std::vector<capture::CallRecord> calls = {};
  std::string_view observed = {};
  bool ok = true;
};

CaptureScript Capture(std::string_view subject, std::string_view version,
                      const std::vector<StepOf>& steps) {
  CaptureScript script;
  script.Header().Source(1, "server", subject, version);
  uint64_t id = 0;
  for (const StepOf& step : steps) {
    const Time begin = ++id * 100s;
    script.Begin(begin, {.id = id, .subject = subject, .name = step.name});
    for (capture::CallRecord call : step.calls) {
      call.issued += begin;
      if (call.admitted) *call.admitted += begin;
      if (call.completed) *call.completed += begin;
      script.Call(call);
    }
    if (step.ok) {
      script.End(begin + 50s, id, step.observed);
    } else {
      script.Fail(begin + 50s, id, "no");
    }
  }
  return script.Closed(1000s);
}

// Two reports with one step each, compared.
class OneStep {
 public:
  OneStep(const StepOf& before, const StepOf& after)
      : before_(ReportOf({Capture("lib", "1", {before})})),
        after_(ReportOf({Capture("lib", "2", {after})})),
        diff(DiffOf(before_, after_)) {}
  OneStep(const OneStep&) = delete;
  OneStep& operator=(const OneStep&) = delete;

  const StepDiff& step() const { return diff.subjects.at(0).steps.at(0); }
  // Names of the ways in which it differs.
  std::vector<std::string_view> differs() const {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < kDiffKinds.size(); ++i) {
      if (step().differs[i]) names.push_back(kDiffKinds[i].name);
    }
    return names;
  }

 private:
  Report before_;
  Report after_;

 public:
  Diff diff;
};

TEST(DiffTest, TheSameIsNoDifference) {
  const OneStep one({.calls = {Update("a", 0s, 1s)}}, {.calls = {Update("a", 0s, 1s)}});
  EXPECT_THAT(one.differs(), IsEmpty());
  EXPECT_FALSE(one.diff.has_differences());
  EXPECT_EQ(one.diff.verdict, Verdict::kComparable);
  EXPECT_EQ(one.diff.steps_compared(), 1U);
}

TEST(DiffTest, ThePageHasEveryKind) {
  std::ifstream file(DSTAP_SOURCE_DIR "/docs/diff-json.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const DiffKindInfo& kind : kDiffKinds) {
    EXPECT_THAT(page, testing::HasSubstr(fmt::format("\n| `{}` | ", kind.name)));
  }
}

TEST(DiffTest, TimesAreNoDifference) {
  const OneStep one({.calls = {Update("a", 0s, 1s)}}, {.calls = {Update("a", 0s, 40s)}});
  EXPECT_THAT(one.differs(), IsEmpty());
}

TEST(DiffTest, EveryChangeOfACountIsListedByMethod) {
  const OneStep one(
      {.calls = {Update("a", 0s, 1s), Get("b", 1s, 2s)}},
      {.calls = {Update("a", 0s, 1s), Get("b", 1s, 2s), Get("c", 1s, 2s), GetPast("d", 1s, 2s)}});
  EXPECT_THAT(one.differs(), ElementsAre("requests"));
  EXPECT_THAT(one.step().requests, ElementsAre(RequestChange{"GetAsync", {1, 1}, {2, 2}},
                                               RequestChange{"past", {0, 0}, {1, 1}}));
}

TEST(DiffTest, RequestsToOtherServicesCountToo) {
  const OneStep one({.calls = {Update("a", 0s, 1s)}},
                    {.calls = {Update("a", 0s, 1s),
                               test::GoodCall(v1::METHOD_PUBLISH_ASYNC, "", "topic", 1s, 2s)}});
  EXPECT_THAT(one.step().requests, ElementsAre(RequestChange{"PublishAsync", {0, 0}, {1, 1}}));
}

TEST(DiffTest, ARangeThatGrewIsADifference) {
  const Report before = ReportOf({Capture("lib", "1", {{.calls = {Update("a", 0s, 1s)}}})});
  const Report after =
      ReportOf({Capture("lib", "1", {{.calls = {Update("a", 0s, 1s)}}}),
                Capture("lib", "1", {{.calls = {Update("a", 0s, 1s), Update("b", 0s, 1s)}}})});
  const Diff diff = DiffOf(before, after);
  EXPECT_THAT(diff.subjects.at(0).steps.at(0).requests,
              ElementsAre(RequestChange{"UpdateAsync", {1, 1}, {1, 2}}));
  EXPECT_EQ(diff.Count(DiffKind::kRequests), 1U);
}

TEST(DiffTest, TheSameNumberOfWhichMoreFailedIsADifferenceOfRequests) {
  auto failed = Update("a", 0s, 1s);
  failed.outcome = v1::OUTCOME_FAILED;
  const OneStep one({.calls = {Update("a", 0s, 1s)}}, {.calls = {failed}});
  EXPECT_THAT(one.differs(), ElementsAre("requests"));
  EXPECT_THAT(one.step().requests, IsEmpty());
  EXPECT_THAT(one.step().failed, ElementsAre(RequestChange{"UpdateAsync", {0, 0}, {1, 1}}));
}

TEST(DiffTest, AStepOfOneSideOnlyIsADifferenceOfStepsAndNotOfRequests) {
  const Report before = ReportOf({Capture("lib", "1",
                                          {{.name = "load", .calls = {Update("a", 0s, 1s)}},
                                           {.name = "gone", .calls = {Update("a", 0s, 1s)}}})});
  const Report after = ReportOf({Capture("lib", "1",
                                         {{.name = "new", .calls = {Update("a", 0s, 1s)}},
                                          {.name = "load", .calls = {Update("a", 0s, 1s)}}})});
  const Diff diff = DiffOf(before, after);
  const std::vector<StepDiff>& steps = diff.subjects.at(0).steps;
  EXPECT_THAT(steps, ElementsAre(testing::Field(&StepDiff::name, "load"),
                                 testing::Field(&StepDiff::name, "gone"),
                                 testing::Field(&StepDiff::name, "new")));
  EXPECT_EQ(steps[1].after, nullptr);
  EXPECT_EQ(steps[2].before, nullptr);
  EXPECT_EQ(diff.Count(DiffKind::kSteps), 2U);
  EXPECT_EQ(diff.Count(DiffKind::kRequests), 0U);
  EXPECT_EQ(diff.steps_compared(), 1U);
}

TEST(DiffTest, AStepThatBeganToFailIsADifferenceOfSteps) {
  const OneStep one({.calls = {Update("a", 0s, 1s)}},
                    {.calls = {Update("a", 0s, 1s)}, .ok = false});
  EXPECT_THAT(one.differs(), ElementsAre("steps"));
}

TEST(DiffTest, AStepThatNeverEndedIsNotCompared) {
  const Report before =
      ReportOf({Capture("lib", "1", {{.calls = {Update("a", 0s, 1s), Update("a", 5s, 6s)}}})});
  CaptureScript open;
  open.Header().Source(1, "server", "lib", "1").Begin(1s, {});
  const Report after = ReportOf({open});
  const Diff diff = DiffOf(before, after);
  EXPECT_EQ(diff.verdict, Verdict::kNothingToCompare);
  EXPECT_EQ(diff.Count(DiffKind::kSteps), 1U);
  EXPECT_EQ(diff.Count(DiffKind::kRequests), 0U);
  EXPECT_EQ(diff.Count(DiffKind::kRetries), 0U);
}

TEST(DiffTest, ValuesSeenAreComparedAsASet) {
  EXPECT_THAT(OneStep({.observed = "999"}, {.observed = "777"}).differs(), ElementsAre("values"));
  EXPECT_THAT(OneStep({.observed = "999"}, {}).differs(), ElementsAre("values"));
  EXPECT_THAT(OneStep({.observed = "999"}, {.observed = "999"}).differs(), IsEmpty());
}

TEST(DiffTest, ValuesStoredInAnotherSizeAreADifference) {
  const auto storing = [](uint64_t bytes) {
    return StepOf{.calls = {test::Storing(Update("a", 0s, 1s), bytes)}};
  };
  EXPECT_THAT(OneStep(storing(100), storing(101)).differs(), ElementsAre("sizes"));
  EXPECT_THAT(OneStep(storing(100), {.calls = {Update("a", 0s, 1s)}}).differs(),
              ElementsAre("sizes"));
  EXPECT_THAT(OneStep(storing(100), storing(100)).differs(), IsEmpty());
}

TEST(DiffTest, AnotherScheduleIsADifferenceOfRetries) {
  const auto tries = [](Time second) {
    return StepOf{.calls = {Update("a", 0s, 1s), Update("a", second, second + 1s)}};
  };
  EXPECT_THAT(OneStep(tries(6s), tries(4s)).differs(), ElementsAre("retries"));
  EXPECT_THAT(OneStep(tries(6s), tries(6s + kTieWithin)).differs(), IsEmpty());
  EXPECT_THAT(OneStep(tries(6s), {.calls = {Update("a", 0s, 1s), Update("b", 6s, 7s)}}).differs(),
              ElementsAre("retries"));
}

TEST(DiffTest, TheSameTriesThatEndDifferentlyDiffer) {
  auto cancelled = Update("a", 0s, 1s);
  cancelled.outcome = v1::OUTCOME_CANCELLED;
  auto again = Update("a", 5s, 6s);
  again.outcome = v1::OUTCOME_CANCELLED;
  const OneStep one({.calls = {cancelled, again}}, {.calls = {cancelled, again}, .ok = false});
  EXPECT_THAT(one.differs(), ElementsAre("steps", "retries"));
}

TEST(DiffTest, ScheduleOfOnlySomeSamplesCount) {
  const auto capture = [](Time second) {
    return Capture("lib", "1",
                   {{.calls = {Update("a", 0s, 1s), Update("a", second, second + 1s)}}});
  };
  const Report both = ReportOf({capture(6s), capture(9s)});
  const Report one = ReportOf({capture(6s)});
  const Report twice = ReportOf({capture(9s), capture(6s), capture(6s)});
  EXPECT_EQ(DiffOf(both, one).Count(DiffKind::kRetries), 1U);
  EXPECT_EQ(DiffOf(one, both).Count(DiffKind::kRetries), 1U);
  EXPECT_EQ(DiffOf(both, twice).Count(DiffKind::kRetries), 0U);
}

std::vector<std::string> PairsOf(const std::vector<std::pair<std::string, std::string>>& before,
                                 const std::vector<std::pair<std::string, std::string>>& after) {
  const auto table_of = [](const auto& subjects) {
    StepsTable table;
    for (const auto& [name, version] : subjects) {
      table.subjects.push_back({.name = name, .version = version, .label = name});
    }
    return table;
  };
  const StepsTable old_table = table_of(before);
  const StepsTable new_table = table_of(after);
  std::vector<std::string> labels;
  for (const SubjectPair& pair : PairSubjects(old_table, new_table)) {
    labels.push_back(PairLabel(pair));
    if (pair.before == nullptr) labels.back().insert(0, "+ ");
    if (pair.after == nullptr) labels.back().insert(0, "- ");
  }
  return labels;
}

TEST(SubjectPairsTest, TheOnlyOnesBelongTogetherWhateverTheirNames) {
  EXPECT_THAT(PairsOf({{"a", "1"}}, {{"b", "2"}}), ElementsAre("a 1 -> b 2"));
  EXPECT_THAT(PairsOf({{"a", "1"}}, {{"a", "2"}}), ElementsAre("a 1 -> 2"));
  EXPECT_THAT(PairsOf({{"a", "1"}}, {{"a", "1"}}), ElementsAre("a 1"));
  EXPECT_THAT(PairsOf({{"a", "1"}}, {{"a", ""}}), ElementsAre("a 1 -> a"));
  EXPECT_THAT(PairsOf({}, {}), IsEmpty());
}

TEST(SubjectPairsTest, NamesBelongTogetherAndTheRestStandsAlone) {
  EXPECT_THAT(PairsOf({{"a", "1"}, {"b", "1"}, {"c", ""}}, {{"a", "2"}, {"b", "1"}, {"d", ""}}),
              ElementsAre("a 1 -> 2", "b 1", "- c", "+ d"));
}

TEST(SubjectPairsTest, EqualVersionsComeBeforeEqualNames) {
  EXPECT_THAT(PairsOf({{"a", "1"}, {"a", "2"}}, {{"a", "2"}, {"a", "3"}}),
              ElementsAre("a 1 -> 3", "a 2"));
}

TEST(SubjectPairsTest, ANameThatASideHasTwiceIsNotGuessed) {
  EXPECT_THAT(PairsOf({{"a", "1"}, {"a", "2"}}, {{"a", "3"}}),
              ElementsAre("- a 1", "- a 2", "+ a 3"));
}

TEST(SubjectPairsTest, AVersionInTheNameIsTheVersion) {
  EXPECT_THAT(PairsOf({{"a@1", ""}, {"b", ""}}, {{"a@2", "2"}, {"b", ""}}),
              ElementsAre("a@1 -> a@2 2", "b"));
  // Not a version: the name itself, or a package's scope.
  EXPECT_THAT(PairsOf({{"a@1", "5"}, {"b", ""}}, {{"a@2", "6"}, {"b", ""}}),
              ElementsAre("- a@1 5", "b", "+ a@2 6"));
  EXPECT_THAT(PairsOf({{"@x", ""}, {"b", ""}}, {{"@y", ""}, {"b", ""}}),
              ElementsAre("- @x", "b", "+ @y"));
}

TEST(SubjectPairsTest, ASubjectOfOneSideHasItsStepsThere) {
  const std::vector<StepOf> steps = {{.calls = {Update("a", 0s, 1s)}}};
  const Report before = ReportOf({Capture("a", "1", steps), Capture("b", "1", steps)});
  const Report after = ReportOf({Capture("a", "1", steps)});
  const Diff diff = DiffOf(before, after);
  ASSERT_THAT(diff.subjects, SizeIs(2));
  EXPECT_EQ(diff.subjects[1].pair.after, nullptr);
  EXPECT_EQ(diff.subjects[1].steps.at(0).after, nullptr);
  EXPECT_EQ(diff.Count(DiffKind::kSteps), 1U);
}

}  // namespace
}  // namespace dstap::analyzer
