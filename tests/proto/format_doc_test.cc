// Holds docs/capture-format.md to the code: bytes, limits, fields, defects, versions.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "proto/capture/chunk_frame.h"
#include "proto/capture/defects.h"
#include "proto/capture/format.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using ::testing::HasSubstr;

const std::string& Doc() {
  static const std::string doc = [] {
    std::ifstream file(DSTAP_SOURCE_DIR "/docs/capture-format.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }();
  return doc;
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto b = static_cast<unsigned char>(byte);
    if (!out.empty()) out += ' ';
    out += {kDigits[b >> 4], kDigits[b & 15]};
  }
  return out;
}

// The lines of the page's section `title`, up to the next heading.
std::string Section(const std::string& title) {
  const size_t begin = Doc().find("\n" + title + "\n");
  EXPECT_NE(begin, std::string::npos) << title;
  if (begin == std::string::npos) return {};
  const size_t end = Doc().find("\n#", begin + 1);
  return Doc().substr(begin, end - begin);
}

TEST(FormatDocTest, MagicAndSyncAreTheBytesInTheCode) {
  EXPECT_THAT(Doc(), HasSubstr("| magic, tag included | `" + Hex(capture::MagicBytes()) + "` |"));
  EXPECT_THAT(Doc(), HasSubstr("| sync, tag included | `" + Hex(capture::SyncBytes()) + "` |"));
}

TEST(FormatDocTest, TheWorkedExampleIsWhatTheWriterWrites) {
  std::string bytes;
  v1::Header header;
  header.set_tool_version("0.1.0");
  header.set_clock(v1::CLOCK_KIND_VIRTUAL);
  header.set_descriptor_set("-");
  auto writer =
      capture::CaptureWriter::Create(std::make_unique<StringSink>(bytes), std::move(header));
  capture::CallRecord call;
  call.id = 1;
  call.method = v1::METHOD_GET_ASYNC;
  call.key = "Player_1";
  call.issued = std::chrono::milliseconds(1);
  call.completed = std::chrono::milliseconds(90);
  call.outcome = v1::OUTCOME_OK;
  writer->Add(call);
  ASSERT_TRUE(writer->Commit().ok());

  std::string shown;
  const size_t begin = Doc().find("```hex\n") + 7;
  std::istringstream block(Doc().substr(begin, Doc().find("```", begin) - begin));
  for (std::string line; std::getline(block, line);) {
    // Indented hex pairs, two blanks, words.
    line.erase(0, line.find_first_not_of(' '));
    const size_t words = line.find("  ");
    ASSERT_NE(words, std::string::npos) << line;
    if (!shown.empty()) shown += ' ';
    shown += line.substr(0, words);
  }
  EXPECT_EQ(shown, Hex(bytes));
}

TEST(FormatDocTest, LimitsAreThoseInTheCode) {
  const std::pair<const char*, size_t> limits[] = {
      {"kChunkBytesMax", capture::kChunkBytesMax},     {"kChunkCallsMax", capture::kChunkCallsMax},
      {"kChunkRowsMax", capture::kChunkRowsMax},       {"kFrameBytesMax", capture::kFrameBytesMax},
      {"kIndexEntriesMax", capture::kIndexEntriesMax},
  };
  for (const auto& [name, value] : limits) {
    EXPECT_THAT(Section("## Limits"),
                HasSubstr("| `" + std::string(name) + "` | " + std::to_string(value) + " |"));
  }
  EXPECT_THAT(Doc(), HasSubstr("for more than " +
                               std::to_string(capture::kBeginRecordAfterNs / 1'000'000) + " ms"));
}

TEST(FormatDocTest, EveryFieldStandsInItsMessagesTableWithNumberAndType) {
  const auto* file = v1::Capture::descriptor()->file();
  for (int m = 0; m < file->message_type_count(); ++m) {
    const auto* message = file->message_type(m);
    const std::string section = Section("### " + message->name());
    for (int f = 0; f < message->field_count(); ++f) {
      const auto* field = message->field(f);
      std::string type = field->has_presence() && field->has_optional_keyword() ? "optional " : "";
      if (field->is_repeated()) type = "repeated ";
      if (field->message_type() != nullptr) {
        type += field->message_type()->name();
      } else if (field->enum_type() != nullptr) {
        type += field->enum_type()->name();
      } else {
        type += field->type_name();
      }
      EXPECT_THAT(section, HasSubstr("\n| " + std::to_string(field->number()) + " | `" +
                                     field->name() + "` | " + type + " | "));
    }
  }
}

TEST(FormatDocTest, NoTableHasAFieldThatDoesNotExist) {
  const auto* file = v1::Capture::descriptor()->file();
  for (int m = 0; m < file->message_type_count(); ++m) {
    const auto* message = file->message_type(m);
    std::istringstream lines(Section("### " + message->name()));
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("| ") && line[2] >= '0' && line[2] <= '9') ++rows;
    }
    // The test above found each field; so these are all.
    EXPECT_EQ(rows, message->field_count()) << message->name();
  }
}

TEST(FormatDocTest, DefectsAreThoseInTheCodeInTheirOrder) {
  std::string table;
  for (const capture::DefectInfo& info : capture::kDefects) {
    const char* severity = "";
    switch (info.severity) {
      case capture::DefectSeverity::kNote:
        severity = "note";
        break;
      case capture::DefectSeverity::kLoss:
        severity = "loss";
        break;
      case capture::DefectSeverity::kRule:
        severity = "rule";
        break;
      case capture::DefectSeverity::kDamage:
        severity = "damage";
        break;
    }
    table += "| `" + std::string(info.name) + "` | " + severity + " | " +
             std::string(info.meaning) + " |\n";
  }
  EXPECT_THAT(Section("## Defects"), HasSubstr(table));
}

TEST(FormatDocTest, EachDefectHasARowThatSaysHowItComesAbout) {
  const std::string section = Section("## Defects");
  size_t at = section.find("| id | how it comes about | what is lost |");
  ASSERT_NE(at, std::string::npos);
  for (const capture::DefectInfo& info : capture::kDefects) {
    const size_t row = section.find("\n| `" + std::string(info.name) + "` | ", at);
    ASSERT_NE(row, std::string::npos) << info.name;
    at = row;  // In the order of the code.
  }
}

TEST(FormatDocTest, TheVersionInTheCodeStandsInTheTableOfVersions) {
  EXPECT_THAT(Section("## Versions"),
              HasSubstr("\n| " + std::to_string(capture::kFormatVersion) + " | "));
}

}  // namespace
}  // namespace dstap::test
