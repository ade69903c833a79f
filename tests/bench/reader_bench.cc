// Calls read a second, all columns. A capture counts only when the sums of all its columns, read
// once before, are the traffic's own; while time runs a few columns are summed, so that the sums
// cost little of what is measured.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <utility>

#include "proto/base/check.h"
#include "proto/capture/capture_reader.h"
#include "tests/bench/json_lines.h"
#include "tests/bench/memory_view_source.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

constexpr uint64_t kCalls = 500'000;
constexpr uint64_t kJsonCalls = 50'000;

const CaptureBytes& TheCapture(Layout layout, bool hashes_and_versions) {
  static std::map<std::pair<Layout, bool>, CaptureBytes> made;
  const std::pair key(layout, hashes_and_versions);
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  const TrafficOptions options{.hashes_and_versions = hashes_and_versions,
                               .in_flight_records = layout == Layout::kRecording};
  return made[key] = TrafficCapture(options, kCalls, layout);
}

// Calls `each(call)` for every record of a call. False when the capture is not whole.
template <typename F>
bool ReadAll(const std::string& bytes, F each) {
  auto reader = capture::CaptureReader::Open(std::make_unique<MemoryViewSource>(bytes),
                                             capture::CaptureReader::OnDamage::kStop);
  DSTAP_CHECK(reader.ok());
  for (;;) {
    const auto record = reader->Next();
    if (!record.ok()) return false;
    if (!record->has_value()) return reader->ending() == capture::Ending::kClosed;
    if ((*record)->call != nullptr) each(*(*record)->call);
  }
}

bool GivesAllColumns(const CaptureBytes& capture) {
  Sums sums;
  return ReadAll(capture.bytes, [&](const capture::CallRecord& call) { sums.Add(call); }) &&
         sums == capture.sums.all;
}

void BM_Reader(benchmark::State& state, Layout layout, bool hashes_and_versions) {
  const CaptureBytes& capture = TheCapture(layout, hashes_and_versions);
  if (!GivesAllColumns(capture)) {
    state.SkipWithError("what was read is not what was written");
    return;
  }
  for (auto _ : state) {
    FewSums sums;
    if (!ReadAll(capture.bytes, [&](const capture::CallRecord& call) { sums.Add(call); }) ||
        sums != capture.sums.few) {
      state.SkipWithError("what was read is not what was written");
      return;
    }
  }
  // Each call once, however many records it has.
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
  state.counters["records"] = static_cast<double>(capture.sums.all.calls());
}

// The same by whole columns, all of which are summed while time runs.
void BM_Columns(benchmark::State& state, Layout layout, bool hashes_and_versions) {
  const CaptureBytes& capture = TheCapture(layout, hashes_and_versions);
  capture::LoadedChunk chunk;
  for (auto _ : state) {
    auto reader = capture::CaptureReader::Open(std::make_unique<MemoryViewSource>(capture.bytes),
                                               capture::CaptureReader::OnDamage::kStop);
    DSTAP_CHECK(reader.ok());
    Sums sums;
    for (;;) {
      const Result<bool> more = reader->NextChunk(chunk);
      DSTAP_CHECK(more.ok());
      if (!*more) break;
      sums.Add(chunk.columns());
    }
    if (reader->ending() != capture::Ending::kClosed || sums != capture.sums.all) {
      state.SkipWithError("what was read is not what was written");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
}

struct Lines {
  std::string text;
  FewSums sums;
  uint64_t calls = 0;
};

const Lines& TheLines() {
  static const Lines lines = [] {
    Lines made;
    Traffic traffic({});
    while (made.calls < kJsonCalls) {
      const capture::Record record = traffic.Next();
      if (record.call == nullptr) continue;
      made.text += JsonLineOf(*record.call);
      made.sums.Add(*record.call);
      ++made.calls;
    }
    return made;
  }();
  return lines;
}

void BM_JsonLines(benchmark::State& state) {
  const Lines& lines = TheLines();
  for (auto _ : state) {
    FewSums sums;
    ForEachLine(lines.text, [&](std::string_view line) { sums.Add(JsonCall(line).call()); });
    if (sums != lines.sums) {
      state.SkipWithError("what was read is not what was written");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kJsonCalls));
}

BENCHMARK_CAPTURE(BM_Reader, packed, Layout::kPacked, true)->Name("reader/packed");
BENCHMARK_CAPTURE(BM_Reader, plain, Layout::kPlain, true)->Name("reader/not compressed");
BENCHMARK_CAPTURE(BM_Reader, small, Layout::kPacked, false)->Name("reader/packed, small");
BENCHMARK_CAPTURE(BM_Reader, smaller, Layout::kPlain, false)->Name("reader/not compressed, small");
BENCHMARK_CAPTURE(BM_Reader, recording, Layout::kRecording, true)->Name("reader/while recording");
BENCHMARK_CAPTURE(BM_Columns, packed, Layout::kPacked, true)->Name("columns/packed");
BENCHMARK_CAPTURE(BM_Columns, plain, Layout::kPlain, true)->Name("columns/not compressed");
BENCHMARK_CAPTURE(BM_Columns, small, Layout::kPacked, false)->Name("columns/packed, small");
BENCHMARK_CAPTURE(BM_Columns, smaller, Layout::kPlain, false)
    ->Name("columns/not compressed, small");
BENCHMARK(BM_JsonLines)->Name("as JSON lines/read");

}  // namespace
}  // namespace dstap::bench
