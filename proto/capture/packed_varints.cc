#include "proto/capture/packed_varints.h"

#include <bit>
#include <cstring>

namespace dstap::capture {
namespace {

// The seven low bits of each of the 8 bytes, pushed together.
uint64_t JoinSevens(uint64_t bytes) {
  uint64_t v = bytes & 0x7F7F'7F7F'7F7F'7F7F;
  v = (v & 0x007F'007F'007F'007F) | (v & 0x7F00'7F00'7F00'7F00) >> 1;
  v = (v & 0x0000'3FFF'0000'3FFF) | (v & 0x3FFF'0000'3FFF'0000) >> 2;
  return (v & 0x0FFF'FFFF) | (v & 0x0FFF'FFFF'0000'0000) >> 4;
}

uint64_t LowBits(int bits) { return ~uint64_t{0} >> (64 - bits); }

}  // namespace

size_t CountVarints(std::string_view packed) {
  size_t count = 0;
  for (const char byte : packed) count += (static_cast<unsigned char>(byte) >> 7) ^ 1U;
  return count;
}

bool AllOneByte(std::string_view packed) {
  unsigned char all = 0;
  for (const char byte : packed) all = static_cast<unsigned char>(all | byte);
  return all < 0x80;
}

bool DecodeVarints(std::string_view packed, uint64_t* out) {
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) {
    // Lengths are mixed, so a branch on them would be guessed wrong: 8 bytes at once, no branch.
    if (end - at >= 8) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, at, 8);
      const uint64_t ends = ~bytes & 0x8080'8080'8080'8080;
      // Two at once where two end in these 8, as they nearly always do: where the next ones begin
      // is known sooner than from one after the other.
      const uint64_t later_ends = ends & (ends - 1);
      if (later_ends != 0) {
        const int bits = std::countr_zero(ends) + 1;        // 8 times the first one's length,
        const int both = std::countr_zero(later_ends) + 1;  // and of both together.
        *out++ = JoinSevens(bytes & LowBits(bits));
        *out++ = JoinSevens((bytes & LowBits(both)) >> bits);
        at += both / 8;
        continue;
      }
      if (ends != 0) {
        const int bits = std::countr_zero(ends) + 1;
        *out++ = JoinSevens(bytes & LowBits(bits));
        at += bits / 8;
        continue;
      }
    }
    auto byte = static_cast<unsigned char>(*at++);
    uint64_t v = byte & 0x7F;
    for (int shift = 7; byte >= 0x80; shift += 7) {
      if (shift == 70) return false;
      byte = static_cast<unsigned char>(*at++);
      v |= static_cast<uint64_t>(byte & 0x7F) << shift;
    }
    *out++ = v;
  }
  return true;
}

}  // namespace dstap::capture
