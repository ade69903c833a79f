#include "proto/capture/packed_varints.h"

#include <algorithm>
#include <bit>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace dstap::capture {
namespace {

// The seven low bits of each of the 8 bytes, pushed together.
uint64_t JoinSevens(uint64_t bytes) {
  uint64_t v = bytes & 0x7F7F'7F7F'7F7F'7F7F;
  v = (v & 0x007F'007F'007F'007F) | (v & 0x7F00'7F00'7F00'7F00) >> 1;
  v = (v & 0x0000'3FFF'0000'3FFF) | (v & 0x3FFF'0000'3FFF'0000) >> 2;
  return (v & 0x0FFF'FFFF) | (v & 0x0FFF'FFFF'0000'0000) >> 4;
}

uint64_t Load8(const char* at) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, 8);
  return bytes;
}

constexpr ptrdiff_t kBlock = 64;

// A bit for each of kBlock bytes: whether a number ends there.
uint64_t EndsOf(const char* block) {
  uint64_t ends = 0;
#ifdef __SSE2__
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    ends |= uint64_t{static_cast<uint16_t>(~_mm_movemask_epi8(bytes))} << (16 * i);
  }
  return ends;
#else
  for (int i = 0; i < 8; ++i) {
    const uint64_t high_bits = (~Load8(block + 8 * i) & 0x8080'8080'8080'8080) >> 7;
    ends |= (high_bits * 0x0102'0408'1020'4080) >> 56 << (8 * i);
  }
  return ends;
#endif
}

// One number, however long. Null when it is longer than one can be.
const char* DecodeOne(const char* at, uint64_t*& out) {
  auto byte = static_cast<unsigned char>(*at++);
  uint64_t v = byte & 0x7F;
  for (int shift = 7; byte >= 0x80; shift += 7) {
    if (shift == 70) return nullptr;
    byte = static_cast<unsigned char>(*at++);
    v |= static_cast<uint64_t>(byte & 0x7F) << shift;
  }
  *out++ = v;
  return at;
}

// The numbers that end in the block at `at`, where one begins; none has more than kLongest bytes.
// Lengths are mixed, so a branch on them would be guessed wrong; and where a number begins comes
// from the block's ends, not from the number before it.
template <int kLongest>
const char* DecodeBlock(const char* at, uint64_t ends, uint64_t*& to) {
  const char* const block = at;
  uint64_t* out = to;
  for (; ends != 0; ends &= ends - 1) {
    const char* const end = block + std::countr_zero(ends) + 1;
    const auto unused = static_cast<int>(8 * (8 - (end - at)));
    const uint64_t bytes = Load8(end - 8) >> unused;
    if constexpr (kLongest == 2) {
      *out++ = (bytes & 0x7F) | ((bytes & 0x7F00) >> 1);
    } else if constexpr (kLongest == 3) {
      *out++ = (bytes & 0x7F) | ((bytes & 0x7F00) >> 1) | ((bytes & 0x7F'0000) >> 2);
    } else {
      *out++ = JoinSevens(bytes);
    }
    at = end;
  }
  to = out;
  return at;
}

}  // namespace

size_t CountVarints(std::string_view packed) {
  // Counted in bytes, of which a loop handles many at once, for as long as none can run over.
  constexpr size_t kLanes = 64;
  constexpr size_t kRounds = 255;
  size_t count = 0;
  while (packed.size() >= kLanes) {
    const size_t rounds = std::min(packed.size() / kLanes, kRounds);
    uint8_t ends[kLanes] = {};
    for (size_t round = 0; round < rounds; ++round) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const auto byte = static_cast<uint8_t>(packed[round * kLanes + lane]);
        ends[lane] = static_cast<uint8_t>(ends[lane] + (byte < 0x80 ? 1 : 0));
      }
    }
    for (const uint8_t lane : ends) count += lane;
    packed.remove_prefix(rounds * kLanes);
  }
  for (const char byte : packed) count += (static_cast<unsigned char>(byte) >> 7) ^ 1U;
  return count;
}

bool DecodeVarints(std::string_view packed, uint64_t* out) {
  const char* at = packed.data();
  const char* const end = at + packed.size();
  // A number is loaded as the 8 bytes up to its end, which must be there.
  while (at != end && at - packed.data() < 8) {
    if ((at = DecodeOne(at, out)) == nullptr) return false;
  }
  while (end - at >= kBlock) {
    const uint64_t ends = EndsOf(at);
    const uint64_t two = ~ends & ~ends >> 1;  // Two bytes in a row at which no number ends.
    const uint64_t four = two & two >> 2;
    if (two == 0) {
      at = DecodeBlock<2>(at, ends, out);
    } else if ((two & two >> 1) == 0) {
      at = DecodeBlock<3>(at, ends, out);
    } else if ((four & four >> 4) == 0) {
      at = DecodeBlock<8>(at, ends, out);
    } else if ((at = DecodeOne(at, out)) == nullptr) {  // One of more than 8 bytes is near.
      return false;
    }
  }
  while (at != end) {
    if ((at = DecodeOne(at, out)) == nullptr) return false;
  }
  return true;
}

}  // namespace dstap::capture
