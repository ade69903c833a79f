#include "proto/capture/item.h"

#include <fmt/format.h>

#include "proto/base/escape.h"
#include "proto/capture/format.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

using ChunkState = ParsedChunk::State;

Result<Item> LookAtChunk(ByteWindow& window) {
  Item item{.kind = Item::Kind::kWrong};
  DSTAP_TRY(window.Fill(kFrameBytesMax));
  WireReader outer(window.view());
  uint32_t field = 0;
  WireType type{};
  uint64_t length = 0;
  if (!outer.Tag(field, type) || field != v1::Capture::kChunkFieldNumber ||
      type != WireType::kBytes) {
    item.why =
        fmt::format("{} stands where a chunk should begin", Escape(window.view().substr(0, 8)));
    return item;
  }
  if (!outer.Varint(length)) {
    if (outer.short_of_bytes())
      return Item{.kind = Item::Kind::kTorn, .size = window.view().size()};
    item.why = "its length makes no sense";
    return item;
  }
  const auto head = static_cast<size_t>(outer.at() - window.view().data());
  if (length > kChunkBytesMax + kFrameBytesMax) {
    item.defect = DefectId::kChunkLimit;
    item.why = fmt::format("it claims {} bytes; a chunk has at most {}", length,
                           kChunkBytesMax + kFrameBytesMax);
    item.chunk = ParseChunk(window.view().substr(head));
    return item;
  }
  item.size = head + length;
  DSTAP_TRY(window.Fill(static_cast<size_t>(item.size)));
  const std::string_view rest = window.view().substr(head);
  item.chunk = ParseChunk(rest.substr(0, static_cast<size_t>(length)));
  const ParsedChunk& chunk = item.chunk;
  if (chunk.state == ChunkState::kWrong) {
    item.why = chunk.why;
    return item;
  }
  if (rest.size() < length) {  // The file ends.
    if (chunk.state == ChunkState::kShort && chunk.size <= length) {
      return Item{.kind = Item::Kind::kTorn, .size = window.view().size()};
    }
    item.why = fmt::format("its length is {}, the length in its frame {}", length, chunk.size);
    return item;
  }
  if (chunk.state == ChunkState::kShort) {
    item.why = fmt::format("its length is {}, its frame needs {}", length, chunk.size);
    return item;
  }
  // Behind the body only what a newer dstap may have added.
  WireReader behind(
      rest.substr(static_cast<size_t>(chunk.size), static_cast<size_t>(length - chunk.size)));
  while (!behind.AtEnd()) {
    if (!behind.Tag(field, type) || field <= v1::Chunk::kCompressedFieldNumber ||
        !behind.Skip(type)) {
      item.why = fmt::format("its length is {}, the length in its frame {}", length, chunk.size);
      return item;
    }
    ++item.chunk.unknown_fields;
  }
  item.kind = Item::Kind::kChunk;
  return item;
}

}  // namespace

Result<Item> LookAtItem(ByteWindow& window) {
  DSTAP_TRY(window.Fill(kMagicBytes));
  const std::string_view bytes = window.view();
  if (bytes.empty()) return Item{};
  if (bytes.starts_with(MagicBytes())) {
    return Item{.kind = Item::Kind::kBegin, .size = kMagicBytes};
  }
  if (bytes.size() < kMagicBytes && MagicBytes().starts_with(bytes)) {
    return Item{.kind = Item::Kind::kTorn, .size = bytes.size()};
  }
  return LookAtChunk(window);
}

}  // namespace dstap::capture
