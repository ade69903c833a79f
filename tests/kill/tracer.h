// Follows the system calls of one process, and kills it at one of them.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/kill/kill.h"

namespace dstap::test {

struct TraceEnd {
  std::string error;        // Why it could not be followed.
  bool was_killed = false;  // False: it ended by itself.
};

// In the child, in front of exec: its parent will call Trace(). False with errno.
bool AskToBeTraced();

// Follows `pid`, a child that has asked for it, and its threads to its end.
TraceEnd Trace(pid_t pid, const KillPlan& plan);

// What a process says on its way out when AskToBeTraced() has failed.
inline constexpr int kNotTraceable = 125;

}  // namespace dstap::test
