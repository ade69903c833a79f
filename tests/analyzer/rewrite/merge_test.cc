#include "analyzer/rewrite/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "proto/capture/validate.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/capture_script.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using analyzer::MergeResult;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Merged {
  Status status;
  MergeResult result;
  std::string bytes;
  ReadResult read;

  std::vector<v1::Provenance> Made() const {
    std::vector<v1::Provenance> made;
    for (const OwnedRecord& record : read.records) {
      if (record.row.has_provenance()) made.push_back(record.row.provenance());
    }
    return made;
  }
};

// Inputs are named a, b, c.
Merged Merge(const std::vector<std::string>& captures) {
  Merged merged;
  StringSink sink(merged.bytes);
  std::vector<analyzer::MergeInput> inputs;
  for (size_t i = 0; i < captures.size(); ++i) {
    inputs.push_back({std::string(1, static_cast<char>('a' + i)),
                      [bytes = captures[i]]() -> Result<std::unique_ptr<ByteSource>> {
                        return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(bytes));
                      }});
  }
  const Result<MergeResult> result = analyzer::Merge(inputs, sink);
  merged.status = result.status();
  if (!result.ok()) return merged;
  merged.result = *result;
  merged.read = ReadCapture(merged.bytes);
  EXPECT_TRUE(merged.read.ok()) << merged.read.end.message();
  EXPECT_EQ(merged.read.ending, capture::Ending::kClosed);
  auto reader = capture::CaptureReader::Open(std::make_unique<MemorySource>(merged.bytes),
                                             capture::CaptureReader::OnDamage::kSkip);
  EXPECT_TRUE(capture::Validate(*reader, [](const capture::Defect& defect) {
                ADD_FAILURE() << InfoOf(defect.id).name << ": " << defect.detail;
              }).ok());
  return merged;
}

v1::Row AHeaderOf(v1::ClockKind clock, Time start, std::string_view rules = "2026",
                  uint64_t seed = 1) {
  v1::Row row;
  row.mutable_header()->set_format_version(1);
  row.mutable_header()->set_clock(clock);
  row.mutable_header()->set_start_unix_ns(start.count());
  row.mutable_header()->set_rule_profile(std::string(rules));
  row.mutable_header()->set_seed(seed);
  return row;
}

v1::Row Wall(Time start) { return AHeaderOf(v1::CLOCK_KIND_WALL, start); }

v1::Row Message(v1::MessageEventKind kind, uint64_t id) {
  v1::Row row;
  row.mutable_message_event()->set_source(1);
  row.mutable_message_event()->set_kind(kind);
  row.mutable_message_event()->set_topic("topic");
  row.mutable_message_event()->set_message(id);
  return row;
}
v1::Row Published(uint64_t id) { return Message(v1::MESSAGE_EVENT_KIND_PUBLISHED, id); }
v1::Row Delivered(uint64_t id) { return Message(v1::MESSAGE_EVENT_KIND_DELIVERED, id); }

CaptureScript Server(v1::Row header, const char* name) {
  CaptureScript script;
  script.Row(0s, std::move(header)).Source(1, name);
  return script;
}

TEST(MergeTest, RecordsStandInTheOrderOfOneClock) {
  CaptureScript a = Server(Wall(100s), "one");
  a.Call(Get("a", 1s, 2s)).Call(Get("a", 5s, 6s));
  CaptureScript b = Server(Wall(103s), "two");
  b.Call(Get("b", 0s, 1s)).Call(Get("b", 4s, 5s));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  std::vector<std::pair<std::string, Time>> calls;
  for (const OwnedRecord& record : merged.read.records) {
    if (record.is_call) calls.emplace_back(record.call.key, record.call.issued);
  }
  EXPECT_THAT(calls, ElementsAre(std::pair("a", Time(1s)), std::pair("b", Time(3s)),
                                 std::pair("a", Time(5s)), std::pair("b", Time(7s))));
  EXPECT_EQ(merged.read.records[0].row.header().start_unix_ns(), Time(100s).count());
  EXPECT_EQ(merged.result.calls, 4U);
  EXPECT_THAT(merged.result.recordings[1].clock, HasSubstr("nobody knows how far off"));
}

