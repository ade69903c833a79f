// Holds the last seconds of a recording in memory, and writes them when something happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "proto/capture/chunk_sink.h"
#include "proto/capture/standing_rows.h"
#include "proxy/server/part_files.h"

namespace dstap::proxy {

// A chunk that triggers makes a file: what was held, and all that comes until nothing has triggered
// for as long as is held. Then it holds again, and the next trigger makes the next file.
//
// Errors:  as CaptureFile. When a file cannot be made the chunks stay held, and the next trigger
//          tries again.
// Limits:  `bytes` of chunks in memory; past it less is held than was asked for.
class FlightRecorder final : public capture::ChunkSink {
 public:
  struct Limits {
    Time keep{};
    size_t bytes = size_t{64} << 20;
  };
  FlightRecorder(std::shared_ptr<PartFiles> files, Limits limits)
      : files_(std::move(files)), limits_(limits) {}

  Status Append(capture::SealedChunk& chunk) override;
  void Lose(Time time, capture::Lost lost) override;
  // What is held and was not asked for is gone.
  Status Close(Time time, v1::EndReason reason, std::string_view text) override;

  // Of the files that were made; losses also of what was never written.
  uint64_t calls() const override;
  uint64_t calls_lost() const override;
  uint64_t rows_lost() const override;

 private:
  struct LossAt {
    Time time{};
    capture::Lost lost;
  };

  Status Dump();
  Status Finish(Time time, v1::EndReason reason, std::string_view text);
  void Hold(capture::SealedChunk& chunk);

  std::shared_ptr<PartFiles> files_;
  Limits limits_;
  bool is_closed_ = false;

  std::deque<capture::SealedChunk> held_;
  size_t held_bytes_ = 0;
  std::vector<LossAt> held_losses_;
  capture::StandingRows standing_;  // Before the first chunk that is held.

  PartFiles::Part part_;  // Without a file while nothing has triggered.
  Time writes_until_{};
  Time last_{};
  // Losses that no file tells.
  uint64_t untold_calls_lost_ = 0;
  uint64_t untold_rows_lost_ = 0;
};

}  // namespace dstap::proxy
