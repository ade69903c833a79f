// The parts of tests/bench/capture that are ours: it makes the calls, writes and reads them.
//
//   capture_bench make FOLDER CALLS     # the files that everybody works on; see Make()
//   capture_bench read CAPTURE SUMS     # all columns, each summed; refused when a sum is another
//   capture_bench write CALLS CODEC     # to a sink that keeps nothing; CODEC: none, or zstd's
//   level capture_bench lines CALLS           # nlohmann/json: lines written and read
//
// Each of the last three prints one JSON line with the least processor time of three runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "proto/base/check.h"
#include "proto/base/file_sink.h"
#include "proto/base/file_source.h"
#include "proto/capture/capture_reader.h"
#include "tests/bench/http_pcap.h"
#include "tests/bench/json_lines.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

constexpr int kRuns = 3;

double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The least processor time of several runs.
template <typename F>
double LeastOfRuns(F run) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kRuns; ++i) {
    const double before = CpuSeconds();
    run();
    least = std::min(least, CpuSeconds() - before);
  }
  return least;
}

std::unique_ptr<ByteSink> NewFile(const std::string& path) {
  auto sink = FileSink::Create(path, FileSink::IfExists::kRefuse);
  if (!sink.ok()) {
    std::cerr << sink.status().message() << '\n';
    std::exit(4);
  }
  return *std::move(sink);
}

// The packet recorder's view of the traffic's first `calls` calls.
std::string HttpOf(uint64_t calls) {
  const Recorded recorded({}, calls);
  Traffic traffic({});  // Again, for the steps.
  struct Sent {
    const capture::CallRecord* call;
    std::string step;
  };
  std::vector<Sent> sent;
  for (const capture::Record& record : recorded.records()) {
    traffic.Next();
    if (record.call != nullptr) sent.push_back({record.call, std::string(traffic.step())});
  }
  std::ranges::stable_sort(sent, {}, [](const Sent& each) { return each.call->issued; });
  HttpPcap pcap;
  for (const Sent& each : sent) pcap.Add(*each.call, each.step);
  return pcap.Take();
}

// In FOLDER: calls.dstap, not compressed, sums, and calls.jsonl; of the first tenth tenth.dstap,
// tenth-small.dstap (without hashes and version ids) and tenth.jsonl; of the first hundredth
// http.pcap.
int Make(const std::string& folder, uint64_t calls) {
  const TrafficSums sums =
      WriteTraffic({}, calls, Layout::kPlain, NewFile(folder + "/calls.dstap"));
  std::ofstream(folder + "/sums") << sums.all.Text();
  WriteTraffic({}, calls / 10, Layout::kPlain, NewFile(folder + "/tenth.dstap"));
  WriteTraffic({.hashes_and_versions = false}, calls / 10, Layout::kPlain,
               NewFile(folder + "/tenth-small.dstap"));
  std::ofstream(folder + "/http.pcap", std::ios::binary) << HttpOf(calls / 100);
  std::ofstream lines(folder + "/calls.jsonl", std::ios::binary);
  std::ofstream tenth(folder + "/tenth.jsonl", std::ios::binary);
  Traffic traffic({});
  for (uint64_t made = 0; made < calls;) {
    const capture::Record record = traffic.Next();
    if (record.call == nullptr) continue;
    const std::string line = JsonLineOf(*record.call, traffic.step());
    lines << line;
    if (made++ < calls / 10) tenth << line;
  }
  if (!lines.flush() || !tenth.flush()) {
    std::cerr << folder << ": the lines cannot be written\n";
    return 4;
  }
  return 0;
}

int Read(const std::string& file, const std::string& expected) {
  Sums sums;
  const double least = LeastOfRuns([&] {
    sums = Sums();
    auto source = FileSource::Open(file);
    DSTAP_CHECK(source.ok());
    auto reader =
        capture::CaptureReader::Open(*std::move(source), capture::CaptureReader::OnDamage::kStop);
    DSTAP_CHECK(reader.ok());
    capture::LoadedChunk chunk;
    for (;;) {
      const Result<bool> more = reader->NextChunk(chunk);
      DSTAP_CHECK(more.ok());
      if (!*more) break;
      sums.Add(chunk.columns());
    }
    DSTAP_CHECK(reader->ending() == capture::Ending::kClosed);
  });
  std::ifstream in(expected);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text != sums.Text()) {
    std::cerr << file << ": the columns' sums are not those of the calls that were made\n";
    return 1;
  }
  std::cout << fmt::format("{{\"calls\":{},\"cpu_s\":{:.4f}}}\n", sums.calls(), least);
  return 0;
}

int Write(uint64_t calls, const std::string& codec) {
  const Recorded traffic({}, calls);
  capture::CaptureWriter::Options options = WriterOptions(Layout::kPlain);
  if (codec != "none") {
    options.codec = v1::CODEC_ZSTD;
    options.zstd_level = std::atoi(codec.c_str());
  }
  const double least = LeastOfRuns([&] {
    auto writer =
        capture::CaptureWriter::Create(std::make_unique<DiscardingSink>(), v1::Header(), options);
    DSTAP_CHECK(writer.ok());
    for (const capture::Record& record : traffic.records()) {
      if (record.call != nullptr) {
        writer->Add(*record.call);
      } else {
        writer->AddRow(record.time, *record.row);
      }
    }
    DSTAP_CHECK(writer->Close(Time::max(), v1::END_REASON_CLOSED).ok());
    DSTAP_CHECK(writer->calls() == calls);
  });
  std::cout << fmt::format("{{\"calls\":{},\"cpu_s\":{:.4f}}}\n", calls, least);
  return 0;
}

int Lines(uint64_t calls) {
  const Recorded traffic({}, calls);
  std::string text;
  FewSums written;
  FewSums read;
  for (const capture::Record& record : traffic.records()) {
    if (record.call != nullptr) written.Add(*record.call);
  }
  const double write_s = LeastOfRuns([&] {
    text.clear();
    for (const capture::Record& record : traffic.records()) {
      if (record.call != nullptr) text += JsonLineOf(*record.call);
    }
  });
  const double read_s = LeastOfRuns([&] {
    read = FewSums();
    ForEachLine(text, [&](std::string_view line) { read.Add(JsonCall(line).call()); });
  });
  DSTAP_CHECK(read == written);
  std::cout << fmt::format("{{\"calls\":{},\"write_s\":{:.4f},\"read_s\":{:.4f}}}\n", calls,
                           write_s, read_s);
  return 0;
}

int Main(const std::vector<std::string>& words) {
  const auto number = [&words](size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  const std::string& command = words.empty() ? "" : words[0];
  if (words.size() == 3 && command == "make") return Make(words[1], number(2));
  if (words.size() == 3 && command == "read") return Read(words[1], words[2]);
  if (words.size() == 3 && command == "write") return Write(number(1), words[2]);
  if (words.size() == 2 && command == "lines") return Lines(number(1));
  std::cerr << "usage: capture_bench make FOLDER CALLS | read CAPTURE SUMS | write CALLS CODEC | "
               "lines CALLS\n";
  return 2;
}

}  // namespace
}  // namespace dstap::bench

int main(int argc, char** argv) { return dstap::bench::Main({argv + 1, argv + argc}); }
