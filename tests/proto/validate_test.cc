// A capture for each line of the table of defects.
#include "proto/capture/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "proto/capture/capture_text.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::Defect;
using capture::DefectId;
using capture::Ending;
using capture::InfoOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::chrono_literals::operator""s;

struct Found {
  std::vector<Defect> defects;
  capture::Verdict verdict;
  std::vector<std::string_view> Names() const {
    std::vector<std::string_view> names;
    for (const Defect& defect : defects) names.push_back(InfoOf(defect.id).name);
    return names;
  }
};

Found Find(const std::string& bytes) {
  Found found;
  auto reader =
      CaptureReader::Open(std::make_unique<MemorySource>(bytes), CaptureReader::OnDamage::kSkip);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  auto verdict = Validate(*reader, [&](const Defect& d) { found.defects.push_back(d); });
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  if (verdict.ok()) found.verdict = *verdict;
  return found;
}

// `records` between a header and an end.
Found FindIn(const std::string& records) {
  const auto bytes = capture::FromText("record { header {} }" + records +
                                       "record { end { reason: END_REASON_CLOSED } }");
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return Find(bytes.ok() ? *bytes : std::string());
}

v1::Records Rows(std::initializer_list<v1::Row> rows) {
  v1::Records records;
  records.set_tick_ns(1000);
  for (const v1::Row& row : rows) *records.add_row() = row;
  return records;
}

TEST(ValidateTest, AGoodCaptureHasNoDefect) {
  const Found found = Find(AClosedCapture(20) + AClosedCapture(3));
  EXPECT_THAT(found.Names(), IsEmpty());
  EXPECT_EQ(found.verdict.ending, Ending::kClosed);
  EXPECT_EQ(found.verdict.calls, 23U);
  EXPECT_EQ(found.verdict.recordings, 2U);
}

TEST(ValidateTest, AFirstRowThatIsNoHeaderIsFound) {
  std::string bytes(capture::MagicBytes());
  bytes += AChunk(0, Rows({AComment("x")}).SerializeAsString());
  EXPECT_THAT(Find(bytes).Names(), ElementsAre("no-header", "unfinished"));
}

TEST(ValidateTest, ASecondHeaderIsFound) {
  v1::Row row;
  row.mutable_header()->set_format_version(1);
  EXPECT_THAT(Find(ACaptureOf({Rows({row})})).Names(),
              ElementsAre("header-repeated", "unfinished"));
}

TEST(ValidateTest, AHeaderWithoutAVersionIsFound) {
  EXPECT_THAT(Find(ACaptureOf({}, 0)).Names(), ElementsAre("header-version", "unfinished"));
}

TEST(ValidateTest, ACallWithoutAnIdIsFound) {
  EXPECT_THAT(FindIn("record { call { method: METHOD_GET_ASYNC } }").Names(),
              ElementsAre("call-id-zero"));
}

TEST(ValidateTest, ACallIdThatComesAgainAfterItsOutcomeIsFound) {
  const Found found = FindIn(R"(
    record { call { id: 1 outcome: OUTCOME_IN_FLIGHT } }
    record { call { id: 2 outcome: OUTCOME_OK } }
    record { call { id: 1 outcome: OUTCOME_OK } }
    record { call { id: 2 outcome: OUTCOME_OK } }
    record { call { id: 1 outcome: OUTCOME_IN_FLIGHT } })");
  EXPECT_THAT(found.Names(), ElementsAre("call-id-repeated", "call-id-repeated"));
  EXPECT_EQ(found.defects[0].record, 5U);
  EXPECT_EQ(found.defects[0].detail, "call 2 has an outcome already");
}

TEST(ValidateTest, TimesOfACallThatContradictEachOtherAreFound) {
  EXPECT_THAT(FindIn(R"(
    record { call { id: 1 issued_ns: 0 admitted_ns: 9000 completed_ns: 8000 outcome: OUTCOME_OK } }
    record { call { id: 2 completed_ns: 8000 outcome: OUTCOME_IN_FLIGHT } })")
                  .Names(),
              ElementsAre("call-times", "call-times"));
  EXPECT_THAT(FindIn(R"(record { call { id: 1 admitted_ns: 9000 completed_ns: 9000 } })").Names(),
              IsEmpty());
}

TEST(ValidateTest, ASourceWithoutAnIdIsFound) {
  EXPECT_THAT(FindIn(R"(record { source { name: "a\033" } })").Names(),
              ElementsAre("source-id-zero"));
  EXPECT_THAT(FindIn(R"(record { source { name: "a\033" } })").defects[0].detail,
              HasSubstr("\"a\\x1b\""));
}

TEST(ValidateTest, ASourceThatNoRowDescribedIsNotedOnce) {
  const Found found = FindIn(R"(
    record { call { id: 1 source: 4 } }
    record { call { id: 2 source: 4 } }
    record { source { id: 5 } }
    record { notice { source: 5 } }
    record { limits { source: 6 } })");
  EXPECT_THAT(found.Names(), ElementsAre("source-unknown", "source-unknown"));
}