TEST(MergeTest, TheEarliestBeginsTheRecordingWhateverIsNamedFirst) {
  CaptureScript a = Server(Wall(103s), "one");
  CaptureScript b = Server(Wall(100s), "two");
  b.Call(Get("b", 1s, 2s));
  const Merged merged = Merge({BytesOf(a.Closed(1s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.read.records[0].row.header().start_unix_ns(), Time(100s).count());
  EXPECT_EQ(merged.Made()[0].shift_ns(), Time(3s).count());
  EXPECT_EQ(merged.Made()[1].shift_ns(), 0);
}

TEST(MergeTest, EveryIdIsNewAndStillNamesTheSame) {
  const auto capture = [](const char* name) {
    CaptureScript script = Server(Wall(100s), name);
    v1::Row fault;
    fault.mutable_injected_fault()->set_id(4);
    fault.mutable_injected_fault()->set_call(1);
    fault.mutable_injected_fault()->set_source(1);
    script.Begin(1s, {.id = 7}).Row(1s, fault).Row(1s, Published(3)).Row(1s, Delivered(3));
    capture::CallRecord call = Get("k", 1s, 2s);
    call.fault = 4;
    v1::Row notice;
    notice.mutable_notice()->set_source(1);
    notice.mutable_notice()->set_call(1);
    script.Call(InFlight(call)).Row(2s, notice);
    call.id = 1;
    return BytesOf(script.Call(call).End(3s, 7).Closed(4s));
  };
  const Merged merged = Merge({capture("one"), capture("two")});
  std::set<uint32_t> sources;
  std::set<uint64_t> steps, faults, published;
  for (const OwnedRecord& record : merged.read.records) {
    const v1::Row& row = record.row;
    if (row.has_source()) sources.insert(row.source().id());
    if (row.has_step_begin()) {
      steps.insert(row.step_begin().id());
      EXPECT_TRUE(sources.contains(row.step_begin().source()));
    }
    if (row.has_step_end()) {
      EXPECT_TRUE(steps.contains(row.step_end().id()));
    }
    if (row.has_injected_fault()) {
      faults.insert(row.injected_fault().id());
      EXPECT_EQ(row.injected_fault().call(), row.injected_fault().source());  // 1 and 1, 2 and 2
    }
    if (row.has_notice()) {
      EXPECT_EQ(row.notice().call(), row.notice().source());
    }
    if (row.message_event().kind() == v1::MESSAGE_EVENT_KIND_PUBLISHED) {
      published.insert(row.message_event().message());
    }
    if (row.message_event().kind() == v1::MESSAGE_EVENT_KIND_DELIVERED) {
      EXPECT_TRUE(published.contains(row.message_event().message()));
    }
    if (record.is_call) {
      EXPECT_EQ(record.call.id, record.call.source);
      EXPECT_TRUE(faults.contains(record.call.fault));
    }
  }
  EXPECT_EQ(sources.size(), 2U);
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_EQ(published.size(), 2U);
  EXPECT_EQ(merged.result.calls, 2U);
  EXPECT_THAT(merged.Made()[1].sources(), ElementsAre(2));
}

TEST(MergeTest, MessagesTellClocksApartBetterThanDates) {
  // b's clock is 10 s behind: by the dates the delivery would be before its publication.
  CaptureScript a = Server(Wall(100s), "one");
  a.Row(1s, Published(1)).Row(3s, Delivered(2));
  CaptureScript b = Server(Wall(90s), "two");
  b.Row(1s + 100ms, Delivered(1)).Row(2s + 900ms, Published(2));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.Made()[1].shift_ns() - merged.Made()[0].shift_ns(), 0);
  EXPECT_EQ(merged.Made()[1].uncertainty_ns(), 100'001'000U);
  EXPECT_THAT(merged.result.recordings[1].clock, HasSubstr("by messages, at most 0.100001 s off"));
  // The same message has the same number in both.
  std::vector<uint64_t> messages;
  for (const OwnedRecord& record : merged.read.records) {
    if (record.row.has_message_event()) messages.push_back(record.row.message_event().message());
  }
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_EQ(messages[2], messages[3]);
  EXPECT_NE(messages[0], messages[2]);
}

TEST(MergeTest, NumbersThatEachRecorderUsesAreNotTheSameMessage) {
  CaptureScript a = Server(Wall(100s), "one");
  a.Row(1s, Published(1)).Row(2s, Delivered(1));
  CaptureScript b = Server(Wall(90s), "two");
  b.Row(1s, Published(1)).Row(2s, Delivered(1));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_FALSE(merged.Made()[1].has_uncertainty_ns());
  EXPECT_THAT(merged.result.warnings, IsEmpty());
}

TEST(MergeTest, MessagesThatContradictEachOtherAreSaid) {
  CaptureScript a = Server(Wall(100s), "one");
  a.Row(5s, Published(1)).Row(1s, Delivered(2));
  CaptureScript b = Server(Wall(100s), "two");
  b.Row(1s, Delivered(1)).Row(5s, Published(2));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  ASSERT_EQ(merged.result.warnings.size(), 1U);
  EXPECT_THAT(merged.result.warnings[0],
              HasSubstr("between a and b contradict each other by 8.000000 s"));
  EXPECT_EQ(merged.Made()[1].shift_ns(), 0);
  bool is_in_capture = false;
  for (const OwnedRecord& record : merged.read.records) {
    is_in_capture |= record.row.comment().text() == merged.result.warnings[0];
  }
  EXPECT_TRUE(is_in_capture);
}

TEST(MergeTest, ClockSnapshotsCorrectADateThatWasWrongAtTheBeginning) {
  v1::Row snapshot;
  snapshot.mutable_clock_snapshot()->set_source(1);
  snapshot.mutable_clock_snapshot()->set_unix_ns(Time(107s).count());
  CaptureScript a = Server(Wall(100s), "one");
  CaptureScript b = Server(Wall(50s), "two");
  b.Row(5s, snapshot);
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.Made()[1].shift_ns(), Time(2s).count());
}

TEST(MergeTest, VirtualRecordingsBeginTogetherAndAreSaidToBeNeverCompared) {
  CaptureScript a = Server(AHeaderOf(v1::CLOCK_KIND_VIRTUAL, 100s), "one");
  a.Row(1s, Published(1));
  CaptureScript b = Server(AHeaderOf(v1::CLOCK_KIND_VIRTUAL, 100s), "two");
  b.Row(500ms, Delivered(1));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.Made()[0].shift_ns(), 0);
  EXPECT_EQ(merged.Made()[1].shift_ns(), 0);
  EXPECT_THAT(merged.result.recordings[1].clock, HasSubstr("never compared"));
}

