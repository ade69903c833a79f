// What an error means, whatever number stands in front of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

enum class ErrorClass : uint8_t {
  kNone,
  kServerThrottled,      // The server's budget and queue were full.
  kExperienceThrottled,  // The whole experience's limit, or "too many requests".
  kKeyThrottled,         // One key, or the partition of one store.
  kAccess,               // Not allowed: Studio without API access, not published.
  kValue,                // The value, or what goes with it, cannot be stored.
  kArgument,             // A key, name or option that cannot be.
  kShuttingDown,
  kService,  // It failed over there, or no answer came: what became of a write is not known.
  kOther,
};

std::string_view NameOf(ErrorClass error);

// By the text and the inner code. The number in front is not looked at: 502 alone stands for at
// least three of these.
ErrorClass ClassOf(const Call& call);

constexpr bool IsThrottled(ErrorClass error) {
  return error == ErrorClass::kServerThrottled || error == ErrorClass::kExperienceThrottled ||
         error == ErrorClass::kKeyThrottled;
}

// Such a request was refused on the server itself.
constexpr bool NeverLeft(ErrorClass error) {
  return error == ErrorClass::kServerThrottled || error == ErrorClass::kAccess ||
         error == ErrorClass::kValue || error == ErrorClass::kArgument ||
         error == ErrorClass::kShuttingDown;
}

// Whether a write that ended so may have been stored all the same.
constexpr bool LeavesOpen(ErrorClass error) {
  return error == ErrorClass::kService || error == ErrorClass::kOther;
}

// How an error was said, without what differs from call to call: its name, its number, or "words".
std::string ShapeOf(const Call& call);

}  // namespace dstap::analyzer
