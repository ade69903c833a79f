#include "proto/capture/chunk_frame.h"

#define XXH_STATIC_LINKING_ONLY  // For the size of XXH3_state_t: the state lives on the stack.
#include <xxhash.h>

#include <array>
#include <cstring>

#include "proto/base/check.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

constexpr std::array<char, 9> TaggedConstant(uint64_t constant) {
  std::array<char, 9> out{0x09};
  for (size_t i = 0; i < 8; ++i) out[i + 1] = static_cast<char>(constant >> (8 * i));
  return out;
}

constexpr std::array<char, 9> kMagicArray = TaggedConstant(kMagic);
constexpr std::array<char, 9> kSyncArray = TaggedConstant(kSync);

constexpr uint32_t kSequence = v1::Chunk::kSequenceFieldNumber;
constexpr uint32_t kCodec = v1::Chunk::kCodecFieldNumber;
constexpr uint32_t kRawSize = v1::Chunk::kRawSizeFieldNumber;
constexpr uint32_t kChecksum = v1::Chunk::kChecksumFieldNumber;
constexpr uint32_t kRecords = v1::Chunk::kRecordsFieldNumber;
constexpr uint32_t kCompressed = v1::Chunk::kCompressedFieldNumber;

char* WriteVarintField(char* at, uint32_t field, uint64_t value) {
  if (value == 0) return at;  // As protobuf: a default is left out.
  at = WriteVarint(at, WireTag(field, WireType::kVarint));
  return WriteVarint(at, value);
}

}  // namespace

std::string_view MagicBytes() { return {kMagicArray.data(), kMagicArray.size()}; }
std::string_view SyncBytes() { return {kSyncArray.data(), kSyncArray.size()}; }

uint64_t ChunkChecksum(const ChunkFrame& frame, std::string_view body) {
  std::array<char, 16> head{};
  const auto codec = static_cast<uint32_t>(frame.codec);
  std::memcpy(head.data(), &frame.sequence, 8);
  std::memcpy(head.data() + 8, &codec, 4);
  std::memcpy(head.data() + 12, &frame.raw_size, 4);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, head.data(), head.size());
  XXH3_64bits_update(&state, body.data(), body.size());
  return XXH3_64bits_digest(&state);
}

char* WriteFrameBefore(char* end, const ChunkFrame& frame, size_t body_size) {
  std::array<char, 64> inner{};
  char* at = inner.data();
  std::memcpy(at, kSyncArray.data(), kSyncArray.size());
  at += kSyncArray.size();
  at = WriteVarintField(at, kSequence, frame.sequence);
  at = WriteVarintField(at, kCodec, static_cast<uint64_t>(frame.codec));
  at = WriteVarintField(at, kRawSize, frame.raw_size);
  if (frame.checksum != 0) {
    at = WriteVarint(at, WireTag(kChecksum, WireType::kFixed64));
    at = WriteFixed64(at, frame.checksum);
  }
  const uint32_t body_field = frame.codec == v1::CODEC_NONE ? kRecords : kCompressed;
  at = WriteVarint(at, WireTag(body_field, WireType::kBytes));
  at = WriteVarint(at, body_size);
  const auto inner_size = static_cast<size_t>(at - inner.data());

  std::array<char, 16> outer{};
  char* outer_end =
      WriteVarint(outer.data(), WireTag(v1::Capture::kChunkFieldNumber, WireType::kBytes));
  outer_end = WriteVarint(outer_end, inner_size + body_size);
  const auto outer_size = static_cast<size_t>(outer_end - outer.data());

  DSTAP_CHECK(inner_size + outer_size <= kFrameBytesMax);
  char* begin = end - inner_size - outer_size;
  std::memcpy(begin, outer.data(), outer_size);
  std::memcpy(begin + outer_size, inner.data(), inner_size);
  return begin;
}

ParsedChunk ParseChunk(std::string_view bytes) {
  ParsedChunk chunk;
  const auto wrong = [&chunk](std::string_view why) {
    chunk.state = ParsedChunk::State::kWrong;
    chunk.why = why;
    return chunk;
  };
  const size_t seen = std::min(bytes.size(), kSyncArray.size());
  if (bytes.substr(0, seen) != SyncBytes().substr(0, seen)) return wrong("there is no sync");
  chunk.state = ParsedChunk::State::kShort;
  if (seen < kSyncArray.size()) return chunk;

  WireReader reader(bytes);
  uint64_t number = 0;
  uint32_t field = 0;
  WireType type{};
  reader.Tag(field, type);
  reader.Fixed64(number);
  for (;;) {
    const auto failed = [&](std::string_view why) {
      return reader.short_of_bytes() ? chunk : wrong(why);
    };
    if (!reader.Tag(field, type)) return failed("a field of its frame makes no sense");
    const uint32_t tag = WireTag(field, type);
    if (tag == WireTag(kRecords, WireType::kBytes) ||
        tag == WireTag(kCompressed, WireType::kBytes)) {
      if ((field == kRecords) != (chunk.frame.codec == v1::CODEC_NONE)) {
        return wrong("its body is not of its codec's kind");
      }
      if (!reader.Varint(number)) return failed("its body's length makes no sense");
      if (number > kChunkBytesMax) return wrong("its body is over the limit");
      const auto at = static_cast<size_t>(reader.at() - bytes.data());
      chunk.size = at + number;
      if (bytes.size() < chunk.size) return chunk;
      chunk.body = bytes.substr(at, static_cast<size_t>(number));
      chunk.state = ParsedChunk::State::kWhole;
      return chunk;
    }
    // However many unknown fields a newer dstap puts in front: a frame has its limit.
    if (reader.at() - bytes.data() > static_cast<ptrdiff_t>(kFrameBytesMax)) {
      return wrong("it has no body");
    }
    if (field == kChecksum && type == WireType::kFixed64) {
      if (!reader.Fixed64(chunk.frame.checksum)) return chunk;
    } else if (field >= kSequence && field <= kRawSize && type == WireType::kVarint) {
      if (!reader.Varint(number)) return failed("a number of its frame makes no sense");
      if (field == kSequence) chunk.frame.sequence = number;
      if (field == kCodec) chunk.frame.codec = static_cast<v1::Codec>(static_cast<int>(number));
      if (field == kRawSize) chunk.frame.raw_size = static_cast<uint32_t>(number);
    } else if (field > kCompressed) {
      ++chunk.unknown_fields;
      if (!reader.Skip(type)) return failed("an unknown field of its frame makes no sense");
    } else {
      return wrong("a field of its frame has the wrong type");
    }
  }
}

}  // namespace dstap::capture
