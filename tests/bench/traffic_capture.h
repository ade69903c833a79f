// Traffic as the bytes of a capture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "proto/base/byte_sink.h"
#include "proto/capture/capture_writer.h"
#include "tests/bench/sums.h"
#include "tests/bench/traffic.h"

namespace dstap::bench {

enum class Layout : uint8_t {
  kRecording,  // As a busy recorder leaves it: 16 records a commit, not compressed.
  kPlain,      // Chunks as `dstap pack` makes them, not compressed.
  kPacked,     // The same, compressed by zstd.
};

// After how many records there is a commit; in the others a chunk is full before.
uint64_t RecordsPerCommit(Layout layout);
capture::CaptureWriter::Options WriterOptions(Layout layout);

// Of all records of calls, those in flight too.
struct TrafficSums {
  Sums all;
  FewSums few;
};

// Writes `calls` answered calls of a traffic and closes the capture.
TrafficSums WriteTraffic(const TrafficOptions& options, uint64_t calls, Layout layout,
                         std::unique_ptr<ByteSink> sink);

// The same, in memory.
struct CaptureBytes {
  std::string bytes;
  TrafficSums sums;
};
CaptureBytes TrafficCapture(const TrafficOptions& options, uint64_t calls, Layout layout);

// A sink that keeps nothing but the count.
class DiscardingSink final : public ByteSink {
 public:
  Status Append(std::string_view bytes) override {
    size_ += bytes.size();
    return {};
  }
  Status Truncate(uint64_t size) override {
    size_ = size;
    return {};
  }
  Status Sync() override { return {}; }
  uint64_t size() const override { return size_; }

 private:
  uint64_t size_ = 0;
};

}  // namespace dstap::bench
