// Assertions for our own bugs, on in every build. Input from outside never reaches one.
#pragma once

namespace dstap {

// Prints the place and the condition, and ends the program.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace dstap

#define DSTAP_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::dstap::CheckFailed(__FILE__, __LINE__, #condition))
