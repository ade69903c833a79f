#include "analyzer/render/call_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/render/utf8.h"

namespace dstap::analyzer {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class CallWriterTest : public testing::Test {
 protected:
  CallWriterTest() {
    recording_.file = "run.dstap";
    source_.id = 3;
    source_.name = "server";
    step_.id = 8;
    step_.name = "load";
    step_.subject = "lapis";
    step_.sample = 2;
    call_.id = 5;
    call_.source = &source_;
    call_.method = Method::kUpdateAsync;
    call_.store = "Players";
    call_.key = "user_1";
    call_.issued = 1s;
    call_.completed = 2s;
    call_.outcome = Outcome::kOk;
  }

  std::string Line(std::string_view format, const Step* step = nullptr) {
    const auto found = std::ranges::find(AllCallFormats(), format, &CallFormat::name);
    std::string line;
    found->append({.recording = recording_, .call = call_, .step = step}, line);
    return line;
  }

  // No field is left at its default.
  void FillCall() {
    call_.caller = "ServerScript";
    call_.scope = "team";
    call_.store_kind = StoreKind::kStandard;
    call_.all_scopes = true;
    call_.use_cache = UseCache::kFalse;
    list_.prefix = "user_";
    list_.page_size = 50;
    list_.exclude_deleted = false;
    list_.min_value = -7;
    list_.keys = {"a", "\xFF"};
    call_.list = &list_;
    call_.admitted = 1500ms;
    call_.times_queued = 2;
    call_.queued = 400ms;
    call_.served_by = ServedBy::kBackend;
    runs_ = {{.outcome = TransformOutcome::kValue, .started = 1600ms, .took = 1ms}};
    call_.transform_runs = runs_;
    call_.outcome = Outcome::kFailed;
    call_.error_code = 502;
    call_.error_name = "RequestRejected";
    call_.error_text = "502: API Services, \"rejected\"\nit";
    call_.read =
        ValueInfo{.bytes = 2, .hash = 0xAB, .value = "{}", .encoding = ValueEncoding::kJson};
    call_.written = ValueInfo{.bytes = 0, .hash = 0, .value = {}};
    call_.version = "v1";
    call_.budgets[0] = {
        .type = RequestType::kStandardRead, .before = 120, .after = 119, .taken = 1};
    call_.budgets[1] = {.type = RequestType::kStandardWrite, .before = {}, .after = 7, .taken = 0};
    call_.fault = 4;
  }

