#include "analyzer/rewrite/trim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "analyzer/views/not_run.h"
#include "analyzer/views/overview.h"
#include "analyzer/views/retries.h"
#include "analyzer/views/steps.h"
#include "proto/capture/validate.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/capture_script.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using analyzer::TrimOptions;
using analyzer::TrimResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Trimmed {
  Status status;
  TrimResult result;
  std::string bytes;
  ReadResult read;

  std::vector<uint64_t> Steps() const {
    std::vector<uint64_t> ids;
    for (const OwnedRecord& record : read.records) {
      if (record.row.has_step_begin()) ids.push_back(record.row.step_begin().id());
    }
    return ids;
  }
  std::vector<uint64_t> Partial() const {
    std::vector<uint64_t> ids;
    for (const OwnedRecord& record : read.records) {
      if (record.row.step_begin().partial()) ids.push_back(record.row.step_begin().id());
    }
    return ids;
  }
  v1::Provenance Made() const {
    for (const OwnedRecord& record : read.records) {
      if (record.row.has_provenance()) return record.row.provenance();
    }
    return {};
  }
  int Count(v1::Row::KindCase kind) const {
    return static_cast<int>(std::ranges::count_if(
        read.records, [&](const OwnedRecord& record) { return record.row.kind_case() == kind; }));
  }
};

Trimmed Trim(const std::string& bytes, TrimOptions options) {
  Trimmed trimmed;
  StringSink sink(trimmed.bytes);
  options.input = "in.dstap";
  const auto open = [&bytes]() -> Result<std::unique_ptr<ByteSource>> {
    return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(bytes));
  };
  const Result<TrimResult> result = analyzer::Trim(open, sink, options);
  trimmed.status = result.status();
  if (!result.ok()) return trimmed;
  trimmed.result = *result;
  trimmed.read = ReadCapture(trimmed.bytes);
  EXPECT_TRUE(trimmed.read.ok()) << trimmed.read.end.message();
  EXPECT_EQ(trimmed.read.ending, capture::Ending::kClosed);
  auto reader = capture::CaptureReader::Open(std::make_unique<MemorySource>(trimmed.bytes),
                                             capture::CaptureReader::OnDamage::kSkip);
  EXPECT_TRUE(capture::Validate(*reader, [](const capture::Defect& defect) {
                ADD_FAILURE() << InfoOf(defect.id).name << ": " << defect.detail;
              }).ok());
  return trimmed;
}

analyzer::CutTime At(std::string_view text) { return *analyzer::ParseCutTime(text); }

TrimOptions Between(std::optional<std::string_view> from, std::optional<std::string_view> to) {
  TrimOptions options;
  if (from) options.from = At(*from);
  if (to) options.to = At(*to);
  return options;
}

// A call a second from 1 s on, each 0.5 s long.
CaptureScript Calls(int calls) {
  CaptureScript script;
  script.Header().Source(1, "server");
  for (int i = 1; i <= calls; ++i) script.Call(Get("k", Time(1s) * i, Time(1s) * i + 500ms));
  return script;
}

TEST(TrimTest, CallsIssuedInTheRangeStayWheneverTheyWereAnswered) {
  const Trimmed trimmed = Trim(BytesOf(Calls(9).Closed(20s)), Between("3s", "6s"));
  EXPECT_THAT(trimmed.read.CallIds(), ElementsAre(3, 4, 5));
  EXPECT_EQ(trimmed.result.calls_kept, 3U);
  EXPECT_EQ(trimmed.result.calls_dropped, 6U);
}

TEST(TrimTest, EitherSideMayBeOpen) {
  const std::string bytes = BytesOf(Calls(5).Closed(20s));
  EXPECT_THAT(Trim(bytes, Between("4s", {})).read.CallIds(), ElementsAre(4, 5));
  EXPECT_THAT(Trim(bytes, Between({}, "2s")).read.CallIds(), ElementsAre(1));
  EXPECT_THAT(Trim(bytes, Between("99s", {})).read.CallIds(), IsEmpty());
  EXPECT_EQ(Trim(bytes, Between("99s", {})).Count(v1::Row::kSource), 1);
}

TEST(TrimTest, ARangeOfNothingIsRefused) {
  const std::string bytes = BytesOf(Calls(1).Closed(20s));
  EXPECT_EQ(Trim(bytes, Between("5s", "5s")).status.code(), ErrorCode::kUsage);
  EXPECT_TRUE(Trim(bytes, Between("5s", "5001ms")).status.ok());
}

