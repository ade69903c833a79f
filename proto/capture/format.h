// Constants shared by the writer and the reader. The words are in docs/capture-format.md, and
// tests/proto/format_doc_test.cc holds the two together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dstap::capture {

// The file's first nine bytes: 0x09, the tag of Capture.magic, then these eight, little-endian.
// 0x8A shows a 7-bit transfer; 0x0A after 0x0D shows a newline conversion.
inline constexpr uint64_t kMagic = 0x0A0D'7061'7473'648A;  // 8A 'd' 's' 't' 'a' 'p' 0D 0A

// A chunk's first nine bytes: 0x09, the tag of Chunk.sync, then these eight, little-endian. Chosen
// so that no two of its bytes are equal and none is ASCII text: it does not occur in keys or JSON.
inline constexpr uint64_t kSync = 0xF1C6'9AE3'8DB7'D4A5;  // A5 D4 B7 8D E3 9A C6 F1

inline constexpr uint32_t kFormatVersion = 1;

// Decompressed. What one chunk may cost a reader; larger ones are refused before allocation.
inline constexpr size_t kChunkBytesMax = size_t{16} << 20;
// Calls in one chunk: a few bytes of columns can claim very many rows.
inline constexpr size_t kChunkCallsMax = size_t{1} << 20;
// Rows in one chunk, and strings in one of its tables.
inline constexpr size_t kChunkRowsMax = kChunkCallsMax;
// What stands in a chunk before its body, the tag and length in front of the chunk included.
inline constexpr size_t kFrameBytesMax = 512;
// Entries of one Index. Past it neighbours are joined, so that the writer's memory and the last
// chunk stay small however long the recording.
inline constexpr size_t kIndexEntriesMax = 4096;
// What `dstap pack` aims at.
inline constexpr size_t kChunkBytesPacked = size_t{1} << 20;
static_assert(kChunkBytesPacked < kChunkBytesMax);

inline constexpr int64_t kTickNs = 1000;

// A call that stays open longer gets a record of its own (OUTCOME_IN_FLIGHT) at the next commit.
inline constexpr int64_t kBeginRecordAfterNs = 50'000'000;

// Virtual captures count from here: 2026-01-01T00:00:00Z. Nothing of the machine is in them.
inline constexpr int64_t kVirtualEpochUnixNs = 1'767'225'600'000'000'000;

}  // namespace dstap::capture
