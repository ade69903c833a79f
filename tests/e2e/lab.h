// Runs `dstap lab` and reads what `dstap report` says of its captures.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/program.h"

namespace dstap::test {

class LabTest : public ProgramTest {
 protected:
  using Json = nlohmann::json;
  using Steps = std::map<std::string, Json>;  // By name.

  // `dstap lab MORE...` into the folder "out".
  Ran Lab(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"lab", "-o", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  }

  Json Report(const std::vector<std::string>& files) const {
    std::vector<std::string> words = {"report", "--format", "json"};
    words.insert(words.end(), files.begin(), files.end());
    const Ran ran = Run(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return Json::parse(ran.out);
  }

  // Runs `library`, which may have a path, in `scenarios`, with `more`: the report.
  Json RunAndReport(const std::string& library, const std::vector<std::string>& scenarios,
                    int samples, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--library", library, "--samples", std::to_string(samples)};
    for (const std::string& name : scenarios) words.insert(words.end(), {"--scenario", name});
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = Lab(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return Report({"out/" + library.substr(0, library.find('=')) + ".dstap"});
  }

  // Its capture keeps the contract that is shipped with the library, as far as its steps were run.
  void ExpectContractIsKept(const std::string& library,
                            const std::vector<std::string>& more = {}) const {
    const std::string folder = std::string(DSTAP_SOURCE_DIR) + "/proxy/lab/libraries/" + library;
    std::vector<std::string> words = {"check", "--contract", folder + "/contract.toml",
                                      "out/" + library + ".dstap"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = Run(words);
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  }

  static Steps StepsOf(const Json& report, size_t subject = 0) {
    Steps steps;
    for (const Json& step : report.at("subjects").at(subject).at("steps")) {
      steps[step.at("name").get<std::string>()] = step;
    }
    return steps;
  }

  // The one schedule of tries that `step` had in all its samples; null when there are several, or
  // none.
  static Json ScheduleOf(const Json& report, const std::string& step) {
    for (const Json& chain : report.at("retries")) {
      if (chain.at("step") != step) continue;
      const Json& schedules = chain.at("schedules");
      return schedules.size() == 1 ? schedules.at(0) : Json();
    }
    return {};
  }
};

// The least and the most requests of one method in a sample, as a report has it.
inline nlohmann::json Requests(const std::string& method, int min, int max) {
  return {{method, {{"min", min}, {"max", max}}}};
}
inline nlohmann::json Requests(const std::string& method, int each) {
  return Requests(method, each, each);
}

}  // namespace dstap::test