  Recording recording_;
  Source source_;
  Step step_;
  ListArguments list_;
  std::vector<TransformRun> runs_;
  Call call_;
};

TEST_F(CallWriterTest, TextTellsWaitingAndServiceApart) {
  call_.admitted = 1750ms;
  call_.times_queued = 1;
  call_.queued = 750ms;
  call_.budgets[0] = {.type = RequestType::kStandardRead, .before = 120, .after = {}, .taken = 1};
  EXPECT_EQ(Line("text", &step_),
            "    1.000000  server      load           UpdateAsync     Players/user_1            "
            "queued 0.750000  served 0.250000    StandardRead 120>?        ok\n");
}

TEST_F(CallWriterTest, TextDoesNotGuessWhatWasNotSeen) {
  EXPECT_THAT(Line("text"), HasSubstr("  took 1.000000  "));
  call_.completed.reset();
  call_.outcome = Outcome::kInFlight;
  EXPECT_THAT(Line("text"), HasSubstr("  no answer  "));
  EXPECT_THAT(Line("text"), testing::EndsWith("in_flight\n"));
}

TEST_F(CallWriterTest, TextNamesTheErrorAndTheLocalCopy) {
  call_.served_by = ServedBy::kLocalCopy;
  EXPECT_THAT(Line("text"), testing::EndsWith("  ok (local copy)\n"));
  call_.outcome = Outcome::kFailed;
  call_.error_code = 502;
  EXPECT_THAT(Line("text"), testing::EndsWith("  failed 502\n"));
  call_.error_name = "RequestRejected";
  EXPECT_THAT(Line("text"), testing::EndsWith("  failed RequestRejected\n"));
}

TEST_F(CallWriterTest, TextNamesTheInjectedFault) {
  call_.fault = 4;
  EXPECT_THAT(Line("text"), testing::EndsWith("  ok, fault 4\n"));
}

TEST_F(CallWriterTest, TextMarksAReadPastTheCache) {
  call_.method = Method::kGetAsync;
  call_.use_cache = UseCache::kFalse;
  EXPECT_THAT(Line("text"), HasSubstr("  GetAsync(past)  "));
}

TEST_F(CallWriterTest, EveryFormatKeepsACallOnOneLine) {
  call_.key = "a\nb\r\x1B[2J\xFF";
  call_.store = "x\ny";
  call_.error_name = "e\n";
  source_.name = "s\n";
  step_.name = "l\n";
  for (const CallFormat& format : AllCallFormats()) {
    const std::string line = Line(format.name, &step_);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
    EXPECT_EQ(line.find('\x1B'), std::string::npos) << line;
    EXPECT_TRUE(IsUtf8(line)) << line;
  }
}

TEST_F(CallWriterTest, JsonHasEveryFieldOfAFullCall) {
  FillCall();
  EXPECT_EQ(json::parse(Line("jsonl", &step_)), json::parse(R"({
    "file": "run.dstap", "recording": 1, "id": 5, "source": 3, "source_name": "server",
    "caller": "ServerScript", "step_id": 8, "step": "load", "subject": "lapis", "sample": 2,
    "method": "UpdateAsync", "store": "Players", "scope": "team", "store_kind": "standard",
    "all_scopes": true, "key": "user_1", "use_cache": false,
    "list": {"prefix": "user_", "page_size": 50, "exclude_deleted": false, "min_value": -7,
             "keys": ["a", "\\xff"]},
    "issued_ns": 1000000000, "admitted_ns": 1500000000, "completed_ns": 2000000000,
    "times_queued": 2, "queued_ns": 400000000, "served_by": "backend",
    "transform_runs": [{"outcome": "value", "started_ns": 1600000000, "took_ns": 1000000}],
    "outcome": "failed", "error_code": 502, "error_name": "RequestRejected",
    "error_text": "502: API Services, \"rejected\"\nit",
    "read_bytes": 2, "read_hash": "00000000000000ab", "read_value": "{}", "read_encoding": "json",
    "written_bytes": 0, "version": "v1",
    "budgets": [{"type": "StandardRead", "before": 120, "after": 119, "taken": 1},
                {"type": "StandardWrite", "after": 7, "taken": 0}],
    "fault": 4, "escaped": ["list.keys"]})"));
}

TEST_F(CallWriterTest, JsonLeavesOutWhatIsAbsent) {
  EXPECT_EQ(json::parse(Line("jsonl")), json::parse(R"({
    "file": "run.dstap", "recording": 1, "id": 5, "source": 3, "source_name": "server",
    "method": "UpdateAsync", "store": "Players", "key": "user_1", "issued_ns": 1000000000,
    "completed_ns": 2000000000, "outcome": "ok"})"));
}

TEST_F(CallWriterTest, JsonMarksTheFieldsThatAreNoText) {
  call_.key = "a\x80z";
  call_.store = "caf\xC3\xA9";
  const json line = json::parse(Line("jsonl"));
  EXPECT_EQ(line["key"], "a\\x80z");
  EXPECT_EQ(line["store"], "caf\xC3\xA9");
  EXPECT_EQ(line["escaped"], json::parse(R"(["key"])"));
}

TEST_F(CallWriterTest, CsvHasAsManyFieldsAsItsHeader) {
  const auto csv = std::ranges::find(AllCallFormats(), "csv", &CallFormat::name);
  const auto columns = std::ranges::count(csv->header, ',');
  EXPECT_EQ(std::ranges::count(Line("csv"), ','), columns);
  EXPECT_EQ(std::ranges::count(Line("csv", &step_), ','), columns);
}

TEST_F(CallWriterTest, CsvQuotesByRfc4180) {
  FillCall();
  EXPECT_EQ(Line("csv", &step_),
            "run.dstap,1,5,3,server,ServerScript,8,load,lapis,2,UpdateAsync,Players,team,standard,"
            "true,user_1,false,1000000000,1500000000,2000000000,2,400000000,backend,1,failed,502,"
            "RequestRejected,\"502: API Services, \"\"rejected\"\"\\nit\",2,00000000000000ab,0,,v1,"
            "StandardRead,120,119,1,StandardWrite,,7,0,4\r\n");
}

}  // namespace
}  // namespace dstap::analyzer
