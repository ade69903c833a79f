// The side of a target that libFuzzer calls.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dstap::fuzz::RunInput({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Every fourth change is libFuzzer's own, of the whole input.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  dstap::Prng random(seed);
  if (random.Below(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const auto mutate = [max_size](std::string& bytes) {
    const size_t before = bytes.size();
    bytes.resize(std::clamp(before * 2 + 64, before, std::max(before, max_size)));
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), before, bytes.size()));
  };
  std::string out =
      dstap::fuzz::MutateInput({reinterpret_cast<const char*>(data), size}, random, mutate);
  out.resize(std::min(out.size(), max_size));
  std::memcpy(data, out.data(), out.size());
  return out.size();
}
