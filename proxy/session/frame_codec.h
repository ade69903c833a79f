// Frames on a byte stream: one protobuf message with its length in front, as a varint.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dstap/v1/session.pb.h"
#include "proto/base/status.h"

namespace dstap::proxy {

// A frame holds at most one value (4 MiB) and its names.
inline constexpr size_t kFrameBytesMax = size_t{8} << 20;

// Cuts a stream into frames, wherever it was split.
//
// Errors:  kDamaged for a length that is no varint or a message that does not parse, kLimit for a
//          frame over kFrameBytesMax; each with the byte offset in the stream. After an error the
//          stream has no next frame.
// Limits:  holds one frame and what was received behind it. A length is refused before anything is
//          allocated for it.
class FrameDecoder {
 public:
  void Append(std::string_view bytes);

  // The next whole frame, or nothing until more bytes come.
  Result<std::optional<v1::ClientFrame>> Next();

  // Bytes received that are no whole frame.
  size_t pending_bytes() const { return buffer_.size() - at_; }

 private:
  std::string buffer_;
  size_t at_ = 0;        // Where the next frame starts in buffer_.
  uint64_t offset_ = 0;  // Of buffer_ in the stream.
};

void AppendFrame(const v1::ServerFrame& frame, std::string& out);

}  // namespace dstap::proxy
