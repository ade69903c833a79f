// A part of a ByteSource that can be looked at in one piece.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "proto/base/byte_source.h"

namespace dstap::capture {

// Units:     offsets are bytes from the source's beginning.
// Ownership: owns its source. Views live until the next Fill() or Drop().
// Limits:    holds what was last asked for and a read-ahead of kReadBytes.
class ByteWindow {
 public:
  static constexpr size_t kReadBytes = size_t{64} << 10;

  explicit ByteWindow(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // Reads on until view() has `size` bytes or the source has ended.
  Status Fill(size_t size);
  // Everything that was read and not dropped; Fill() may have read ahead.
  std::string_view view() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Drops bytes from the front of view().
  void Drop(size_t size) {
    begin_ += size;
    offset_ += size;
  }

  // Where view() begins.
  uint64_t offset() const { return offset_; }
  // The source has nothing after view().
  bool at_end() const { return at_end_; }
  uint64_t bytes_read() const { return offset_ + (end_ - begin_); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace dstap::capture
