// Chunks whose checksum is right and whose body is hostile: one change to a good body each.
#include "proto/capture/chunk_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "proto/capture/chunk_builder.h"
#include "proto/capture/chunk_decoder.h"
#include "proto/capture/format.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using capture::ChunkColumns;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three calls that use every column, and two rows.
v1::Records AGoodBody() {
  capture::ChunkBuilder builder(1000);
  EXPECT_TRUE(builder.Add(ACall(1)));
  EXPECT_TRUE(builder.AddRow(Time(5'000'000), AComment("a")));
  EXPECT_TRUE(builder.Add(AFullCall()));
  EXPECT_TRUE(builder.Add(ACall(3)));
  EXPECT_TRUE(builder.AddRow(Time(9'000'000'000), AComment("b")));
  std::string bytes(builder.ByteSize(), '\0');
  builder.WriteTo(bytes.data());
  v1::Records records;
  EXPECT_TRUE(records.ParseFromString(bytes));
  return records;
}

std::string WhyRefused(const std::string& body) {
  ChunkColumns columns;
  const Status status = columns.Load(body);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), ErrorCode::kDamaged);
    EXPECT_EQ(columns.calls(), 0U);
    EXPECT_TRUE(columns.rows().empty());
  }
  return status.message();
}

std::string WhyRefused(const std::function<void(v1::Records&)>& change) {
  v1::Records records = AGoodBody();
  change(records);
  return WhyRefused(records.SerializeAsString());
}

TEST(ChunkColumnsTest, AGoodBodyIsTaken) {
  EXPECT_THAT(WhyRefused([](v1::Records&) {}), IsEmpty());
}

TEST(ChunkColumnsTest, EveryColumnWithAnEntryTooManyOrTooFewIsRefused) {
  const auto* calls = v1::Calls::descriptor();
  for (int i = 0; i < calls->field_count(); ++i) {
    const auto* field = calls->field(i);
    if (!field->is_repeated() || field->name() == "list_arguments") continue;
    SCOPED_TRACE(field->name());
    const auto why = WhyRefused([&](v1::Records& records) {
      v1::Calls& c = *records.mutable_calls();
      // The one column that AFullCall() leaves empty gets an entry too few by its first entry.
      if (c.GetReflection()->FieldSize(c, field) == 0) return c.add_second_after(1);
      c.GetReflection()->RemoveLast(&c, field);
    });
    EXPECT_THAT(why, HasSubstr(field->name()));
    EXPECT_THAT(why, HasSubstr("entries for"));
  }
}

TEST(ChunkColumnsTest, EveryIndexPastItsTableIsRefused) {
  for (const char* name : {"caller", "store", "scope", "key", "list", "error_name", "error_text",
                           "read_value", "written_value", "version"}) {
    const auto* field = v1::Calls::descriptor()->FindFieldByName(name);
    SCOPED_TRACE(name);
    // The largest index of the table is taken, the next one is not.
    for (const bool past : {false, true}) {
      const auto why = WhyRefused([&](v1::Records& records) {
        v1::Calls& c = *records.mutable_calls();
        uint32_t top = static_cast<uint32_t>(records.names_size());
        const std::string column = name;
        if (column == "key") top = static_cast<uint32_t>(records.keys_size());
        if (column == "list") top = static_cast<uint32_t>(c.list_arguments_size());
        if (column.starts_with("error")) top = static_cast<uint32_t>(records.texts_size());
        if (column.ends_with("value")) top = static_cast<uint32_t>(records.values_size());
        if (column == "version") top = static_cast<uint32_t>(records.identities_size());
        c.GetReflection()->SetRepeatedUInt32(&c, field, 0, top + (past ? 1 : 0));
      });
      EXPECT_EQ(why.empty(), !past) << why;
      if (past) {
        EXPECT_THAT(why, HasSubstr(std::string("column ") + name));
      }
    }
  }
}

