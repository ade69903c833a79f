// Writes a target's seeds into a folder, for libFuzzer to start from.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "the folder to write into is missing\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  size_t number = 0;
  for (const std::string& seed : dstap::fuzz::Seeds()) {
    const auto path = std::filesystem::path(argv[1]) / ("seed-" + std::to_string(++number));
    std::ofstream(path, std::ios::binary) << seed;
  }
  return 0;
}
