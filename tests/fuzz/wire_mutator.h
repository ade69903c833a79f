// Changes that know what a protobuf message looks like, so that what they touch still parses.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "proto/base/prng.h"

namespace dstap::fuzz {

// Changes bytes of which nothing is known: libFuzzer's own mutations, or a small stand-in.
using ByteMutator = std::function<void(std::string& bytes)>;

// A stand-in for libFuzzer's: flips, inserts, removes, repeats.
void MutateBytes(std::string& bytes, Prng& random);

// `message` with one field changed, removed, repeated or moved, at any depth, and the lengths
// around it put right. Bytes that are no message are given to `mutate`, and so is a field's text.
std::string MutateMessage(std::string_view message, Prng& random, const ByteMutator& mutate);

}  // namespace dstap::fuzz
