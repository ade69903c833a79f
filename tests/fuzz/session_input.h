// How the session target's inputs become connections and what comes over them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/clock.h"

namespace dstap::fuzz {

struct Packet {
  uint8_t connection = 0;
  bool leaves = false;  // Behind it.
  Time pause{};         // In front of it, on the wall clock.
  std::string bytes;
};

struct SessionInput {
  bool wall = false;
  bool faults = false;
  bool values = false;
  bool splits = false;
  uint8_t profile = 0;  // One of four.
  uint8_t split_seed = 0;
  std::vector<Packet> packets;
};

// Two bytes of options; then packets: a byte about it, its size in two bytes, its bytes.
SessionInput SessionInputOf(std::string_view bytes);
std::string BytesOf(const SessionInput& input);

}  // namespace dstap::fuzz
