// What a script sees. `diff`, `audit`, `check` and `verify` follow diff(1): 1 is an answer.
#pragma once

#include "proto/base/status.h"

namespace dstap {

enum class ExitStatus : int {
  kFine = 0,
  kCheckFailed = 1,  // Done; there are differences, findings or broken promises.
  kUsage = 2,        // Wrong flags or arguments.
  kBadInput = 3,     // A capture could not be read, or is damaged.
  kNoOutput = 4,     // The result could not be written, or records were lost.
};

// A switch without default: a new error code does not compile until someone has decided what a
// script should see.
constexpr ExitStatus ExitStatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return ExitStatus::kFine;
    case ErrorCode::kUsage:
      return ExitStatus::kUsage;
    case ErrorCode::kNotFound:
    case ErrorCode::kDamaged:
    case ErrorCode::kUnsupported:
    case ErrorCode::kLimit:
    case ErrorCode::kRead:
      return ExitStatus::kBadInput;
    case ErrorCode::kWrite:
      return ExitStatus::kNoOutput;
    case ErrorCode::kRun:
      return ExitStatus::kCheckFailed;
  }
  return ExitStatus::kBadInput;
}

}  // namespace dstap
