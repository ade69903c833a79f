// What a call is as one line of JSON: what one would write without a format of one's own, and what
// the benchmarks are measured against.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "proto/capture/records.h"

namespace dstap::bench {

// All of the call that is not at its default, in an order of its own, with a newline.
std::string JsonLineOf(const capture::CallRecord& call, std::string_view step = {});

// A call out of a line, and what its views refer to.
class JsonCall {
 public:
  explicit JsonCall(std::string_view line);
  const capture::CallRecord& call() const { return call_; }

 private:
  std::string_view Text(const char* name) const;
  template <typename T>
  T Number(const char* name) const;

  nlohmann::json json_;
  std::vector<capture::TransformRun> runs_;
  v1::ListArguments list_;
  capture::CallRecord call_;
};

// Calls `each(line)` for each line of `text`.
template <typename F>
void ForEachLine(std::string_view text, F each) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    each(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace dstap::bench
