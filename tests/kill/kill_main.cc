// dstap_kill KILLS [SEED]: kills a recorder so many times, and says what was left.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "tests/kill/kill.h"

int main(int argc, char** argv) {
  using dstap::test::KillPlan;
  const uint64_t kills = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string folder =
      std::filesystem::temp_directory_path() / ("dstap-kill-" + std::to_string(::getpid()));
  dstap::test::Killer killer(DSTAP_PROGRAM, DSTAP_TEST_CLIENT, folder);
  std::map<std::string, uint64_t> verdicts;
  uint64_t answered = 0;
  uint64_t torn = 0;
  uint64_t idle = 0;
  for (uint64_t n = 0; n < kills; ++n) {
    const KillPlan plan = dstap::test::PlanOf(seed, n);
    const dstap::test::KillResult result = killer.Run(plan);
    if (!result.broken.empty()) {
      std::printf("kill %llu of seed %llu: %s\nits files are in %s\n",
                  static_cast<unsigned long long>(n), static_cast<unsigned long long>(seed),
                  result.broken.c_str(), folder.c_str());
      return 1;
    }
    const std::string& said = result.verdict;
    const size_t word = said.rfind(": ", said.find(','));
    ++verdicts[word == std::string::npos ? said : said.substr(word + 2, said.find(',') - word - 2)];
    answered += result.answered;
    torn += result.torn_bytes > 0 ? 1 : 0;
    idle += result.idle_was_due ? 1 : 0;
    if ((n + 1) % 50 == 0) {
      std::printf("%llu kills\n", static_cast<unsigned long long>(n + 1));
      std::fflush(stdout);
    }
  }
  std::printf(
      "%llu kills: %llu answered calls are all there; %llu torn tails; an open call was due "
      "%llu times and there\n",
      static_cast<unsigned long long>(kills), static_cast<unsigned long long>(answered),
      static_cast<unsigned long long>(torn), static_cast<unsigned long long>(idle));
  for (const auto& [verdict, count] : verdicts) {
    std::printf("%6llu %s\n", static_cast<unsigned long long>(count), verdict.c_str());
  }
  return 0;
}
