#include "proto/capture/resync.h"

#include <algorithm>

#include "proto/capture/format.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

constexpr uint32_t kChunkTag = WireTag(v1::Capture::kChunkFieldNumber, WireType::kBytes);

bool StartsWithAsFarAsItGoes(std::string_view bytes, std::string_view begin) {
  const size_t n = std::min(bytes.size(), begin.size());
  return bytes.substr(0, n) == begin.substr(0, n);
}

// Where the tag and length stand that belong to the chunk whose sync is at `sync`, or `sync` itself
// when the bytes in front are no such thing.
size_t FramingBefore(std::string_view view, size_t from, size_t sync, uint64_t chunk_size) {
  constexpr size_t kLongest = 6;
  for (size_t n = 2; n <= kLongest && n <= sync && sync - n >= from; ++n) {
    WireReader reader(view.substr(sync - n, n));
    uint64_t tag = 0;
    uint64_t length = 0;
    if (reader.Varint(tag) && tag == kChunkTag && reader.Varint(length) && reader.AtEnd() &&
        length >= chunk_size && length <= chunk_size + kFrameBytesMax) {
      return sync - n;
    }
  }
  return sync;
}

// The first of the two patterns at or after `from`.
size_t FindPattern(std::string_view view, size_t from) {
  const size_t sync = view.find(SyncBytes(), from);
  return std::min(sync, view.substr(0, sync == std::string_view::npos ? sync : sync + kMagicBytes)
                            .find(MagicBytes(), from));
}

}  // namespace

bool StartsItem(std::string_view bytes) {
  if (StartsWithAsFarAsItGoes(bytes, MagicBytes())) return true;
  WireReader reader(bytes);
  uint64_t tag = 0;
  uint64_t length = 0;
  if (!reader.Varint(tag) || tag != kChunkTag) return false;
  if (!reader.Varint(length)) return reader.short_of_bytes();
  return StartsWithAsFarAsItGoes(bytes.substr(static_cast<size_t>(reader.at() - bytes.data())),
                                 SyncBytes());
}

ScanResult ScanForItem(std::string_view view, size_t from, bool is_last, ScanBudget& budget) {
  size_t scanned = from;
  for (size_t at = from;; ++at) {
    at = FindPattern(view, at);
    const size_t upto = std::min(at, view.size());
    budget.bytes += ScanBudget::kPerByte * (upto - scanned);
    scanned = upto;
    if (at == std::string_view::npos) {
      // A pattern may begin in the last bytes, and its chunk's framing stands just before it.
      constexpr size_t kKeep = kSyncBytes + 8;
      return {.at = view.size() > from + kKeep ? view.size() - kKeep : from};
    }
    const std::string_view rest = view.substr(at);
    if (rest.starts_with(MagicBytes())) {
      if (rest.size() < kMagicBytes + kSyncBytes + 6 && !is_last) {
        return {.at = at, .need = at + kMagicBytes + kSyncBytes + 6};
      }
      if (StartsItem(rest.substr(kMagicBytes))) return {.found = true, .at = at};
      continue;
    }
    const ParsedChunk chunk = ParseChunk(rest);
    if (chunk.state == ParsedChunk::State::kShort && !is_last) {
      return {.at = at, .need = at + (chunk.size != 0 ? chunk.size : kFrameBytesMax)};
    }
    if (chunk.state != ParsedChunk::State::kWhole || chunk.body.size() > budget.bytes) continue;
    budget.bytes -= chunk.body.size();
    if (ChunkChecksum(chunk.frame, chunk.body) != chunk.frame.checksum) continue;
    const size_t start = FramingBefore(view, from, at, chunk.size);
    return {.found = true, .from_sync = start == at, .at = start};
  }
}

}  // namespace dstap::capture
