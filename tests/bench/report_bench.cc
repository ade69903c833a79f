// A full report of a packed capture: read, timeline, all views, printed as text. Against it a job
// that one would write over JSON lines: calls by method and step.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyzer/findings/audit.h"
#include "analyzer/findings/catalogue.h"
#include "analyzer/render/renderer.h"
#include "analyzer/timeline/read_capture.h"
#include "analyzer/views/report.h"
#include "proto/base/check.h"
#include "tests/bench/json_lines.h"
#include "tests/bench/memory_view_source.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

constexpr uint64_t kCalls = 500'000;
constexpr uint64_t kJsonCalls = 50'000;

std::unique_ptr<ByteSource> SourceOf(std::string_view bytes) {
  return std::make_unique<MemoryViewSource>(bytes);
}

const std::string& TheCapture() {
  static const std::string bytes = TrafficCapture({}, kCalls, Layout::kPacked).bytes;
  return bytes;
}

void BM_Report(benchmark::State& state, capture::ReadOn read_on) {
  const auto text =
      std::ranges::find(analyzer::AllRenderers(), "text", &analyzer::RendererEntry::name);
  const std::string& capture = TheCapture();
  for (auto _ : state) {
    analyzer::ReportViews views;
    analyzer::TimelineBuilder builder(views.visitors());
    const auto read = analyzer::ReadCapture("bench.dstap", SourceOf(capture), builder, read_on);
    const analyzer::Report report = views.Take();
    if (!read.status.ok() || report.overview.calls != kCalls) {
      state.SkipWithError("the report did not see every call");
      return;
    }
    benchmark::DoNotOptimize(text->render(report, {}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
}

void BM_Audit(benchmark::State& state) {
  const std::string& capture = TheCapture();
  const auto rules = analyzer::AllRules();
  for (auto _ : state) {
    analyzer::Audit audit({rules.begin(), rules.end()});
    analyzer::TimelineBuilder builder({&audit});
    DSTAP_CHECK(analyzer::ReadCapture("bench.dstap", SourceOf(capture), builder).status.ok());
    benchmark::DoNotOptimize(audit.Take());
    DSTAP_CHECK(audit.calls() == kCalls);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
}

// What a report cannot be faster than: the timeline, with nobody looking at it.
void BM_TimelineAlone(benchmark::State& state) {
  const std::string& capture = TheCapture();
  for (auto _ : state) {
    analyzer::TimelineBuilder builder({});
    DSTAP_CHECK(analyzer::ReadCapture("bench.dstap", SourceOf(capture), builder).status.ok());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
}

void BM_JsonLines(benchmark::State& state) {
  std::string lines;
  Traffic traffic({});
  for (uint64_t calls = 0; calls < kJsonCalls;) {
    const capture::Record record = traffic.Next();
    if (record.call == nullptr) continue;
    lines += JsonLineOf(*record.call, traffic.step());
    ++calls;
  }
  for (auto _ : state) {
    std::map<std::pair<int, std::string>, uint64_t> counts;
    ForEachLine(lines, [&](std::string_view line) {
      const auto call = nlohmann::json::parse(line);
      ++counts[{call["method"].get<int>(), call.value("step", "")}];
    });
    benchmark::DoNotOptimize(counts);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kJsonCalls));
}

BENCHMARK_CAPTURE(BM_Report, one, capture::ReadOn::kThisThread)->Name("report/all");
// By the wall's clock, which is what a second thread is for.
BENCHMARK_CAPTURE(BM_Report, two, capture::ReadOn::kOneMoreThread)
    ->Name("report/all, two threads")
    ->UseRealTime();
BENCHMARK(BM_Audit)->Name("audit/all rules");
BENCHMARK(BM_TimelineAlone)->Name("report/timeline alone");
BENCHMARK(BM_JsonLines)->Name("as JSON lines/counted");

}  // namespace
}  // namespace dstap::bench
