// What stands around a chunk's records: tag, length, sync, sequence, codec, sizes, checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dstap/v1/capture.pb.h"
#include "proto/capture/format.h"

namespace dstap::capture {

struct ChunkFrame {
  uint64_t sequence = 0;
  v1::Codec codec = v1::CODEC_UNKNOWN;
  uint32_t raw_size = 0;
  uint64_t checksum = 0;
};

// XXH3 over sequence, codec and raw_size (little-endian, 8 + 4 + 4 bytes), then the body as stored.
uint64_t ChunkChecksum(const ChunkFrame& frame, std::string_view body);

// Writes all of a chunk that stands before its body, so that it ends at `end`, and returns where it
// begins. kFrameBytesMax bytes before `end` must be free. With the body after it this is byte for
// byte what protobuf makes of a Capture with this one Chunk.
char* WriteFrameBefore(char* end, const ChunkFrame& frame, size_t body_size);

// The nine bytes that begin a recording; likewise.
inline constexpr size_t kMagicBytes = 9;
inline constexpr size_t kSyncBytes = 9;
std::string_view MagicBytes();
std::string_view SyncBytes();

struct ParsedChunk {
  enum class State : uint8_t {
    kWhole,
    kShort,  // So far a chunk's, and the bytes end too early.
    kWrong,  // Not a chunk, whatever follows.
  };
  State state = State::kWrong;
  std::string_view why;  // With kWrong.
  ChunkFrame frame;
  std::string_view body;
  uint64_t size = 0;  // From the sync's tag to the body's end; with kShort 0 or what it says.
  uint32_t unknown_fields = 0;
};

// Reads a chunk from its sync on. `bytes` may go on after it.
ParsedChunk ParseChunk(std::string_view bytes);

}  // namespace dstap::capture
