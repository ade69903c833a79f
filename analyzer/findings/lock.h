// Session locks that are kept in the value itself.
#pragma once

#include <string>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

struct LockSeen {
  bool is_known = false;  // The value has a form in which we can tell.
  bool is_held = false;
  std::string owner;  // As the value has it.
};

// Looks for the fields that published locks use: MetaData.ActiveSession, lockId, isLocked with
// sessionLockId. Needs a capture with values.
//
// Limits: does not look into values of more than 1 MiB.
LockSeen LockOf(const std::optional<ValueInfo>& value);

// Fields of stored values that hold a lock, for a person.
inline constexpr std::string_view kLockFields =
    "MetaData.ActiveSession, lockId, isLocked with sessionLockId";

}  // namespace dstap::analyzer
