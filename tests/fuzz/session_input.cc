#include "tests/fuzz/session_input.h"

#include <algorithm>

namespace dstap::fuzz {
namespace {

using std::chrono_literals::operator""ms;

constexpr size_t kHeadBytes = 2;
constexpr size_t kPacketHeadBytes = 3;

// 0 to 30 s: the cube of five bits, in milliseconds.
Time PauseOf(uint8_t bits) { return Time(1ms) * (int64_t{bits} * bits * bits); }

uint8_t BitsOf(Time pause) {
  uint8_t bits = 0;
  while (bits < 31 && PauseOf(bits) < pause) ++bits;
  return bits;
}

}  // namespace

SessionInput SessionInputOf(std::string_view bytes) {
  SessionInput input;
  if (bytes.size() < kHeadBytes) return input;
  const auto options = static_cast<uint8_t>(bytes[0]);
  input.wall = (options & 1) != 0;
  input.faults = (options & 2) != 0;
  input.values = (options & 4) != 0;
  input.splits = (options & 8) != 0;
  input.profile = options >> 4 & 3;
  input.split_seed = static_cast<uint8_t>(bytes[1]);
  bytes.remove_prefix(kHeadBytes);
  while (bytes.size() >= kPacketHeadBytes) {
    const auto about = static_cast<uint8_t>(bytes[0]);
    const size_t size =
        static_cast<uint8_t>(bytes[1]) | static_cast<size_t>(static_cast<uint8_t>(bytes[2])) << 8;
    input.packets.push_back({.connection = static_cast<uint8_t>(about & 3),
                             .leaves = (about & 4) != 0,
                             .pause = PauseOf(about >> 3),
                             .bytes = std::string(bytes.substr(kPacketHeadBytes, size))});
    bytes.remove_prefix(std::min(bytes.size(), kPacketHeadBytes + size));
  }
  return input;
}

std::string BytesOf(const SessionInput& input) {
  std::string out;
  out += static_cast<char>(int{input.wall} | int{input.faults} << 1 | int{input.values} << 2 |
                           int{input.splits} << 3 | input.profile << 4);
  out += static_cast<char>(input.split_seed);
  for (const Packet& packet : input.packets) {
    const size_t size = std::min<size_t>(packet.bytes.size(), 0xFFFF);
    out +=
        static_cast<char>(packet.connection | int{packet.leaves} << 2 | BitsOf(packet.pause) << 3);
    out += static_cast<char>(size & 0xFF);
    out += static_cast<char>(size >> 8);
    out.append(packet.bytes, 0, size);
  }
  return out;
}

}  // namespace dstap::fuzz
