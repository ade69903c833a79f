// A recording that goes on in another file when the one being written is large or old enough.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "proto/capture/chunk_sink.h"
#include "proto/capture/standing_rows.h"
#include "proxy/server/part_files.h"

namespace dstap::proxy {

// Errors: as CaptureFile. When the next file cannot be made, the recording stays in the one it is
//         in, and each chunk tries again.
class RotatingFile final : public capture::ChunkSink {
 public:
  struct Limits {
    std::optional<uint64_t> bytes;  // Of a file before it is packed; a single chunk may pass it.
    std::optional<Time> time;       // From a file's first chunk to its last.
  };

  // Makes the first file.
  static Result<std::unique_ptr<RotatingFile>> Create(std::shared_ptr<PartFiles> files,
                                                      Limits limits);

  Status Append(capture::SealedChunk& chunk) override;
  void Lose(Time time, capture::Lost lost) override;
  Status Close(Time time, v1::EndReason reason, std::string_view text) override;

  uint64_t calls() const override;
  uint64_t calls_lost() const override;
  uint64_t rows_lost() const override;

 private:
  RotatingFile(std::shared_ptr<PartFiles> files, Limits limits)
      : files_(std::move(files)), limits_(limits) {}

  bool IsFull(const capture::SealedChunk& chunk) const;
  Status Rotate();
  Status Finish(Time time, v1::EndReason reason, std::string_view text);

  std::shared_ptr<PartFiles> files_;
  Limits limits_;
  PartFiles::Part part_;       // Without a file once it is closed.
  std::optional<Time> first_;  // Of the file's first chunk.
  Time last_{};
  capture::StandingRows standing_;
};

}  // namespace dstap::proxy
