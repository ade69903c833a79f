#include "analyzer/views/not_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

std::vector<NotRun> TableOf(std::initializer_list<CaptureScript> scripts) {
  NotRunView view;
  TimelineBuilder builder({&view});
  for (const CaptureScript& script : scripts) script.Feed(builder);
  return view.Table();
}

CaptureScript Begun(std::string_view library = "lib") {
  CaptureScript script;
  script.Header().Source(1, "server", library, "1");
  return script;
}

v1::Row ErrorNotice(std::string_view text, uint32_t source = 1) {
  v1::Row row;
  row.mutable_notice()->set_source(source);
  row.mutable_notice()->set_kind(v1::NOTICE_KIND_ERROR);
  row.mutable_notice()->set_text(std::string(text));
  return row;
}

CaptureScript Ran() { return Begun("other").Begin(1s, {.subject = "other"}).End(2s, 1); }

TEST(NotRunTest, ASubjectWithOneGoodStepIsNotListed) {
  CaptureScript script = Begun();
  script.Begin(1s, {.id = 1}).Fail(2s, 1, "no").Begin(3s, {.id = 2}).End(4s, 2);
  EXPECT_THAT(TableOf({script}), IsEmpty());
}

TEST(NotRunTest, ASubjectWhoseStepsAllFailedIsListedWithItsReasons) {
  CaptureScript script = Begun();
  script.Begin(1s, {.id = 1}).Fail(2s, 1, "no lock").Begin(3s, {.id = 2}).Fail(4s, 2, "no lock");
  script.Begin(5s, {.id = 3}).Fail(6s, 3, "\xFF").Begin(7s, {.id = 4});
  const std::vector<NotRun> table = TableOf({script});
  ASSERT_THAT(table, SizeIs(1));
  EXPECT_EQ(table[0].subject, (SubjectId{"lib", "1"}));
  EXPECT_EQ(table[0].steps_failed, 3U);
  EXPECT_EQ(table[0].steps_unfinished, 1U);
  EXPECT_THAT(table[0].reasons, ElementsAre(Pair("no lock", 2), Pair("\xFF", 1)));
}

TEST(NotRunTest, ALibraryThatWasAskedForAndNeverCameToAServerIsListedWithHowItEnded) {
  CaptureScript script;
  script.HeaderFor("lapis@9.9.9").CommandFailed(1s, "the command ended with status 1");
  std::vector<NotRun> table = TableOf({script, Ran()});
  ASSERT_THAT(table, SizeIs(1));
  EXPECT_EQ(table[0].subject, (SubjectId{"lapis", "9.9.9"}));
  EXPECT_THAT(table[0].reasons, ElementsAre(Pair("the command ended with status 1", 1)));
  // What was said in its place tells more.
  CaptureScript told;
  told.HeaderFor("lapis").Notice(1s, v1::NOTICE_KIND_RECORDER, "no such version", 0);
  told.CommandFailed(1s, "the command ended with status 1");
  table = TableOf({told});
  ASSERT_THAT(table, SizeIs(1));
  EXPECT_THAT(table[0].reasons, ElementsAre(Pair("no such version", 1)));
}

TEST(NotRunTest, ALibraryThatWasAskedForAndRanIsNotListed) {
  CaptureScript script;
  script.HeaderFor("lib").Source(1, "server", "lib", "1").Begin(1s, {}).End(2s, 1).Closed(3s);
  EXPECT_THAT(TableOf({script}), IsEmpty());
}

TEST(NotRunTest, WhatTheRecorderSaidOfASourceIsAReasonToo) {
  CaptureScript script = Begun();
  script.Notice(1s, v1::NOTICE_KIND_RECORDER, "init.luau:3: boom at load").Closed(2s);
  const std::vector<NotRun> table = TableOf({script, Ran()});
  ASSERT_THAT(table, SizeIs(1));
  EXPECT_THAT(table[0].reasons, ElementsAre(Pair("init.luau:3: boom at load", 1)));
}

TEST(NotRunTest, ALibraryWithoutAStepIsListedBesideOnesThatHaveSome) {
  const std::vector<NotRun> table =
      TableOf({Begun().Row(1s, ErrorNotice("module not found")), Ran()});
  ASSERT_THAT(table, SizeIs(1));
  EXPECT_EQ(table[0].subject.name, "lib");
  EXPECT_THAT(table[0].reasons, ElementsAre(Pair("module not found", 1)));
  EXPECT_THAT(TableOf({Begun(), Ran()}), SizeIs(1));
}

TEST(NotRunTest, WhereNothingWasToBeMeasuredNothingIsMissing) {
  EXPECT_THAT(TableOf({Begun()}), IsEmpty());
  EXPECT_THAT(TableOf({CaptureScript().Header()}), IsEmpty());
  EXPECT_THAT(TableOf({Begun().Row(1s, ErrorNotice("module not found"))}), SizeIs(1));
}

TEST(NotRunTest, WhatStepsSayComesBeforeWhatServersSay) {
  CaptureScript script = Begun();
  script.Row(1s, ErrorNotice("some output")).Begin(1s, {}).Fail(2s, 1, "no lock");
  EXPECT_THAT(TableOf({script}).at(0).reasons, ElementsAre(Pair("no lock", 1)));
  CaptureScript silent = Begun();
  silent.Row(1s, ErrorNotice("some output")).Begin(1s, {}).Fail(2s, 1, "");
  EXPECT_THAT(TableOf({silent}).at(0).reasons, ElementsAre(Pair("some output", 1)));
}

TEST(NotRunTest, ErrorsOfNobodyAndOfToolsAreNoReason) {
  CaptureScript script = Begun();
  script.Row(1s, ErrorNotice("of nobody", 0)).Row(1s, ErrorNotice("of a tool", 2));
  EXPECT_THAT(TableOf({script, Ran()}).at(0).reasons, IsEmpty());
}

TEST(NotRunTest, TheFifthReasonIsKeptAndTheSixthCounted) {
  CaptureScript script = Begun();
  for (uint64_t i = 0; i < kReasonsMax; ++i) {
    script.Begin(1s, {.id = i + 1}).Fail(2s, i + 1, std::to_string(i));
  }
  EXPECT_THAT(TableOf({script}).at(0).reasons, SizeIs(kReasonsMax));
  EXPECT_EQ(TableOf({script}).at(0).other_reasons, 0U);
  script.Begin(3s, {.id = 99}).Fail(4s, 99, "another");
  EXPECT_THAT(TableOf({script}).at(0).reasons, SizeIs(kReasonsMax));
  EXPECT_EQ(TableOf({script}).at(0).other_reasons, 1U);
}

TEST(NotRunTest, SamplesOfSeveralCapturesAreOneSubject) {
  const CaptureScript failed = Begun().Begin(1s, {}).Fail(2s, 1, "no");
  EXPECT_THAT(TableOf({failed, Begun().Begin(1s, {}).End(2s, 1)}), IsEmpty());
  EXPECT_EQ(TableOf({failed, failed}).at(0).steps_failed, 2U);
}

}  // namespace
}  // namespace dstap::analyzer