TEST(ChunkColumnsTest, TimesThatAreNoTimesOfARecordingAreRefused) {
  constexpr int64_t kMaxTicks = std::numeric_limits<int64_t>::max() / 1000;
  const auto refused = [](const std::function<void(v1::Records&)>& change) {
    return !WhyRefused(change).empty();
  };
  EXPECT_TRUE(refused([](v1::Records& r) { r.set_tick_ns(0); }));
  EXPECT_TRUE(refused([](v1::Records& r) { r.set_tick_ns(~uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::Records& r) { r.set_base_ticks(-1); }));
  EXPECT_TRUE(refused([](v1::Records& r) { r.set_base_ticks(kMaxTicks + 1); }));
  EXPECT_TRUE(refused([](v1::Records& r) { r.set_base_ticks(kMaxTicks); }));
  const auto issued = [](int64_t delta) {
    return [delta](v1::Records& r) { r.mutable_calls()->set_issued_delta(0, delta); };
  };
  EXPECT_TRUE(refused(issued(-1'000'001)));
  EXPECT_FALSE(refused(issued(-1'000'000)));
  EXPECT_TRUE(refused(issued(std::numeric_limits<int64_t>::max())));
  EXPECT_TRUE(refused(issued(std::numeric_limits<int64_t>::min())));
  for (const uint64_t after : {~uint64_t{0}, static_cast<uint64_t>(kMaxTicks)}) {
    EXPECT_TRUE(refused([&](v1::Records& r) { r.mutable_calls()->set_admitted_after(0, after); }));
    EXPECT_TRUE(refused([&](v1::Records& r) { r.mutable_calls()->set_completed_after(0, after); }));
    EXPECT_TRUE(
        refused([&](v1::Records& r) { r.mutable_calls()->set_run_started_after(0, after); }));
    EXPECT_TRUE(refused([&](v1::Records& r) { r.mutable_calls()->set_run_ticks(0, after); }));
  }
  for (const int64_t ticks :
       {int64_t{-1'000'001}, kMaxTicks, std::numeric_limits<int64_t>::max()}) {
    EXPECT_TRUE(refused([&](v1::Records& r) { r.mutable_row(0)->set_ticks(ticks); }));
  }
  // The last instant there is.
  EXPECT_FALSE(refused([](v1::Records& r) {
    r.mutable_calls()->set_completed_after(0, static_cast<uint64_t>(kMaxTicks) - 1'000'000 + 1);
  }));
}

TEST(ChunkColumnsTest, TransformRunsThatDisagreeAreRefused) {
  EXPECT_THAT(WhyRefused([](v1::Records& r) { r.mutable_calls()->set_transform_runs(0, 1); }),
              HasSubstr("2 entries for 3 transform runs"));
  EXPECT_THAT(WhyRefused([](v1::Records& r) {
                v1::Calls& c = *r.mutable_calls();
                c.clear_run_outcome();
                c.clear_run_started_after();
                c.clear_run_ticks();
                c.set_transform_runs(0, 0xFFFF'FFFF);
                c.set_transform_runs(1, 0xFFFF'FFFF);
              }),
              HasSubstr("8589934590 transform runs"));
}

TEST(ChunkColumnsTest, RowsOutOfOrderOrBehindTheLastCallAreRefused) {
  EXPECT_THAT(WhyRefused([](v1::Records& r) { r.mutable_row(1)->set_after_calls(0); }),
              HasSubstr("row 1 stands after 0 calls"));
  EXPECT_THAT(WhyRefused([](v1::Records& r) { r.mutable_row(1)->set_after_calls(4); }),
              HasSubstr("after 4 calls of 3"));
}

TEST(ChunkColumnsTest, ACountThatTheBytesCannotHoldIsRefusedBeforeAllocation) {
  for (const uint32_t count : {4U, 1'000'000U}) {
    EXPECT_THAT(WhyRefused([&](v1::Records& r) { r.mutable_calls()->set_count(count); }),
                HasSubstr("entries for " + std::to_string(count) + " calls"));
  }
  v1::Records records;
  records.set_tick_ns(1);
  records.mutable_calls()->set_count(capture::kChunkCallsMax);
  EXPECT_THAT(WhyRefused(records.SerializeAsString()), IsEmpty());
  records.mutable_calls()->set_count(capture::kChunkCallsMax + 1);
  EXPECT_THAT(WhyRefused(records.SerializeAsString()), HasSubstr("1048577 calls"));
}

TEST(ChunkColumnsTest, AsManyRowsAndStringsAsAllowedAndNotOneMore) {
  // Each is two bytes: a tag and the length 0.
  const std::string tick = "\x08\x01";
  std::string rows;
  std::string names;
  for (size_t i = 0; i < capture::kChunkRowsMax; ++i) {
    rows += std::string("\x4A\x00", 2);
    names += std::string("\x1A\x00", 2);
  }
  EXPECT_THAT(WhyRefused(tick + rows), IsEmpty());
  EXPECT_THAT(WhyRefused(tick + rows + std::string("\x4A\x00", 2)), HasSubstr("1048576 rows"));
  EXPECT_THAT(WhyRefused(tick + names), IsEmpty());
  EXPECT_THAT(WhyRefused(tick + names + std::string("\x1A\x00", 2)), HasSubstr("string table"));
}

TEST(ChunkColumnsTest, MoreListArgumentsThanCallsAreRefused) {
  EXPECT_THAT(WhyRefused([](v1::Records& r) {
                while (r.calls().list_arguments_size() < 4) r.mutable_calls()->add_list_arguments();
              }),
              HasSubstr("4 list_arguments for 3 calls"));
}

TEST(ChunkColumnsTest, BytesThatAreNoColumnsAreRefused) {
  const std::string tick = "\x08\x01";
  const std::pair<std::string, const char*> cases[] = {
      {"\xFF", "not protobuf"},
      {"\x0B", "not protobuf"},                                // A group.
      {std::string("\x09\0\0\0\0\0\0\0\0", 9), "wrong type"},  // tick_ns as a fixed64.
      {tick + "\x42\x02\x08", "cut off"},
      {tick + "\x42\x04\x08\x01\x10\x02", "not packed"},       // id_delta, not packed.
      {tick + "\x42\x05\x08\x01\x12\x01\x80", "ends inside"},  // id_delta, cut off.
      {tick + "\x42\x0A\x08\x01\xEA\x01\x05"
              "ABCDE",
       "ends inside"},  // read_hash of 5 bytes.
      {tick + "\x42\x09\x08\x01\x12\x01\x02\x12\x02\x02\x02", "two pieces"},
      {tick + "\x42\x02\x08\x01\x42\x02\x08\x01", "two pieces"},
      {tick + "\x42\x10\x08\x01\x12\x0C\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
       "over 10 bytes"},
      {tick + "\x4A\x01\xFF", "row 0 is not protobuf"},
      {tick + "\x42\x08\x08\x01\x62\x01\x01\x6A\x01\xFF", "list_arguments is not protobuf"},
  };
  for (const auto& [body, words] : cases) EXPECT_THAT(WhyRefused(body), HasSubstr(words));
}

TEST(ChunkColumnsTest, EveryFlippedBitOfABodyIsTakenOrRefusedAndNeverMore) {
  // There is no checksum here: what is taken must be readable to the end.
  const std::string good = AGoodBody().SerializeAsString();
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    capture::ChunkDecoder decoder;
    capture::Record record;
    if (!decoder.Load(flipped).ok()) continue;
    size_t length = 0;
    while (decoder.Next(record)) {
      if (record.call != nullptr) {
        length += record.call->key.size() + record.call->transform_runs.size();
        if (record.call->list != nullptr) length += record.call->list->ByteSizeLong();
      }
    }
    EXPECT_LT(length, 1'000'000U);
  }
}

// The ids and runs of what Next() gives when the calls in places that `skip` names are passed over.
std::vector<std::string> Given(const std::string& body, const std::function<bool(size_t)>& skip) {
  capture::ChunkDecoder decoder;
  EXPECT_TRUE(decoder.Load(body).ok());
  std::vector<std::string> given;
  for (capture::Record record;;) {
    while (decoder.next_call() < decoder.calls_end() && skip(decoder.next_call())) {
      decoder.SkipTo(decoder.next_call() + 1);
    }
    if (!decoder.Next(record)) return given;
    if (record.call == nullptr) continue;
    std::string line = std::to_string(record.call->id);
    for (const capture::TransformRun& run : record.call->transform_runs) {
      line += ' ' + std::to_string(run.took.count());
    }
    given.push_back(std::move(line));
  }
}

TEST(ChunkColumnsTest, RecordsBehindCallsPassedOverAreTheSame) {
  capture::ChunkBuilder builder(1000);
  std::vector<std::string> all;
  for (uint64_t id = 1; id <= 2000; ++id) {
    capture::CallRecord call = ACall(id);
    const std::vector<capture::TransformRun> runs(
        id % 4, {.started = call.issued, .took = Time(static_cast<int64_t>(id) * 1000)});
    call.transform_runs = runs;
    std::string line = std::to_string(id);
    for (size_t i = 0; i < runs.size(); ++i) line += ' ' + std::to_string(id * 1000);
    all.push_back(line);
    ASSERT_TRUE(builder.Add(call));
    if (id % 700 == 0) {
      ASSERT_TRUE(builder.AddRow(Time(5'000'000), AComment("a")));
    }
  }
  std::string body(builder.ByteSize(), '\0');
  builder.WriteTo(body.data());
  const std::function<bool(size_t)> skips[] = {
      [](size_t) { return false; },
      [](size_t) { return true; },
      [](size_t call) { return call % 2 == 0; },
      [](size_t call) { return call % 97 < 60; },
      [](size_t call) { return call >= 3 && call < 1397; },
      [](size_t call) { return call < 1999; },
  };
  for (const auto& skip : skips) {
    std::vector<std::string> rest;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!skip(i)) rest.push_back(all[i]);
    }
    EXPECT_EQ(Given(body, skip), rest);
  }
}

}  // namespace
}  // namespace dstap::test
