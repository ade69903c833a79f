// The parts a capture consists of, one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "proto/capture/byte_window.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/defects.h"

namespace dstap::capture {

// What stands at the front of the window.
struct Item {
  enum class Kind : uint8_t {
    kEnd,    // Nothing.
    kBegin,  // A magic: a recording begins.
    kChunk,  // A whole chunk, its checksum not looked at yet.
    kTorn,   // The beginning of one of the two, up to the end of the file.
    kWrong,  // Something else.
  };
  Kind kind = Kind::kEnd;
  uint64_t size = 0;    // Of the item, framing included.
  ParsedChunk chunk{};  // With kChunk, and with kWrong as far as it could be read.
  DefectId defect = DefectId::kFraming;
  std::string why{};
};

// Reads what stands at the front of `window`, as far as that takes; drops nothing.
Result<Item> LookAtItem(ByteWindow& window);

}  // namespace dstap::capture
