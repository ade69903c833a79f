// Replays a fuzz target without libFuzzer: its seeds, seeded changes of them, and all files of the
// folders named. A promise that is broken ends the program.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSeed = 1;
constexpr int kChangesPerSeed = 60;
// One change on top of the other, so that inputs go far from their seed.
constexpr int kChangesInARow = 6;

std::string Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  dstap::Prng random(kSeed);
  const auto mutate = [&random](std::string& bytes) { dstap::fuzz::MutateBytes(bytes, random); };
  size_t inputs = 0;
  const std::vector<std::string> seeds = dstap::fuzz::Seeds();
  for (const std::string& seed : seeds) {
    dstap::fuzz::RunInput(seed);
    ++inputs;
    std::string changed;
    for (int i = 0; i < kChangesPerSeed; ++i, ++inputs) {
      if (i % kChangesInARow == 0) changed = seed;
      changed = dstap::fuzz::MutateInput(changed, random, mutate);
      dstap::fuzz::RunInput(changed);
    }
  }
  size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      std::printf("%s\n", entry.path().c_str());  // In front, so that the last one is to blame.
      std::fflush(stdout);
      dstap::fuzz::RunInput(Slurp(entry.path()));
      ++files;
    }
  }
  std::printf("%zu seeds, %zu inputs made of them, %zu files\n", seeds.size(),
              inputs - seeds.size(), files);
  return seeds.empty() ? 1 : 0;
}
