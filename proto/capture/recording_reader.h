// Reads a capture recording by recording, for those who write what they read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "proto/capture/capture_reader.h"

namespace dstap::capture {

// Opens a file anew for each pass over it.
using OpenSource = std::function<Result<std::unique_ptr<ByteSource>>()>;

// Errors:    kDamaged at the first damage, with the remedy; kUnsupported when a newer dstap wrote
//            what would get lost (see CheckKnown); those of the source.
// Ownership: owns the reader.
// Threads:   not thread-safe.
class RecordingReader {
 public:
  static Result<RecordingReader> Open(const OpenSource& open);

  struct Item {
    Record record;
    // It is the Header with which a recording begins.
    bool begins = false;
  };
  // The next record, or nothing at the end. What is inside a recording is never its first Header.
  Result<std::optional<Item>> Next();

  // kUnsupported when fields were passed over that this dstap does not know, and so cannot write.
  Status CheckKnown() const;
  const CaptureReader& reader() const { return reader_; }
  // Recordings so far.
  uint64_t recordings() const { return recordings_; }

 private:
  explicit RecordingReader(CaptureReader reader) : reader_(std::move(reader)) {}

  CaptureReader reader_;
  std::optional<uint64_t> chunk_;  // Where the chunk stands that the last record came from.
  uint64_t recordings_ = 0;
};

}  // namespace dstap::capture
