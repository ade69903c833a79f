#include "tests/bench/traffic_capture.h"

#include <limits>

#include "proto/base/check.h"
#include "proto/capture/pack.h"
#include "tests/support/sinks.h"

namespace dstap::bench {

uint64_t RecordsPerCommit(Layout layout) {
  return layout == Layout::kRecording ? 16 : std::numeric_limits<uint64_t>::max();
}

capture::CaptureWriter::Options WriterOptions(Layout layout) {
  return {.codec = layout == Layout::kPacked ? v1::CODEC_ZSTD : v1::CODEC_NONE,
          .zstd_level = capture::PackOptions().zstd_level,
          .chunk_bytes_max =
              layout == Layout::kRecording ? capture::kChunkBytesMax : capture::kChunkBytesPacked};
}

TrafficSums WriteTraffic(const TrafficOptions& options, uint64_t calls, Layout layout,
                         std::unique_ptr<ByteSink> sink) {
  Traffic traffic(options);
  auto writer =
      capture::CaptureWriter::Create(std::move(sink), traffic.Header(), WriterOptions(layout));
  DSTAP_CHECK(writer.ok());
  TrafficSums sums;
  uint64_t pending = 0;
  Time last{};
  for (uint64_t answered = 0; answered < calls;) {
    const capture::Record record = traffic.Next();
    if (record.call != nullptr) {
      writer->Add(*record.call);
      sums.all.Add(*record.call);
      sums.few.Add(*record.call);
      if (record.call->outcome != v1::OUTCOME_IN_FLIGHT) {
        ++answered;
        last = *record.call->completed;
      }
    } else {
      writer->AddRow(record.time, *record.row);
    }
    if (++pending == RecordsPerCommit(layout)) {
      DSTAP_CHECK(writer->Commit().ok());
      pending = 0;
    }
  }
  DSTAP_CHECK(writer->Close(last, v1::END_REASON_CLOSED).ok());
  return sums;
}

CaptureBytes TrafficCapture(const TrafficOptions& options, uint64_t calls, Layout layout) {
  CaptureBytes capture;
  capture.sums =
      WriteTraffic(options, calls, layout, std::make_unique<test::StringSink>(capture.bytes));
  return capture;
}

}  // namespace dstap::bench