TEST(MergeTest, ClocksOfTwoKindsAreRefused) {
  CaptureScript a = Server(AHeaderOf(v1::CLOCK_KIND_VIRTUAL, 100s), "one");
  CaptureScript b = Server(Wall(100s), "two");
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.status.code(), ErrorCode::kUsage);
  EXPECT_THAT(merged.status.message(), HasSubstr("a keeps virtual time and b another"));
}

TEST(MergeTest, TheHeaderSaysWhatAllAgreeOnAndTheRestIsKept) {
  CaptureScript a = Server(AHeaderOf(v1::CLOCK_KIND_WALL, 100s, "2026", 1), "one");
  CaptureScript b = Server(AHeaderOf(v1::CLOCK_KIND_WALL, 100s, "", 2), "two");
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  const v1::Header& header = merged.read.records[0].row.header();
  EXPECT_EQ(header.rule_profile(), "2026, live");
  EXPECT_FALSE(header.has_seed());
  EXPECT_EQ(merged.Made()[1].header().seed(), 2U);
  EXPECT_EQ(merged.Made()[0].header().rule_profile(), "2026");
  EXPECT_TRUE(merged.Made()[0].header().descriptor_set().empty());
}

TEST(MergeTest, OfUnfinishedCapturesComesAClosedOneThatSaysSo) {
  CaptureScript a = Server(Wall(100s), "one");
  CaptureScript b = Server(Wall(100s), "two");
  b.Call(InFlight(Get("k", 1s, 2s)));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b)});
  EXPECT_FALSE(merged.Made()[0].unfinished());
  EXPECT_TRUE(merged.Made()[1].unfinished());
  EXPECT_THAT(merged.Made()[1].text(), HasSubstr("it had no end"));
  const v1::End& end = merged.read.records[merged.read.records.size() - 2].row.end();
  EXPECT_EQ(end.reason(), v1::END_REASON_UNKNOWN);
  EXPECT_EQ(end.text(), "b: it had no end");
  EXPECT_EQ(end.calls_in_flight(), 1U);
}

