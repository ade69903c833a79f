// What a packed capture's bytes are spent on: each column and string table of the benchmarks'
// traffic compressed by itself, and whole captures by chunk size and level.
//
//   build/bench/tests/bench/column_sizes [CALLS]
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "proto/base/check.h"
#include "proto/capture/zstd_codec.h"
#include "tests/bench/traffic_capture.h"

namespace dstap::bench {
namespace {

struct Size {
  uint64_t raw = 0;
  uint64_t packed = 0;
};

// Of each part of a chunk's Records, by its place in the schema.
void AddParts(const v1::Records& records, int level, std::map<std::string, Size>& sizes) {
  capture::ZstdCompressor zstd(level);
  const auto add = [&](const std::string& name, const std::string& bytes) {
    if (bytes.empty()) return;
    std::string out(capture::ZstdCompressor::Bound(bytes.size()), '\0');
    const auto size = zstd.Compress(bytes, out.data());
    DSTAP_CHECK(size.has_value());
    sizes[name].raw += bytes.size();
    sizes[name].packed += *size;
  };
  // A message with this field alone.
  const auto only = [&](const google::protobuf::Message& whole, const std::string& prefix) {
    const auto* reflection = whole.GetReflection();
    for (int i = 0; i < whole.GetDescriptor()->field_count(); ++i) {
      const auto* field = whole.GetDescriptor()->field(i);
      if (!field->is_repeated() || reflection->FieldSize(whole, field) == 0) continue;
      std::unique_ptr<google::protobuf::Message> alone(whole.New());
      alone->CopyFrom(whole);
      for (int j = 0; j < whole.GetDescriptor()->field_count(); ++j) {
        if (i != j) reflection->ClearField(alone.get(), whole.GetDescriptor()->field(j));
      }
      add(prefix + field->name(), alone->SerializeAsString());
    }
  };
  only(records.calls(), "");
  only(records, "records.");
}

void PrintParts(uint64_t calls) {
  const std::string bytes = TrafficCapture({}, calls, Layout::kPlain).bytes;
  v1::Capture capture;
  DSTAP_CHECK(capture.ParseFromString(bytes));
  std::map<std::string, Size> sizes;
  for (const v1::Chunk& chunk : capture.chunk()) AddParts(chunk.records(), 3, sizes);
  fmt::print("{:<28} {:>12} {:>12}\n", "bytes a call", "raw", "zstd 3");
  const auto per_call = [calls](uint64_t n) {
    return static_cast<double>(n) / static_cast<double>(calls);
  };
  for (const auto& [name, size] : sizes) {
    fmt::print("{:<28} {:>12.2f} {:>12.2f}\n", name, per_call(size.raw), per_call(size.packed));
  }
}

double PackedBytesPerCall(uint64_t calls, bool all, uint64_t records_per_chunk, int level) {
  Traffic traffic({.hashes_and_versions = all});
  auto sink = std::make_unique<DiscardingSink>();
  const DiscardingSink& counted = *sink;
  auto writer = capture::CaptureWriter::Create(std::move(sink), traffic.Header(),
                                               {.codec = v1::CODEC_ZSTD, .zstd_level = level});
  DSTAP_CHECK(writer.ok());
  uint64_t pending = 0;
  for (uint64_t made = 0; made < calls;) {
    const capture::Record record = traffic.Next();
    if (record.call != nullptr) {
      writer->Add(*record.call);
      ++made;
    } else {
      writer->AddRow(record.time, *record.row);
    }
    if (++pending < records_per_chunk) continue;
    DSTAP_CHECK(writer->Commit().ok());
    pending = 0;
  }
  DSTAP_CHECK(writer->Commit().ok());
  return static_cast<double>(counted.size()) / static_cast<double>(calls);
}

}  // namespace
}  // namespace dstap::bench

int main(int argc, char** argv) {
  using namespace dstap::bench;  // NOLINT
  const uint64_t calls = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200'000;
  PrintParts(calls);
  fmt::print("\n{:<28} {:>12} {:>12}\n", "records a chunk, level", "all columns", "without");
  for (const uint64_t records : {2'500, 10'000, 40'000}) {
    for (const int level : {3, 9, 19}) {
      fmt::print("{:<28} {:>12.1f} {:>12.1f}\n", fmt::format("{}, {}", records, level),
                 PackedBytesPerCall(calls, true, records, level),
                 PackedBytesPerCall(calls, false, records, level));
    }
  }
}
