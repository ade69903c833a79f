#include "tests/fuzz/capture_input.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "proto/capture/chunk_frame.h"
#include "proto/capture/zstd_codec.h"

namespace dstap::fuzz {
namespace {

using capture::ChunkFrame;
using capture::ParsedChunk;

std::string Chunk(ChunkFrame frame, std::string_view body) {
  frame.checksum = ChunkChecksum(frame, body);
  std::string out(capture::kFrameBytesMax, '\0');
  char* const end = out.data() + out.size();
  const char* const begin = WriteFrameBefore(end, frame, body.size());
  out.erase(0, static_cast<size_t>(begin - out.data()));
  return out.append(body);
}

std::string FileOfBodies(std::string_view input) {
  std::string file;
  capture::ZstdCompressor zstd(1);
  uint64_t sequence = 0;
  bool is_first = true;
  while (input.size() >= kBodyHeadBytes) {
    const auto flags = static_cast<uint8_t>(input[0]);
    const size_t size =
        static_cast<uint8_t>(input[1]) | static_cast<size_t>(static_cast<uint8_t>(input[2])) << 8;
    input.remove_prefix(kBodyHeadBytes);
    const std::string_view body = input.substr(0, size);
    input.remove_prefix(body.size());
    if (is_first || (flags & kRecording) != 0) {
      file += capture::MagicBytes();
      sequence = 0;
    }
    is_first = false;
    if ((flags & kGap) != 0) ++sequence;
    ChunkFrame frame{.sequence = sequence++,
                     .codec = v1::CODEC_NONE,
                     .raw_size = static_cast<uint32_t>(body.size())};
    if ((flags & kWrongSize) != 0) ++frame.raw_size;
    if ((flags & kCompressed) == 0) {
      file += Chunk(frame, body);
      continue;
    }
    frame.codec = v1::CODEC_ZSTD;
    std::string packed(capture::ZstdCompressor::Bound(body.size()), '\0');
    packed.resize(zstd.Compress(body, packed.data()).value_or(0));
    file += Chunk(frame, packed);
  }
  return file;
}

// A body is where its checksum could be confirmed; so the nine bytes of the checksum's field, of
// which the tag comes first, are put right where they stand.
void FixChecksums(std::string& file) {
  constexpr char kTag = static_cast<char>(v1::Chunk::kChecksumFieldNumber << 3 | 1);
  size_t at = 0;
  while ((at = file.find(capture::SyncBytes(), at)) != std::string::npos) {
    const ParsedChunk chunk = capture::ParseChunk(std::string_view(file).substr(at));
    at += capture::kSyncBytes;
    if (chunk.state != ParsedChunk::State::kWhole) continue;
    const size_t body = static_cast<size_t>(chunk.body.data() - file.data());
    const uint64_t good = ChunkChecksum(chunk.frame, chunk.body);
    char old[9] = {kTag};
    std::memcpy(old + 1, &chunk.frame.checksum, 8);
    const size_t field = file.rfind(std::string_view(old, sizeof old), body);
    if (field == std::string::npos || field < at) continue;
    std::memcpy(file.data() + field + 1, &good, 8);
  }
}

}  // namespace

CaptureInput CaptureInputOf(std::string_view input) {
  CaptureInput out;
  if (input.empty()) return out;
  out.options = static_cast<uint8_t>(input[0]);
  out.use = static_cast<CaptureUse>(out.options >> kUseShift & 3);
  input.remove_prefix(1);
  out.file = (out.options & kMakeChunks) != 0 ? FileOfBodies(input) : std::string(input);
  if ((out.options & kFixChecksums) != 0) FixChecksums(out.file);
  return out;
}

std::string CaptureBody(uint8_t flags, std::string_view body) {
  const size_t size = std::min<size_t>(body.size(), 0xFFFF);
  std::string out = {static_cast<char>(flags), static_cast<char>(size & 0xFF),
                     static_cast<char>(size >> 8)};
  return out.append(body.substr(0, size));
}

}  // namespace dstap::fuzz