TEST(TrimTest, RecordsOfACallInFlightAreFoldedAndThoseNeverAnsweredStay) {
  CaptureScript script;
  script.Header().Source(1, "server");
  script.Call(InFlight(Get("k", 1s, 9s))).Call(InFlight(Get("k", 2s, 9s)));
  capture::CallRecord answered = Get("k", 1s, 9s);
  answered.id = 1;
  const Trimmed trimmed = Trim(BytesOf(script.Call(answered).Closed(10s)), Between("1s", "3s"));
  EXPECT_THAT(trimmed.read.CallIds(), ElementsAre(2, 1));
  EXPECT_EQ(trimmed.result.calls_dropped, 0U);
}

v1::Row Players(uint32_t players) {
  v1::Row row;
  row.mutable_player_count()->set_source(1);
  row.mutable_player_count()->set_players(players);
  return row;
}

TEST(TrimTest, WhatStoodWhenTheRangeBeganIsInFrontOfIt) {
  CaptureScript script;
  script.Header().Source(1, "server").Row(1s, Players(3)).Row(2s, Players(4)).Begin(2s, {.id = 1});
  script.Begin(3s, {.id = 2}).End(4s, 2).Row(5s, AComment("before")).Call(Get("k", 6s, 7s));
  script.Row(8s, Players(5)).End(8s, 1);
  const Trimmed trimmed = Trim(BytesOf(script.Closed(9s)), Between("6s", {}));
  std::vector<v1::Row::KindCase> kinds;
  for (const OwnedRecord& record : trimmed.read.records) kinds.push_back(record.row.kind_case());
  using R = v1::Row;
  EXPECT_THAT(kinds,
              ElementsAre(R::kHeader, R::kSource, R::kPlayerCount, R::kStepBegin, R::KIND_NOT_SET,
                          R::kPlayerCount, R::kStepEnd, R::kProvenance, R::kEnd, R::kIndex));
  EXPECT_EQ(trimmed.read.records[2].row.player_count().players(), 4U);
  EXPECT_EQ(trimmed.read.records[3].time, Time(2s));
  EXPECT_THAT(trimmed.Partial(), ElementsAre(1));
  EXPECT_EQ(trimmed.result.rows_dropped, 4U);
}

TEST(TrimTest, StepsThatASideCutsAreMarkedAndCountAsNoSample) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib", "1");
  for (int i = 0; i < 3; ++i) {
    const Time begin = Time(10s) * i;
    const auto id = static_cast<uint64_t>(i) + 1;
    script.Begin(begin, {.id = id, .sample = static_cast<uint32_t>(id)});
    for (int call = 1; call <= 3; ++call) {
      script.Call(Get("k", begin + Time(1s) * call, begin + Time(1s) * call + 10ms));
    }
    script.End(begin + 9s, id);
  }
  const Trimmed trimmed = Trim(BytesOf(script.Closed(30s)), Between("2s", "22s"));
  EXPECT_THAT(trimmed.Steps(), ElementsAre(1, 2, 3));
  EXPECT_THAT(trimmed.Partial(), ElementsAre(1, 3));

  analyzer::StepsView steps;
  analyzer::OverviewView overview;
  analyzer::TimelineBuilder builder({&steps, &overview});
  builder.BeginFile("out.dstap");
  for (const OwnedRecord& record : trimmed.read.records) {
    builder.Add({.call = record.is_call ? &record.call : nullptr,
                 .row = record.is_call ? nullptr : &record.row,
                 .time = record.time});
  }
  builder.EndFile({});
  const analyzer::StepsTable table = steps.Table();
  ASSERT_EQ(table.subjects.size(), 1U);
  EXPECT_EQ(table.subjects[0].steps[0].samples, 1U);
  EXPECT_EQ(table.subjects[0].steps[0].unfinished, 0U);
  EXPECT_EQ(table.subjects[0].steps[0].requests[0].range, (analyzer::Range{3, 3}));
  std::vector<std::string> said;
  for (const analyzer::DefectCount& count : overview.Take().not_seen) {
    said.push_back(std::string(InfoOf(count.defect).id) + " " + count.text);
  }
  EXPECT_THAT(said, ElementsAre("step-cut lib load, sample 1", "step-cut lib load, sample 3",
                                "trimmed calls issued from 2s to 22s, of in.dstap; 3 calls and 1 "
                                "row left out"));
}

