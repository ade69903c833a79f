// How the capture target's inputs become files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dstap::fuzz {

// The first byte of an input. Where no chunk is made, the rest is the file.
enum CaptureOption : uint8_t {
  kSkipDamage = 1 << 0,    // The reader passes over damage; else it stops there.
  kFixChecksums = 1 << 1,  // Of every chunk that can be found in the file.
  kMakeChunks = 1 << 2,    // The rest is bodies: the framing around them is made.
  kSmallReads = 1 << 3,    // The source gives a few bytes at a time.
  // Two bits: which of the things that are done with captures is done with this one.
  kUseShift = 4,
};
enum class CaptureUse : uint8_t { kValidate, kReport, kPrintCalls, kText };

struct CaptureInput {
  uint8_t options = 0;
  CaptureUse use = CaptureUse::kValidate;
  std::string file;
};

CaptureInput CaptureInputOf(std::string_view input);

// In front of each body: flags, then its size in two bytes, the lower one first.
inline constexpr size_t kBodyHeadBytes = 3;
enum BodyFlag : uint8_t {
  kCompressed = 1 << 0,  // By zstd.
  kRecording = 1 << 1,   // A recording begins in front of it.
  kWrongSize = 1 << 2,   // The chunk claims a byte more than it has.
  kGap = 1 << 3,         // A chunk is missing in front of it.
};

// One input, put together.
std::string CaptureBody(uint8_t flags, std::string_view body);

}  // namespace dstap::fuzz
