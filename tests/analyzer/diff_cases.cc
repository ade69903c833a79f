#include "tests/analyzer/diff_cases.h"

#include <array>

#include "tests/support/capture_script.h"

namespace dstap::test {
namespace {

using analyzer::FileState;
using analyzer::Report;
using analyzer::ReportViews;
using analyzer::TimelineBuilder;

Report ReportOf(const CaptureScript& script, analyzer::FileEnd end = {}) {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  script.Feed(builder, "run.dstap", std::move(end));
  return views.Take();
}

// A load, and a hop in which the other server keeps the profile: `tries` in vain.
CaptureScript Hops(std::string_view version, int64_t tries, Time apart, bool subscribes) {
  CaptureScript script;
  script.Header().Source(1, "server", "lapis", version);
  script.Begin(1s, {.id = 1, .subject = "lapis", .name = "load-new"});
  script.Call(Update("a", 1s, 1250ms)).End(1250ms, 1);
  for (uint32_t sample = 1; sample <= 2; ++sample) {
    const Time begin = sample * 100s;
    Time at = begin;
    script.Begin(begin,
                 {.id = 1 + sample, .subject = "lapis", .name = "hop-keeps", .sample = sample});
    if (subscribes) {
      script.Call(GoodCall(v1::METHOD_SUBSCRIBE_ASYNC, "", "topic", at, at + 100ms));
    }
    for (int64_t i = 0; i < tries; ++i) {
      auto call = Update("a", at, at + 250ms + sample * 10ms);
      call.outcome = v1::OUTCOME_CANCELLED;
      script.Call(call);
      at = *call.completed + apart;
    }
    script.Fail(at, 1 + sample, "could not acquire lock");
  }
  return script;
}

Report Old() { return ReportOf(Hops("0.3.0", 20, 1s, false).Closed(400s)); }

Report New() {
  CaptureScript script = Hops("0.3.8", 5, 2s, true);
  script.Begin(500s, {.id = 9, .subject = "lapis", .name = "save"});
  script.Call(Update("a", 500s, 500250ms)).End(500250ms, 9, "888");
  return ReportOf(script.Closed(600s));
}

// Another seed, other rules and players, a step that never ended, names that are no text.
Report Strange() {
  CaptureScript script;
  v1::Row header;
  header.mutable_header()->set_format_version(1);
  header.mutable_header()->set_tool("dstap");
  header.mutable_header()->set_tool_version("0.2.0");
  header.mutable_header()->set_clock(v1::CLOCK_KIND_WALL);
  header.mutable_header()->set_seed(2);
  v1::Option& option = *header.mutable_header()->add_options();
  option.set_name("rule");
  option.set_value("queue=\xFF");
  v1::Row source;
  source.mutable_source()->set_id(1);
  source.mutable_source()->set_name("server");
  source.mutable_source()->set_players(7);
  source.mutable_source()->mutable_library()->set_name("lib\xFF\n");
  script.Row(0s, header).Row(0s, source);
  script.Begin(1s, {.id = 1, .subject = "lib\xFF\n", .name = "load-new"});
  script.Call(Update("a", 1s, 2s)).Call(Get("a", 2s, 3s)).End(3s, 1, "\x80|");
  script.Begin(4s, {.id = 2, .subject = "lib\xFF\n", .name = "hop-keeps"});
  script.Call(Update("a", 4s, 5s));
  return ReportOf(script, {.state = FileState::kUnfinished});
}

// No steps at all.
Report Live() {
  return ReportOf(CaptureScript().Header(v1::CLOCK_KIND_WALL).Call(Update("a", 1s, 2s)).Closed(3s));
}

constexpr std::array kCases = {
    DiffCase{"versions", &Old, &New},
    DiffCase{"same", &Old, &Old},
    DiffCase{"strange", &Old, &Strange},
    DiffCase{"nothing", &Old, &Live},
};

}  // namespace

std::span<const DiffCase> AllDiffCases() { return kCases; }

}  // namespace dstap::test