TEST(TrimTest, AStepThatIsToldBehindItsTimeIsCutToo) {
  CaptureScript script;
  script.Header().Source(1, "server").Call(Get("k", 5s, 6s)).Begin(1s, {.id = 1});
  script.Row(1s, AComment("late")).End(7s, 1);
  const Trimmed trimmed = Trim(BytesOf(script.Closed(9s)), Between("3s", {}));
  EXPECT_THAT(trimmed.Partial(), ElementsAre(1));
  EXPECT_EQ(trimmed.Count(v1::Row::kStepEnd), 1);
  EXPECT_EQ(trimmed.Count(v1::Row::kComment), 0);
}

// Of a whole capture's records: subjects that could not run, and rows of retries.
std::pair<size_t, size_t> NotRunAndRetries(const ReadResult& read) {
  analyzer::NotRunView not_run;
  analyzer::RetriesView retries;
  analyzer::TimelineBuilder builder({&not_run, &retries});
  builder.BeginFile("out.dstap");
  for (const OwnedRecord& record : read.records) {
    builder.Add({.call = record.is_call ? &record.call : nullptr,
                 .row = record.is_call ? nullptr : &record.row,
                 .time = record.time});
  }
  builder.EndFile({});
  return {not_run.Table().size(), retries.Table().size()};
}

TEST(TrimTest, WhatIsLeftOfAStepIsNeitherAFailureNorARetry) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib", "1").Begin(0s, {.id = 1});
  script.Call(Get("k", 1s, 2s)).Call(Get("k", 3s, 4s)).Fail(9s, 1, "no");
  const std::string bytes = BytesOf(script.Closed(10s));
  EXPECT_EQ(NotRunAndRetries(ReadCapture(bytes)), std::pair(size_t{1}, size_t{1}));
  EXPECT_EQ(NotRunAndRetries(Trim(bytes, Between({}, "5s")).read), std::pair(size_t{0}, size_t{0}));
}

TEST(TrimTest, AStepsCallsAreThoseThatTheAnalyzerGivesIt) {
  CaptureScript script;
  script.Header().Source(1, "server").Begin(0s, {.id = 1, .name = "session"});
  script.Begin(1s, {.id = 2, .name = "load", .about = {About("Players", "a")}});
  script.Call(Get("a", 2s, 3s)).Call(Get("b", 2s, 3s)).Call(InFlight(Get("a", 2s, 3s)));
  script.Call(InFlight(Get("b", 2s, 3s))).End(4s, 2).Call(Get("a", 5s, 6s)).End(7s, 1);
  const std::string bytes = BytesOf(script.Closed(8s));
  TrimOptions load;
  load.step = "load";
  const Trimmed trimmed = Trim(bytes, load);
  EXPECT_THAT(trimmed.read.CallIds(), ElementsAre(1, 3));
  EXPECT_THAT(trimmed.Steps(), ElementsAre(2));
  EXPECT_EQ(trimmed.Count(v1::Row::kStepEnd), 1);
  EXPECT_THAT(trimmed.Partial(), IsEmpty());
  TrimOptions session;
  session.step = "session";
  EXPECT_THAT(Trim(bytes, session).read.CallIds(), ElementsAre(2, 4, 5));
}

TEST(TrimTest, AStepThatNobodyBeganIsAnErrorThatNamesTheOthers) {
  CaptureScript script;
  script.Header().Source(1, "server").Begin(0s, {.id = 1, .name = "save"}).End(1s, 1);
  TrimOptions options;
  options.step = "load";
  const Trimmed trimmed = Trim(BytesOf(script.Closed(2s)), options);
  EXPECT_EQ(trimmed.status.code(), ErrorCode::kNotFound);
  EXPECT_THAT(trimmed.status.message(), HasSubstr("there are save"));
}

TEST(TrimTest, AFilterSelectsCallsAndMarksAllSteps) {
  CaptureScript script;
  script.Header().Source(1, "server").Begin(0s, {.id = 1});
  script.Call(Get("a", 2s, 3s)).Call(Get("b", 2s, 3s)).Call(InFlight(Get("b", 3s, 4s))).End(4s, 1);
  TrimOptions options;
  options.filter = *filter::Filter::Parse("key == b && step != none");
  const Trimmed trimmed = Trim(BytesOf(script.Closed(5s)), options);
  EXPECT_THAT(trimmed.read.CallIds(), ElementsAre(2, 3));
  EXPECT_THAT(trimmed.Partial(), ElementsAre(1));
  EXPECT_EQ(trimmed.Made().options(0).name(), "filter");
  EXPECT_EQ(trimmed.Made().options(0).value(), "key == b && step != none");
}

