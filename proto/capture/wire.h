// Protobuf's wire format, as much as the frame and the columns of a chunk need. Everything rare is
// left to protobuf itself.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dstap::capture {

static_assert(std::endian::native == std::endian::little, "fixed64 is copied as it lies in memory");

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t WireTag(uint32_t field, WireType type) {
  return field << 3 | static_cast<uint32_t>(type);
}

constexpr int64_t ZigZagDecode(uint64_t v) {
  return static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

// Writes `v` at `at`, where 10 bytes must be free; returns the end.
inline char* WriteVarint(char* at, uint64_t v) {
  while (v >= 0x80) {
    *at++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *at++ = static_cast<char>(v);
  return at;
}

constexpr uint64_t ZigZagEncode(int64_t v) {
  return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63);
}

constexpr size_t VarintSize(uint64_t v) {
  return static_cast<size_t>(9 * std::bit_width(v | 1) + 64) / 64;
}

// What stands in front of `size` bytes of a field; up to 15 bytes.
inline char* WriteTagAndSize(char* at, uint32_t field, size_t size) {
  return WriteVarint(WriteVarint(at, WireTag(field, WireType::kBytes)), size);
}

inline char* WriteFixed64(char* at, uint64_t v) {
  std::memcpy(at, &v, sizeof v);
  return at + sizeof v;
}

// Reads fields from bytes that may be anything. After the first call that returns false,
// short_of_bytes() tells whether more bytes could have helped.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  const char* at() const { return at_; }
  bool short_of_bytes() const { return short_; }

  bool Varint(uint64_t& out) {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      out = static_cast<unsigned char>(*at_++);
      return true;
    }
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return Short();
      const auto byte = static_cast<unsigned char>(*at_++);
      v |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        out = v;
        return true;
      }
    }
    return false;
  }

  bool Fixed64(uint64_t& out) {
    if (end_ - at_ < 8) return Short();
    std::memcpy(&out, at_, 8);
    at_ += 8;
    return true;
  }

  bool Bytes(std::string_view& out) {
    uint64_t size = 0;
    if (!Varint(size)) return false;
    if (size > static_cast<uint64_t>(end_ - at_)) return Short();
    out = {at_, static_cast<size_t>(size)};
    at_ += size;
    return true;
  }

  // A field's number and type. Groups and field 0 are refused.
  bool Tag(uint32_t& field, WireType& type) {
    uint64_t tag = 0;
    if (!Varint(tag) || tag >> 32 != 0 || tag >> 3 == 0) return false;
    field = static_cast<uint32_t>(tag >> 3);
    type = static_cast<WireType>(tag & 7);
    return type == WireType::kVarint || type == WireType::kFixed64 || type == WireType::kBytes ||
           type == WireType::kFixed32;
  }

  bool Skip(WireType type) {
    uint64_t number = 0;
    std::string_view bytes;
    switch (type) {
      case WireType::kVarint:
        return Varint(number);
      case WireType::kFixed64:
        return Fixed64(number);
      case WireType::kBytes:
        return Bytes(bytes);
      case WireType::kFixed32:
        if (end_ - at_ < 4) return Short();
        at_ += 4;
        return true;
    }
    return false;
  }

 private:
  bool Short() {
    short_ = true;
    return false;
  }

  const char* at_;
  const char* end_;
  bool short_ = false;
};

}  // namespace dstap::capture
