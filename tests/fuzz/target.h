// What a fuzz target consists of. Each is built twice: with clang as a libFuzzer program, and with
// the project's compiler as a test that replays its seeds and findings (replay_main.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/base/prng.h"
#include "tests/fuzz/wire_mutator.h"

namespace dstap::fuzz {

// Handles one input, whatever its bytes are. Ends the program when a promise is broken.
void RunInput(std::string_view input);

// `input` with one thing changed, in a way that knows how this target's inputs are built.
std::string MutateInput(std::string_view input, Prng& random, const ByteMutator& mutate);

// What fuzzing starts from.
std::vector<std::string> Seeds();

}  // namespace dstap::fuzz
