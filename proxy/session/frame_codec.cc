#include "proxy/session/frame_codec.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

namespace dstap::proxy {
namespace {

constexpr size_t kLengthBytesMax = 5;  // A varint of 32 bits.

}  // namespace

void FrameDecoder::Append(std::string_view bytes) {
  if (at_ == buffer_.size()) {
    offset_ += at_;
    buffer_.clear();
    at_ = 0;
  } else if (at_ > kFrameBytesMax) {
    buffer_.erase(0, at_);
    offset_ += at_;
    at_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<v1::ClientFrame>> FrameDecoder::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  size_t length = 0;
  size_t used = 0;
  for (;;) {
    if (used == kLengthBytesMax) {
      return Status(ErrorCode::kDamaged,
                    fmt::format("byte {} of the connection: a frame's length is not a varint of "
                                "at most {} bytes",
                                offset_ + at_, kLengthBytesMax));
    }
    if (used == rest.size()) return std::optional<v1::ClientFrame>();
    const auto byte = static_cast<unsigned char>(rest[used]);
    length |= static_cast<size_t>(byte & 0x7FU) << (7 * used);
    ++used;
    if ((byte & 0x80U) == 0) break;
  }
  if (length > kFrameBytesMax) {
    return Status(ErrorCode::kLimit,
                  fmt::format("byte {} of the connection: a frame of {} bytes is longer than {}",
                              offset_ + at_, length, kFrameBytesMax));
  }
  if (rest.size() - used < length) return std::optional<v1::ClientFrame>();
  std::optional<v1::ClientFrame> frame(std::in_place);
  if (!frame->ParseFromArray(rest.data() + used, static_cast<int>(length))) {
    return Status(ErrorCode::kDamaged,
                  fmt::format("byte {} of the connection: a frame of {} bytes is no ClientFrame",
                              offset_ + at_, length));
  }
  at_ += used + length;
  return frame;
}

void AppendFrame(const v1::ServerFrame& frame, std::string& out) {
  namespace io = google::protobuf::io;
  const size_t length = frame.ByteSizeLong();
  const size_t before = out.size();
  const size_t prefix = io::CodedOutputStream::VarintSize32(static_cast<uint32_t>(length));
  out.resize(before + prefix + length);
  auto* at = reinterpret_cast<uint8_t*>(out.data() + before);
  at = io::CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(length), at);
  frame.SerializeWithCachedSizesToArray(at);
}

}  // namespace dstap::proxy
