// One writer a file.
#pragma once

#include <string>

#include "proto/base/status.h"

namespace dstap {

// Takes the lock that every writer of a capture holds, until `fd` is closed. `shown` is the file's
// name as the user knows it.
//
// Errors: kWrite when another process has it, with that process's id where the system tells it.
Status LockForWriting(int fd, const std::string& shown);

}  // namespace dstap