TEST(TrimTest, ARowAboutACallStaysWithIt) {
  const auto fault = [](uint64_t id, uint64_t call) {
    v1::Row row;
    row.mutable_injected_fault()->set_id(id);
    row.mutable_injected_fault()->set_call(call);
    row.mutable_injected_fault()->set_source(1);
    return row;
  };
  CaptureScript script;
  script.Header().Source(1, "server");
  script.Row(4s, fault(1, 1)).Row(4s, fault(2, 2)).Row(9s, fault(3, 3)).Row(9s, fault(4, 0));
  script.Call(Get("k", 1s, 10s)).Call(Get("k", 4s, 10s)).Call(Get("k", 5s, 10s));
  const Trimmed trimmed = Trim(BytesOf(script.Closed(11s)), Between("3s", "6s"));
  std::vector<uint64_t> faults;
  for (const OwnedRecord& record : trimmed.read.records) {
    if (record.row.has_injected_fault()) faults.push_back(record.row.injected_fault().id());
  }
  EXPECT_THAT(faults, ElementsAre(2, 3));
}

TEST(TrimTest, WhatWasCutStandsInTheCapture) {
  const v1::Provenance made = Trim(BytesOf(Calls(9).Closed(20s)), Between("3s", "6s")).Made();
  EXPECT_EQ(made.command(), "trim");
  EXPECT_EQ(made.input(), "in.dstap");
  EXPECT_EQ(made.options(0).name(), "from");
  EXPECT_EQ(made.options(0).value(), "3s");
  EXPECT_EQ(made.options(1).name(), "to");
  EXPECT_EQ(made.calls_dropped(), 6U);
  EXPECT_FALSE(made.unfinished());
}

TEST(TrimTest, APartOfAPartRemembersBoth) {
  const std::string once = Trim(BytesOf(Calls(9).Closed(20s)), Between("3s", "6s")).bytes;
  const Trimmed twice = Trim(once, Between("4s", "5s"));
  EXPECT_THAT(twice.read.CallIds(), ElementsAre(4));
  EXPECT_EQ(twice.Count(v1::Row::kProvenance), 2);
}

TEST(TrimTest, OfAnUnfinishedCaptureComesAClosedOneThatSaysSo) {
  const Trimmed trimmed = Trim(BytesOf(Calls(3)), Between("2s", {}));
  EXPECT_TRUE(trimmed.result.was_unfinished);
  EXPECT_TRUE(trimmed.Made().unfinished());
  EXPECT_THAT(trimmed.Made().text(), HasSubstr("it had no end"));
}

TEST(TrimTest, TheEndKeepsItsReason) {
  CaptureScript script = Calls(3);
  script.CommandFailed(9s, "");
  const Trimmed trimmed = Trim(BytesOf(script), Between("2s", {}));
  const OwnedRecord& end = trimmed.read.records[trimmed.read.records.size() - 2];
  EXPECT_EQ(end.row.end().reason(), v1::END_REASON_COMMAND_FAILED);
  EXPECT_EQ(end.time, Time(9s));
}

TEST(TrimTest, EachRecordingIsCutByItsOwnClock) {
  const Trimmed trimmed =
      Trim(BytesOf(Calls(4).Closed(9s)) + BytesOf(Calls(3).Closed(9s)), Between("2s", "4s"));
  EXPECT_THAT(trimmed.read.CallIds(), ElementsAre(2, 3, 2, 3));
  EXPECT_EQ(trimmed.Count(v1::Row::kEnd), 2);
}

TEST(TrimTest, DamageIsRefusedWithTheRemedy) {
  std::string bytes = BytesOf(Calls(4).Closed(9s));
  bytes[bytes.size() - 30] ^= 1;
  const Trimmed trimmed = Trim(bytes, Between("2s", "4s"));
  EXPECT_EQ(trimmed.status.code(), ErrorCode::kDamaged);
  EXPECT_THAT(trimmed.status.message(), HasSubstr("dstap recover FILE -o OUT"));
}

}  // namespace
}  // namespace dstap::test
