// What a user asks to go wrong: which calls a rule is about, and what it does to them. Words and
// effects are in docs/faults.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"
#include "proxy/backend/backend.h"

namespace dstap::proxy {

// Times in rules end where a client in JavaScript can still count nanoseconds: 104 days.
inline constexpr Time kFaultTimeMax{int64_t{1} << 53};
inline constexpr size_t kFaultRulesMax = 1000;

struct FaultRule {
  static constexpr uint64_t kEvery = std::numeric_limits<uint64_t>::max();

  std::string text;   // All of it, as the user wrote it; stands in the capture.
  std::string where;  // "--fault \"...\"" or "plan.toml:3", for messages.

  // Which calls. What is absent selects everything.
  std::vector<v1::Method> methods;    // Any of them.
  std::optional<std::string> step;    // Patterns with * and ?.
  std::optional<std::string> store;   // By name; the scope does not count.
  std::optional<std::string> key;     // As the script passed it.
  std::optional<std::string> server;  // The source's name.
  Time from{0};                       // Issued in [from, until).
  Time until = Time::max();
  // Of the calls that all of the above selects, counted from 1 in the recording.
  uint64_t first_call = 1;
  uint64_t last_call = kEvery;
  double probability = 1;
  uint64_t count = kEvery;  // So many of those, then none.

  // What happens to them.
  v1::FaultKind kind = v1::FAULT_KIND_UNKNOWN;
  Time delay{0};         // Of a queue or a latency. Of a crash: the instant.
  CallError error;       // Of an error, and what an ambiguous write is reported with.
  bool answered = true;  // An ambiguous write: with `error`; false: never.
};

using FaultPlan = std::vector<FaultRule>;

// "Player_*": * stands for any bytes, ? for one. Takes at most pattern times text steps.
bool MatchesPattern(std::string_view pattern, std::string_view text);

// Rules one by one make sense; these make no sense together: one whose every call an earlier rule
// takes (the first rule that wants a call has it), or more than kFaultRulesMax.
Status CheckTogether(const FaultPlan& plan);

}  // namespace dstap::proxy
