// One chunk of a capture, with its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/capture/chunk_decoder.h"

namespace dstap::capture {

// What CaptureReader::NextChunk() fills: records one by one, or whole columns. A view that asks for
// a few columns pays for those.
//
// Ownership: owns the bytes that its records and columns refer to; they live until it is filled
//            again. Needs no reader any more.
// Threads:   not thread-safe; may be filled on one thread and looked at on another.
// Limits:    as ChunkColumns. Memory is kept for the next chunk.
class LoadedChunk {
 public:
  // Its records, in file order, from the first one on.
  ChunkDecoder& records() { return decoder_; }
  const ChunkColumns& columns() const { return decoder_.columns(); }
  // Which recording of the file it belongs to, from 1. One whose Header is lost counts too.
  uint64_t recording() const { return recording_; }
  // Of its records, decompressed.
  size_t bytes() const { return size_; }

 private:
  friend class CaptureReader;

  ChunkDecoder decoder_;
  std::vector<char> raw_;
  size_t size_ = 0;
  uint64_t recording_ = 0;
};

}  // namespace dstap::capture