TEST(ValidateTest, StepsWithoutAnIdOrWithAUsedOneAreFound) {
  EXPECT_THAT(FindIn("record { step_begin { } }").Names(), ElementsAre("step-id-zero"));
  EXPECT_THAT(FindIn(R"(
    record { step_begin { id: 3 } } record { step_end { id: 3 } }
    record { step_begin { id: 3 name: "load" } })")
                  .Names(),
              ElementsAre("step-id-repeated"));
}

TEST(ValidateTest, AStepThatEndsTwiceOrNeverBeganIsFound) {
  const Found found = FindIn(R"(
    record { step_begin { id: 3 } } record { step_end { id: 3 } } record { step_end { id: 3 } }
    record { step_end { id: 4 } })");
  EXPECT_THAT(found.Names(), ElementsAre("step-end", "step-end"));
  EXPECT_EQ(found.defects[0].detail, "step 3 has ended already");
  EXPECT_EQ(found.defects[1].detail, "step 4 never began");
}

TEST(ValidateTest, AStepThatNeverEndsIsNoDefect) {
  EXPECT_THAT(FindIn("record { step_begin { id: 3 } }").Names(), IsEmpty());
}

TEST(ValidateTest, AFaultWithoutAnIdIsFound) {
  EXPECT_THAT(FindIn(R"(record { injected_fault { rule: "drop" } })").Names(),
              ElementsAre("fault-id-zero"));
}

TEST(ValidateTest, ALossIsToldAndExcusesWhatItMayHaveTaken) {
  const Found found = FindIn(R"(
    record { loss { reason: LOSS_REASON_WRITE calls: 2 rows: 1 text: "No space\n" } }
    record { step_end { id: 4 } }
    record { call { id: 1 source: 4 } })");
  EXPECT_THAT(found.Names(), ElementsAre("loss"));
  EXPECT_THAT(found.defects[0].detail, HasSubstr("No space\\n"));
}

TEST(ValidateTest, ALossByDamageExcusesWhatIsMissingAlsoWhenNobodyCountedIt) {
  const Found found = FindIn(R"(
    record { loss { reason: LOSS_REASON_DAMAGE text: "bytes 7 to 9" } }
    record { step_end { id: 4 } }
    record { call { id: 1 source: 4 } })");
  EXPECT_THAT(found.Names(), ElementsAre("loss"));
  EXPECT_EQ(found.defects[0].detail,
            "records are missing here, not counted (LOSS_REASON_DAMAGE): bytes 7 to 9");
}

TEST(ValidateTest, AnIndexThatPointsElsewhereIsFound) {
  const std::string good = AClosedCapture(6);
  v1::Capture capture;
  ASSERT_TRUE(capture.ParseFromString(good));
  const v1::Records last = capture.chunk(capture.chunk_size() - 1).records();
  const auto with_index = [&](const std::function<void(v1::Index&)>& change) {
    v1::Records records = last;
    change(*records.mutable_row(1)->mutable_index());
    const std::string chunk =
        AChunk(static_cast<uint64_t>(capture.chunk_size()) - 1, last.SerializeAsString());
    return good.substr(0, good.size() - chunk.size()) +
           AChunk(static_cast<uint64_t>(capture.chunk_size()) - 1, records.SerializeAsString());
  };
  EXPECT_THAT(Find(with_index([](v1::Index&) {})).Names(), IsEmpty());
  const std::function<void(v1::Index&)> changes[] = {
      [](v1::Index& i) { i.mutable_entry(1)->set_offset(i.entry(1).offset() + 1); },
      [](v1::Index& i) { i.mutable_entry(1)->set_calls(7); },
      [](v1::Index& i) { i.mutable_entry(1)->set_rows(7); },
      [](v1::Index& i) { i.mutable_entry(2)->set_sequence(1); },
      [](v1::Index& i) { i.mutable_entry(3)->set_sequence(9); },
      [](v1::Index& i) { i.mutable_entry()->RemoveLast(); },
  };
  for (const auto& change : changes)
    EXPECT_THAT(Find(with_index(change)).Names(), ElementsAre("index"));
}

