#include "proto/capture/capture_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dstap/v1/capture_text.pb.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureReader;
using capture::CaptureWriter;
using capture::Ending;
using ::testing::HasSubstr;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;

std::string ToText(const std::string& bytes) {
  auto reader =
      CaptureReader::Open(std::make_unique<MemorySource>(bytes), CaptureReader::OnDamage::kStop);
  EXPECT_TRUE(reader.ok());
  auto text = capture::ToText(*reader);
  EXPECT_TRUE(text.ok()) << text.status().message();
  return *text;
}

std::string FromText(const std::string& text) {
  const auto bytes = capture::FromText(text);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? *bytes : std::string();
}

std::string WithoutComments(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) out += line + '\n';
  }
  return out;
}

// Every kind of record, every field of a call, two recordings.
std::string AWideCapture() {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader());
  const auto* kinds = v1::Row::descriptor()->oneof_decl(0);
  for (int i = 0; i < kinds->field_count(); ++i) {
    const std::string& name = kinds->field(i)->name();
    if (name == "header" || name == "end" || name == "index") continue;
    v1::Row row;
    row.GetReflection()->MutableMessage(&row, kinds->field(i));
    writer->AddRow(Time(1s) * i, row);
  }
  writer->AddRow(Time(1s), AComment("quote \" newline \n byte \xFF"));
  writer->Add(AnOpenCall(77));
  EXPECT_TRUE(writer->Commit().ok());
  writer->Add(AFullCall());
  writer->Add(ACall(78));
  EXPECT_TRUE(writer->Close(Time(99s), v1::END_REASON_LIMIT, "enough").ok());
  return bytes + AClosedCapture(3);
}

TEST(CaptureTextTest, TextAndBackHasTheSameRecords) {
  const std::string bytes = AWideCapture();
  const ReadResult before = ReadCapture(bytes);
  const ReadResult after = ReadCapture(FromText(ToText(bytes)));
  ASSERT_TRUE(after.ok()) << after.end.message();
  EXPECT_EQ(after.ending, Ending::kClosed);
  ASSERT_EQ(before.records.size(), after.records.size());
  for (size_t i = 0; i < before.records.size(); ++i) {
    const OwnedRecord& a = before.records[i];
    const OwnedRecord& b = after.records[i];
    ASSERT_EQ(a.is_call, b.is_call);
    EXPECT_EQ(a.time, b.time);
    if (a.is_call) {
      EXPECT_TRUE(SameCall(a.call, b.call));
    } else if (!a.row.has_index()) {  // Chunks are not kept, so it points elsewhere.
      EXPECT_EQ(a.row.SerializeAsString(), b.row.SerializeAsString());
    }
  }
}

TEST(CaptureTextTest, CaptureAndBackIsTheSameTextButForComments) {
  const std::string text = ToText(AWideCapture());
  EXPECT_EQ(WithoutComments(ToText(FromText(text))), WithoutComments(text));
}

TEST(CaptureTextTest, TextNamesChunksMethodsAndKeys) {
  const std::string text = ToText(AClosedCapture(3, 2));
  EXPECT_THAT(text, HasSubstr("# chunk 0, byte 9\n"));
  EXPECT_THAT(text, HasSubstr("# chunk 1, byte "));
  EXPECT_THAT(text, HasSubstr("# descriptor set of "));
  EXPECT_THAT(text, HasSubstr("# index of 3 entries\n"));
  EXPECT_THAT(text, HasSubstr("method: METHOD_UPDATE_ASYNC"));
  EXPECT_THAT(text, HasSubstr("key: \"Player_2\""));
}

TEST(CaptureTextTest, TextWrittenByHandNeedsLittle) {
  const std::string bytes = FromText(R"(
    # A server that reads one key.
    record { header { clock: CLOCK_KIND_VIRTUAL } }
    record { source { id: 1 name: "server" } }
    record { call { id: 1 source: 1 method: METHOD_GET_ASYNC key: "Player_\377"
                    issued_ns: 1000 completed_ns: 3000 outcome: OUTCOME_OK } }
    record { time_ns: 5000 end { reason: END_REASON_CLOSED } })");
  const ReadResult read = ReadCapture(bytes);
  ASSERT_TRUE(read.ok()) << read.end.message();
  EXPECT_EQ(read.ending, Ending::kClosed);
  EXPECT_EQ(read.records[2].call.key, "Player_\xFF");
}

TEST(CaptureTextTest, ACaptureWithoutAnEndIsUnfinished) {
  EXPECT_EQ(ReadCapture(FromText("record { header {} }")).ending, Ending::kUnfinished);
}

TEST(CaptureTextTest, TimesFinerThanAMicrosecondAreKept) {
  const ReadResult read =
      ReadCapture(FromText("record { header {} } record { call { id: 1 issued_ns: 1234567 } }"));
  EXPECT_EQ(read.records[1].call.issued, Time(1'234'567ns));
}

TEST(CaptureTextTest, WrongTextIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"record { header {}\n  cal { } }", "line 2, column"},
      {"record { call { id: 1 } }", "record 1: a recording must begin with a header"},
      {"record { header {} } record { time_ns: 5 }", "record 2: says neither call nor row"},
      {"record { header {} } record { end {} } record { comment {} }",
       "record 3: only a header may follow an end"},
  };
  for (const auto& [text, words] : cases) {
    const auto result = capture::FromText(text);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), ErrorCode::kUsage);
    EXPECT_THAT(result.status().message(), HasSubstr(words));
  }
}

TEST(CaptureTextTest, EveryKindOfRowButTheIndexHasAPlaceInTheText) {
  const auto* rows = v1::Row::descriptor()->oneof_decl(0);
  for (int i = 0; i < rows->field_count(); ++i) {
    const auto* row = rows->field(i);
    if (row->name() == "index") continue;
    const auto* text = v1::RecordText::descriptor()->FindFieldByNumber(row->number());
    ASSERT_NE(text, nullptr) << row->name();
    EXPECT_EQ(text->name(), row->name());
    EXPECT_EQ(text->message_type(), row->message_type());
  }
}

}  // namespace
}  // namespace dstap::test
