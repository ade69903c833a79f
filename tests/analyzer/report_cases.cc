#include "tests/analyzer/report_cases.h"

#include <array>

#include "tests/support/capture_script.h"

namespace dstap::test {
namespace {

using analyzer::FileEnd;
using analyzer::FileState;
using analyzer::Report;
using analyzer::ReportViews;
using analyzer::TimelineBuilder;

Time Frames(int64_t frames) { return Time((frames * 1'000'000'000 + 30) / 60); }

// Five loads of new profiles, a hop, and a load behind a used up budget.
CaptureScript Bench(std::string_view library, std::string_view version, bool is_model,
                    v1::Method load, int64_t load_frames, int64_t hop_requests,
                    std::string_view seen) {
  CaptureScript script;
  script.Header().Source(1, "server", library, version, is_model);
  uint64_t id = 0;
  for (int64_t sample = 0; sample < 5; ++sample) {
    const Time begin = sample * 10s;
    const Time end = begin + Frames(load_frames + sample % 3);
    script.Begin(begin, {.id = ++id,
                         .subject = library,
                         .name = "load-new",
                         .sample = static_cast<uint32_t>(sample + 1),
                         .about = {About("Players", "a")}});
    script.Call(GoodCall(load, "Players", "a", begin, end)).End(end, id);
  }
  for (int64_t sample = 0; sample < 2; ++sample) {
    const Time begin = 100s + sample * 20s;
    Time at = begin;
    script.Begin(begin, {.id = ++id,
                         .subject = library,
                         .name = "hop-releases",
                         .sample = static_cast<uint32_t>(sample + 1),
                         .expected = "888"});
    for (int64_t i = 0; i < hop_requests + sample; ++i) {
      auto call = Update("a", at, at + 250ms);
      if (i == 1) {
        call = CancelledByLocalCopy(call);
        call.completed = at;
      } else {
        call = Storing(call, static_cast<uint64_t>(120 + sample));
      }
      script.Call(call);
      at += 2s;
    }
    script.Call(GetPast("a", at, at + 50ms)).End(at + 50ms, id, seen);
  }
  script.Begin(200s, {.id = ++id, .subject = library, .name = "throttle-load"});
  auto dropped = Get("a", 200s, 200s + Frames(1));
  dropped.outcome = v1::OUTCOME_DROPPED;
  dropped.error_name = "StandardReadGameServerThrottled";
  auto queued = Get("a", 201s, 231200ms);
  queued.times_queued = 1;
  queued.queued = 30s;
  script.Call(dropped).Call(queued).End(231200ms, id);
  script.Notice(200s, v1::NOTICE_KIND_QUEUE_WARNING, "added to queue.Key = a");
  for (int64_t player = 1; player <= 7; ++player) {
    script.Notice(201s, v1::NOTICE_KIND_OUTPUT, "player " + std::to_string(player) + " is here");
  }
  script.Notice(202s, v1::NOTICE_KIND_ERROR, "boom \x1B[31m in a thread");
  return script.Closed(240s);
}

Report BenchReportOf(const filter::Filter* filter) {
  ReportViews views(filter == nullptr ? "" : filter->text());
  TimelineBuilder builder(views.visitors(), filter);
  Bench("datastore2", "1.3.0", false, v1::METHOD_GET_ASYNC, 4, 0, "777")
      .Feed(builder, "datastore2.dstap");
  Bench("geode", "", true, v1::METHOD_UPDATE_ASYNC, 16, 2, "888").Feed(builder, "geode.dstap");
  Bench("profile-store", "1.0.3", false, v1::METHOD_UPDATE_ASYNC, 17, 1, "888")
      .Feed(builder, "profile-store.dstap");
  return views.Take();
}

Report BenchReport() { return BenchReportOf(nullptr); }

// The same of a part of its calls.
Report FilteredReport() {
  const filter::Filter filter = *filter::Filter::Parse("step in (load-new, throttle-load)");
  return BenchReportOf(&filter);
}

// A live server's: no steps, the recorder died, and nobody knows who answered.
Report LiveReport() {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  CaptureScript script;
  script.Header(v1::CLOCK_KIND_WALL).Source(1, "lobby-1");
  for (int64_t i = 0; i < 4; ++i) {
    auto call = Get("a", i * 1s, i * 1s + 80ms);
    call.admitted.reset();
    call.served_by = v1::SERVED_BY_UNKNOWN;
    script.Call(call);
  }
  script.Call(InFlight(Update("a", 5s, 5s)));
  script.Feed(builder, "lobby-1.dstap", {.state = FileState::kUnfinished});
  return views.Take();
}

// Everything that can go wrong, and names that are no text.
Report TroubleReport() {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  CaptureScript script;
  v1::Row loss;
  loss.mutable_loss()->set_reason(v1::LOSS_REASON_WRITE);
  loss.mutable_loss()->set_calls(12);
  loss.mutable_loss()->set_text("No space left on device");
  v1::Row fault;
  fault.mutable_injected_fault()->set_id(1);
  fault.mutable_injected_fault()->set_kind(v1::FAULT_KIND_ERROR);
  fault.mutable_injected_fault()->set_rule("error GetAsync 2..4");
  script.Header().Source(1, "\xE6\x97\xA5\xE6\x9C\xAC|server", "l\xFF_ib\n", "2\x1B[31m");
  script.Begin(1s, {.id = 1, .subject = "l\xFF_ib\n", .name = "save *all*"});
  auto failed = Update("\xFF", 1s, 2s);
  failed.outcome = v1::OUTCOME_FAILED;
  failed.error_code = 502;
  auto rejected = Update("\xFF", 1s, 1s);
  rejected.outcome = v1::OUTCOME_REJECTED;
  rejected.admitted.reset();
  script.Call(failed).Call(rejected);
  script.Call(GoodCall(v1::METHOD_SUBSCRIBE_ASYNC, "", "topic", 1s, 2s));
  script.Row(2s, fault).Row(2s, loss).Fail(25s, 1, "could not acquire\nthe lock");
  script.Begin(30s, {.id = 2, .subject = "l\xFF_ib\n", .name = "save *all*", .sample = 2});
  script.Call(Update("a", 30s, 31s)).End(31s, 2, "\x80 <b>");
  script.Call(Update("b", 40s, 41s));
  script.Begin(50s, {.id = 3, .subject = "l\xFF_ib\n", .name = "load", .sample = 1});
  script.Call(InFlight(Get("a", 50s, 50s))).Call(Get("a", 51s, 52s)).End(60s, 99);
  FileEnd end{.state = FileState::kDamaged};
  end.skipped = {{4096, 8192, "checksum mismatch"}};
  end.torn_bytes = 77;
  script.Feed(builder, "a folder/with a rather long name/that does not fit/trouble.dstap", end);
  CaptureScript().Header().Header().Closed(1s).Feed(builder, "twice.dstap");
  builder.BeginFile("missing.dstap");
  builder.EndFile({.state = FileState::kUnreadable,
                   .error = "missing.dstap: cannot be opened: No such file or directory"});
  return views.Take();
}

capture::CallRecord Spending(capture::CallRecord call, uint64_t before, uint64_t after) {
  call.budgets[0] = {.type = v1::REQUEST_TYPE_STANDARD_READ, .before = before, .after = after};
  call.budgets[1] = {.type = v1::REQUEST_TYPE_STANDARD_WRITE, .before = 120, .after = 120};
  return call;
}

// A load that is tried 61 times at once, hops of two phases, a lock that is never had, and a
// library that did not even load.
Report RetriesReport() {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  CaptureScript eager;
  eager.Header().Source(1, "server", "eager", "1.0.0");
  eager.Begin(0s, {.id = 1, .subject = "eager", .name = "throttle-load"});
  for (int64_t i = 0; i < 60; ++i) {
    auto dropped = Get("a", Frames(i), Frames(i + 1));
    dropped.outcome = v1::OUTCOME_DROPPED;
    dropped.served_by = v1::SERVED_BY_UNKNOWN;
    eager.Call(Spending(dropped, 0, 0));
  }
  auto queued = Get("a", 1s, 31040ms);
  queued.times_queued = 1;
  queued.queued = 30s;
  eager.Call(Spending(queued, 0, 1)).End(31040ms, 1).Closed(40s);
  eager.Feed(builder, "eager.dstap");

  CaptureScript patient;
  patient.Header().Source(1, "server", "patient", "2.1.0");
  uint64_t id = 0;
  for (const int64_t tries : {4, 5, 4}) {
    const Time begin = ++id * 100s;
    patient.Begin(
        begin,
        {.id = id, .subject = "patient", .name = "hop-keeps", .sample = static_cast<uint32_t>(id)});
    for (int64_t i = 0; i < tries; ++i) {
      const Time at = begin + i * 7017ms;
      patient.Call(
          Spending(Update("a", at, at + 250ms + static_cast<int64_t>(id) * 16ms), 120, 119));
    }
    patient.End(begin + (tries - 1) * 7017ms + 280ms, id, "999");
  }
  patient.Closed(400s).Feed(builder, "patient.dstap");

  CaptureScript locked;
  locked.Header().Source(1, "server", "locked", "0.3.8");
  locked.Begin(0s, {.id = 1, .subject = "locked", .name = "hop-keeps"});
  for (int64_t i = 0; i < 20; ++i) {
    auto cancelled = Update("a", i * 1267ms, i * 1267ms + 267ms);
    cancelled.outcome = v1::OUTCOME_CANCELLED;
    locked.Call(cancelled);
  }
  locked.Fail(24340ms, 1, "could not acquire lock").Closed(30s).Feed(builder, "locked.dstap");

  CaptureScript broken;
  v1::Row notice;
  notice.mutable_notice()->set_source(1);
  notice.mutable_notice()->set_kind(v1::NOTICE_KIND_ERROR);
  notice.mutable_notice()->set_text("init.lua:3: attempt to index nil with 'Heart\xFF'");
  broken.Header().Source(1, "server", "broken", "0.0.1", true).Row(1s, notice).Row(2s, notice);
  broken.Closed(3s).Feed(builder, "broken.dstap");
  return views.Take();
}

Report EmptyReport() {
  ReportViews views;
  TimelineBuilder builder(views.visitors());
  CaptureScript().Header().Closed(0s).Feed(builder, "empty.dstap");
  return views.Take();
}

constexpr std::array kCases = {
    ReportCase{"bench", &BenchReport},     ReportCase{"live", &LiveReport},
    ReportCase{"trouble", &TroubleReport}, ReportCase{"retries", &RetriesReport},
    ReportCase{"empty", &EmptyReport},     ReportCase{"filtered", &FilteredReport},
};

}  // namespace

std::span<const ReportCase> AllReportCases() { return kCases; }

}  // namespace dstap::test
