// docs/report.schema.json describes what is printed, in both directions: what the program prints is
// valid, and the schema names every key that is printed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analyzer/render/renderer.h"
#include "tests/analyzer/report_cases.h"

namespace dstap::analyzer {
namespace {

using nlohmann::json;
using testing::IsEmpty;
using testing::SizeIs;

// As much of JSON Schema as docs/report.schema.json uses; a keyword that is not known is an error.
// Keys that no schema names are errors too: additions must be described.
class Validator {
 public:
  explicit Validator(json schema) : root_(std::move(schema)) {}

  std::vector<std::string> Errors(const json& value) {
    errors_.clear();
    Check(root_, value, "$");
    return errors_;
  }

 private:
  void Fail(const std::string& at, const std::string& what) { errors_.push_back(at + ": " + what); }

  static bool IsOfType(const json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    return value.type_name() == type;
  }

  void CheckType(const json& types, const json& value, const std::string& at) {
    const std::vector<json> list =
        types.is_array() ? types.get<std::vector<json>>() : std::vector<json>{types};
    for (const json& type : list) {
      if (IsOfType(value, type.get<std::string>())) return;
    }
    Fail(at, "is not of type " + types.dump());
  }

  void CheckProperties(const json& schema, const json& value, const std::string& at) {
    const json properties = schema.value("properties", json::object());
    for (const auto& [key, child] : value.items()) {
      const std::string child_at = at + "." + key;
      if (properties.contains(key)) {
        Check(properties[key], child, child_at);
      } else if (schema.contains("additionalProperties")) {
        Check(schema["additionalProperties"], child, child_at);
      } else {
        Fail(child_at, "is not in the schema");
      }
    }
  }

  void Check(const json& schema, const json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$ref") {
        Check(root_["$defs"][rule.get<std::string>().substr(8)], value, at);
      } else if (keyword == "type") {
        CheckType(rule, value, at);
      } else if (keyword == "const") {
        if (value != rule) Fail(at, "is not " + rule.dump());
      } else if (keyword == "enum") {
        if (std::ranges::find(rule, value) == rule.end()) Fail(at, "is none of " + rule.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < rule) Fail(at, "is below " + rule.dump());
      } else if (keyword == "required") {
        for (const json& key : rule) {
          if (value.is_object() && !value.contains(key.get<std::string>())) {
            Fail(at, "has no " + key.dump());
          }
        }
      } else if (keyword == "items") {
        for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
          Check(rule, value[i], fmt::format("{}[{}]", at, i));
        }
      } else if (keyword != "properties" && keyword != "additionalProperties" &&
                 keyword != "$schema" && keyword != "title" && keyword != "description" &&
                 keyword != "$defs") {
        Fail(at, "the schema has a keyword that this test does not know: " + keyword);
      }
    }
    if (value.is_object() && !schema.contains("$ref")) CheckProperties(schema, value, at);
  }

  json root_;
  std::vector<std::string> errors_;
};

json Schema() {
  std::ifstream file(DSTAP_SOURCE_DIR "/docs/report.schema.json");
  return json::parse(file);
}

json ReportOf(const test::ReportCase& one) { return json::parse(RenderJson(one.report(), {})); }

TEST(ReportSchemaTest, EveryReportIsValid) {
  Validator validator(Schema());
  for (const test::ReportCase& one : test::AllReportCases()) {
    EXPECT_THAT(validator.Errors(ReportOf(one)), IsEmpty()) << one.name;
  }
}

TEST(ReportSchemaTest, TheTestSeesWhatIsInvalid) {
  Validator validator(Schema());
  json report = ReportOf(test::AllReportCases()[0]);
  report["format"] = "dstap.report/2";
  EXPECT_THAT(validator.Errors(report), SizeIs(1));
  report = ReportOf(test::AllReportCases()[0]);
  report["subjects"][0]["steps"][0]["samples"] = "5";
  EXPECT_THAT(validator.Errors(report), SizeIs(1));
  report = ReportOf(test::AllReportCases()[0]);
  report["subjects"][0]["steps"][0]["new"] = 1;
  EXPECT_THAT(validator.Errors(report), SizeIs(1));
  report = ReportOf(test::AllReportCases()[0]);
  report["subjects"][0]["steps"][0].erase("tie");
  EXPECT_THAT(validator.Errors(report), SizeIs(1));
}

// The part that other programs are promised, word by word.
TEST(ReportSchemaTest, TheStableShapeIsAsPromised) {
  const json report = ReportOf(test::AllReportCases()[0]);
  EXPECT_EQ(report["format"], "dstap.report/1");
  const json& subject = report["subjects"][0];
  EXPECT_EQ(subject["name"], "datastore2");
  EXPECT_EQ(subject["version"], "1.3.0");
  const json& step = subject["steps"][0];
  EXPECT_EQ(step["name"], "load-new");
  EXPECT_EQ(step["samples"], 5);
  EXPECT_EQ(step["failed"], 0);
  EXPECT_EQ(step["requests"], json::parse(R"({"GetAsync": {"min": 1, "max": 1}})"));
  EXPECT_EQ(step["seconds"]["median"], 0.083);
  EXPECT_EQ(step["seconds"]["min"], 0.067);
  EXPECT_EQ(step["seconds"]["max"], 0.1);
  EXPECT_EQ(step["tie"], json::array());
  EXPECT_EQ(step["values_seen"], json::object());
  for (const char* key : {"sent", "admitted"}) EXPECT_EQ(step["throttling"][key], 5) << key;
  for (const char* key : {"local", "queued", "dropped"}) {
    EXPECT_EQ(step["throttling"][key], 0) << key;
  }
  const json& hop = report["subjects"][1]["steps"][1];
  EXPECT_EQ(hop["requests"]["past"], json::parse(R"({"min": 1, "max": 1})"));
  EXPECT_EQ(hop["values_seen"], json::parse(R"({"888": 2})"));
  EXPECT_EQ(report["subjects"][1]["steps"][0]["tie"], json::parse(R"(["profile-store"])"));
}

TEST(ReportSchemaTest, ThePageHasEveryDefectInTheProgramsWords) {
  std::ifstream file(DSTAP_SOURCE_DIR "/docs/report-json.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::array kSeverities = {"note", "data_loss", "error"};
  for (const DefectInfo& defect : kDefects) {
    EXPECT_THAT(page, testing::HasSubstr(fmt::format(
                          "| `{}` | {} | {} |\n", defect.id,
                          kSeverities[static_cast<size_t>(defect.severity)], defect.meaning)));
  }
}

TEST(ReportSchemaTest, SectionsLeaveOutOnlyWhatWasAddedToTheStableShape) {
  const Report report = test::AllReportCases()[0].report();
  const json one = json::parse(RenderJson(report, {.sections = {"not-seen"}}));
  EXPECT_TRUE(one.contains("captures"));
  EXPECT_TRUE(one.contains("subjects"));
  EXPECT_TRUE(one.contains("not_seen"));
  EXPECT_FALSE(one.contains("traffic"));
  EXPECT_FALSE(one.contains("libraries"));
}

}  // namespace
}  // namespace dstap::analyzer