TEST(MergeTest, EachRecordingOfAFileIsMergedForItself) {
  CaptureScript a = Server(Wall(100s), "one");
  a.Call(Get("a", 1s, 2s));
  CaptureScript b = Server(Wall(103s), "two");
  b.Call(Get("b", 0s, 1s));
  CaptureScript c = Server(Wall(101s), "three");
  c.Call(Get("c", 1s, 2s));
  const Merged merged =
      Merge({BytesOf(a.Closed(9s)) + BytesOf(b.Closed(9s)), BytesOf(c.Closed(9s))});
  std::vector<std::string_view> keys;
  for (const OwnedRecord& record : merged.read.records) {
    if (record.is_call) keys.push_back(record.call.key);
  }
  EXPECT_THAT(keys, ElementsAre("a", "c", "b"));
  EXPECT_EQ(merged.result.recordings[1].name, "a (recording 2)");
}

TEST(MergeTest, LossesAreSummed) {
  v1::Row loss;
  loss.mutable_loss()->set_calls(3);
  loss.mutable_loss()->set_rows(1);
  CaptureScript a = Server(Wall(100s), "one");
  a.Row(1s, loss);
  CaptureScript b = Server(Wall(100s), "two");
  b.Row(1s, loss);
  std::string bytes;
  StringSink sink(bytes);
  const std::string first = BytesOf(a.Closed(9s));
  const std::string second = BytesOf(b.Closed(9s));
  const auto open = [](std::string of) {
    return [of]() -> Result<std::unique_ptr<ByteSource>> {
      return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(of));
    };
  };
  ASSERT_TRUE(analyzer::Merge({{"a", open(first)}, {"b", open(second)}}, sink).ok());
  const ReadResult read = ReadCapture(bytes);
  EXPECT_EQ(read.ending, capture::Ending::kClosed);
  EXPECT_EQ(read.records[read.records.size() - 2].row.end().calls_lost(), 6U);
}

TEST(MergeTest, IdsThatLeaveNoRoomAreRefused) {
  CaptureScript a = Server(Wall(100s), "one");
  capture::CallRecord call = Get("k", 1s, 2s);
  call.id = std::numeric_limits<uint64_t>::max();
  a.Call(call);
  CaptureScript b = Server(Wall(100s), "two");
  b.Call(Get("k", 1s, 2s));
  const Merged merged = Merge({BytesOf(a.Closed(9s)), BytesOf(b.Closed(9s))});
  EXPECT_EQ(merged.status.code(), ErrorCode::kLimit);
}

TEST(MergeTest, DamageIsRefusedWithTheFileAndTheRemedy) {
  CaptureScript a = Server(Wall(100s), "one");
  std::string damaged = BytesOf(a.Closed(9s));
  damaged[damaged.size() - 30] ^= 1;
  CaptureScript b = Server(Wall(100s), "two");
  const Merged merged = Merge({BytesOf(b.Closed(9s)), damaged});
  EXPECT_EQ(merged.status.code(), ErrorCode::kDamaged);
  EXPECT_THAT(merged.status.message(), AllOf(HasSubstr("b: "), HasSubstr("dstap recover")));
}

}  // namespace
}  // namespace dstap::test
