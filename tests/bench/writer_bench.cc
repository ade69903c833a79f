// Calls written a second, and their size. The traffic is made before; the sink keeps nothing.
#include <benchmark/benchmark.h>

#include <string>

#include "proto/base/check.h"
#include "proto/capture/zstd_codec.h"
#include "tests/bench/json_lines.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

constexpr uint64_t kCalls = 100'000;
constexpr uint64_t kCallsForSize = 500'000;

// Made once, whichever benchmark comes first.
const Recorded& TheTraffic(bool in_flight_records) {
  if (in_flight_records) {
    static const Recorded traffic({.in_flight_records = true}, kCalls);
    return traffic;
  }
  static const Recorded traffic({}, kCalls);
  return traffic;
}

double BytesPerCall(const TrafficOptions& options, Layout layout) {
  return static_cast<double>(TrafficCapture(options, kCallsForSize, layout).bytes.size()) /
         static_cast<double>(kCallsForSize);
}

void BM_Writer(benchmark::State& state, Layout layout) {
  const bool in_flight = layout == Layout::kRecording;
  const Recorded& traffic = TheTraffic(in_flight);
  const uint64_t per_commit = RecordsPerCommit(layout);
  for (auto _ : state) {
    auto writer = capture::CaptureWriter::Create(std::make_unique<DiscardingSink>(), v1::Header(),
                                                 WriterOptions(layout));
    DSTAP_CHECK(writer.ok());
    uint64_t pending = 0;
    for (const capture::Record& record : traffic.records()) {
      if (record.call != nullptr) {
        writer->Add(*record.call);
      } else {
        writer->AddRow(record.time, *record.row);
      }
      if (++pending == per_commit) {
        DSTAP_CHECK(writer->Commit().ok());
        pending = 0;
      }
    }
    DSTAP_CHECK(writer->Close(Time::max(), v1::END_REASON_CLOSED).ok());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
  state.counters["bytes_per_call"] = BytesPerCall({.in_flight_records = in_flight}, layout);
  state.counters["bytes_per_call_without_hashes_and_versions"] =
      BytesPerCall({.hashes_and_versions = false, .in_flight_records = in_flight}, layout);
}

std::string JsonLines(const TrafficOptions& options, uint64_t calls) {
  std::string lines;
  Traffic traffic(options);
  for (uint64_t made = 0; made < calls;) {
    const capture::Record record = traffic.Next();
    if (record.call == nullptr) continue;
    lines += JsonLineOf(*record.call);
    ++made;
  }
  return lines;
}

void BM_JsonLines(benchmark::State& state) {
  const Recorded& traffic = TheTraffic(false);
  DiscardingSink sink;
  for (auto _ : state) {
    for (const capture::Record& record : traffic.records()) {
      if (record.call != nullptr) DSTAP_CHECK(sink.Append(JsonLineOf(*record.call)).ok());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kCalls));
  const auto sizes = [&state](const TrafficOptions& options, const std::string& suffix) {
    const std::string lines = JsonLines(options, kCalls);
    std::string packed(capture::ZstdCompressor::Bound(lines.size()), '\0');
    const auto size = capture::ZstdCompressor(3).Compress(lines, packed.data());
    state.counters["bytes_per_call" + suffix] =
        static_cast<double>(lines.size()) / static_cast<double>(kCalls);
    state.counters["zstd_bytes_per_call" + suffix] =
        static_cast<double>(size.value_or(0)) / static_cast<double>(kCalls);
  };
  sizes({}, "");
  sizes({.hashes_and_versions = false}, "_without_hashes_and_versions");
}

BENCHMARK_CAPTURE(BM_Writer, packed, Layout::kPacked)->Name("writer/packed");
BENCHMARK_CAPTURE(BM_Writer, plain, Layout::kPlain)->Name("writer/not compressed");
BENCHMARK_CAPTURE(BM_Writer, recording, Layout::kRecording)->Name("writer/while recording");
BENCHMARK(BM_JsonLines)->Name("as JSON lines/written");

}  // namespace
}  // namespace dstap::bench