TEST(ValidateTest, AnIndexOfVeryManyChunksIsCheckedToo) {
  EXPECT_THAT(Find(AClosedCapture(10'000, 1)).Names(), IsEmpty());
}

TEST(ValidateTest, DamageIsReportedWithItsPlaceAndNothingIsMadeUpBehindIt) {
  std::string bytes = AClosedCapture(6);
  const size_t source_chunk = static_cast<size_t>(ReadCapture(bytes).records[1].chunk_offset);
  bytes[source_chunk + 60] ^= 1;
  const Found found = Find(bytes);
  EXPECT_THAT(found.Names(), ElementsAre("checksum"));
  EXPECT_EQ(found.defects[0].offset, source_chunk);
  EXPECT_EQ(found.defects[0].chunk, 1U);
  EXPECT_EQ(found.verdict.ending, Ending::kDamaged);
  EXPECT_EQ(found.verdict.calls, 4U);
}

TEST(ValidateTest, ALaterRecordingWhoseHeaderIsDamagedIsNotTakenForTheOneBefore) {
  // The first has fewer chunks than the second has behind its damaged header.
  const std::string one = AClosedCapture(1);
  std::string bytes = one + AClosedCapture(2, 1);
  bytes[one.size() + 100] ^= 1;
  bytes[one.size() + ReadCapture(AClosedCapture(2, 1)).records[1].chunk_offset + 60] ^= 1;
  const Found found = Find(bytes);
  EXPECT_THAT(found.Names(), ElementsAre("checksum", "checksum"));
  EXPECT_EQ(found.verdict.recordings, 2U);
  EXPECT_EQ(found.verdict.calls, 2U);
}

TEST(ValidateTest, HowAFileEndsIsADefectOfItsOwn) {
  const std::string whole = AClosedCapture(2);
  EXPECT_THAT(Find(whole.substr(0, whole.size() - 1)).Names(),
              ElementsAre("torn-tail", "unfinished"));
  const size_t last = static_cast<size_t>(ReadCapture(whole).records.back().chunk_offset);
  EXPECT_THAT(Find(whole.substr(0, last)).Names(), ElementsAre("unfinished"));
}

TEST(ValidateTest, FieldsOfANewerVersionAreNoted) {
  v1::Row row = AComment("x");
  row.GetReflection()->MutableUnknownFields(&row)->AddVarint(1000, 1);
  EXPECT_THAT(Find(ACaptureOf({Rows({row})})).Names(), ElementsAre("unknown-fields", "unfinished"));
}

TEST(ValidateTest, WhatTheReaderPassesOverIsReportedByTheSameIds) {
  const auto name_of = [](const std::string& bytes) {
    return std::string(Find(bytes).Names().at(0));
  };
  const std::string good = AClosedCapture(4);
  const std::string body = Rows({AComment("x")}).SerializeAsString();
  EXPECT_EQ(name_of("x" + good), "not-a-capture");
  EXPECT_EQ(name_of(good + "x"), "framing");
  EXPECT_EQ(name_of(ACaptureOf({}) + AChunk(1, "\xFF\xFF")), "chunk-body");
  EXPECT_EQ(name_of(ACaptureOf({}) + AChunk(2, body)), "missing-chunks");
  EXPECT_EQ(name_of(ACaptureOf({}) + AChunk(0, body)), "chunk-order");
  EXPECT_EQ(name_of(ACaptureOf({}) +
                    AChunk(1, body, [](auto& f) { f.raw_size = capture::kChunkBytesMax + 1; })),
            "chunk-limit");
  v1::Row end;
  end.mutable_end();
  EXPECT_EQ(name_of(ACaptureOf({Rows({end})})), "end-totals");
  end.mutable_end()->set_rows(1);
  EXPECT_EQ(name_of(ACaptureOf({Rows({end, AComment("x")})})), "after-end");
}

TEST(DefectTableTest, NamesAreUnlike) {
  std::set<std::string_view> names;
  for (const capture::DefectInfo& info : capture::kDefects) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(info.meaning.ends_with('.')) << info.name;
  }
}

TEST(IdSetTest, KeepsWhatWasInsertedInAnyOrder) {
  capture::IdSet set;
  for (const uint64_t id : {5U, 3U, 4U, 9U, 0U, 8U, 1U}) EXPECT_TRUE(set.Insert(id)) << id;
  for (const uint64_t id : {0U, 1U, 3U, 4U, 5U, 8U, 9U}) {
    EXPECT_TRUE(set.Contains(id));
    EXPECT_FALSE(set.Insert(id)) << id;
  }
  for (const uint64_t id : {2U, 6U, 7U, 10U}) EXPECT_FALSE(set.Contains(id)) << id;
  EXPECT_TRUE(set.Insert(~uint64_t{0}));
  EXPECT_FALSE(set.Insert(~uint64_t{0}));
  EXPECT_FALSE(set.Contains(2));
}

TEST(IdSetTest, ForgetsTheLowestPastItsLimit) {
  capture::IdSet set;
  for (uint64_t i = 1; i <= capture::IdSet::kRunsMax; ++i) ASSERT_TRUE(set.Insert(2 * i));
  EXPECT_TRUE(set.Contains(2));
  EXPECT_TRUE(set.Insert(1'000'000));
  EXPECT_FALSE(set.Contains(2));
  EXPECT_TRUE(set.Contains(4));
}

}  // namespace
}  // namespace dstap::test
