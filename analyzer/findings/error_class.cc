#include "analyzer/findings/error_class.h"

#include <algorithm>
#include <array>

namespace dstap::analyzer {
namespace {

struct Sign {
  std::string_view text;  // In lower case.
  ErrorClass error;
};

// The first that is in the text decides.
constexpr std::array kSigns = {
    Sign{"gameserverthrottled", ErrorClass::kServerThrottled},
    Sign{"request dropped", ErrorClass::kServerThrottled},
    Sign{"request queue was full", ErrorClass::kServerThrottled},
    Sign{"experiencethrottled", ErrorClass::kExperienceThrottled},
    Sign{"allowed maximum for the experience", ErrorClass::kExperienceThrottled},
    Sign{"toomanyrequests", ErrorClass::kExperienceThrottled},
    Sign{"http 429", ErrorClass::kExperienceThrottled},
    Sign{"keythrottled", ErrorClass::kKeyThrottled},
    Sign{"datastorethrottled", ErrorClass::kKeyThrottled},
    Sign{"allowed maximum for the key", ErrorClass::kKeyThrottled},
    Sign{"allowed maximum for the datastore", ErrorClass::kKeyThrottled},
    Sign{"studioaccess", ErrorClass::kAccess},
    Sign{"from studio", ErrorClass::kAccess},
    Sign{"must publish", ErrorClass::kAccess},
    Sign{"http 403", ErrorClass::kAccess},
    Sign{"personal rcc", ErrorClass::kAccess},
    Sign{"shutting down", ErrorClass::kShuttingDown},
    Sign{"not allowed in data store", ErrorClass::kValue},
    Sign{"in datastore", ErrorClass::kValue},
    Sign{"in data store", ErrorClass::kValue},
    Sign{"cannot convert", ErrorClass::kValue},
    Sign{"serialized value", ErrorClass::kValue},
    Sign{"not numeric", ErrorClass::kValue},
    Sign{"userid", ErrorClass::kValue},
    Sign{"attribute", ErrorClass::kValue},
    Sign{"http 400", ErrorClass::kValue},
    Sign{"can't be empty", ErrorClass::kArgument},
    Sign{"character limit", ErrorClass::kArgument},
    Sign{"must be an integer", ErrorClass::kArgument},
    Sign{"unable to cast", ErrorClass::kArgument},
    Sign{"missing or nil", ErrorClass::kArgument},
    Sign{"pagesize", ErrorClass::kArgument},
    Sign{"not valid", ErrorClass::kArgument},
    Sign{"http 5", ErrorClass::kService},
    Sign{"internal", ErrorClass::kService},
    Sign{"timeout", ErrorClass::kService},
    Sign{"timed out", ErrorClass::kService},
    Sign{"connectfail", ErrorClass::kService},
    Sign{"unavailable", ErrorClass::kService},
    Sign{"parse response", ErrorClass::kService},
    Sign{"formatted correctly", ErrorClass::kService},
    Sign{"error code: 8 ", ErrorClass::kKeyThrottled},
    Sign{"throttled", ErrorClass::kServerThrottled},
};

bool Contains(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

}  // namespace

std::string_view NameOf(ErrorClass error) {
  switch (error) {
    case ErrorClass::kNone:
      return "none";
    case ErrorClass::kServerThrottled:
      return "server throttled";
    case ErrorClass::kExperienceThrottled:
      return "experience throttled";
    case ErrorClass::kKeyThrottled:
      return "key throttled";
    case ErrorClass::kAccess:
      return "no access";
    case ErrorClass::kValue:
      return "value refused";
    case ErrorClass::kArgument:
      return "argument refused";
    case ErrorClass::kShuttingDown:
      return "shutting down";
    case ErrorClass::kService:
      return "service failure";
    case ErrorClass::kOther:
      return "other";
  }
  return "other";
}

ErrorClass ClassOf(const Call& call) {
  switch (call.outcome) {
    case Outcome::kOk:
    case Outcome::kCancelled:
    case Outcome::kInFlight:
      return ErrorClass::kNone;
    default:
      break;
  }
  for (const std::string_view text : {call.error_name, call.error_text}) {
    if (text.empty()) continue;
    for (const Sign& sign : kSigns) {
      if (Contains(text, sign.text)) return sign.error;
    }
  }
  if (call.outcome == Outcome::kDropped) return ErrorClass::kServerThrottled;
  if (call.outcome == Outcome::kRejected) return ErrorClass::kArgument;
  return call.outcome == Outcome::kUnknown && call.error_text.empty() ? ErrorClass::kNone
                                                                      : ErrorClass::kOther;
}

std::string ShapeOf(const Call& call) {
  if (!call.error_name.empty()) return std::string(call.error_name);
  const std::string_view text = call.error_text;
  const size_t end = text.find(':');
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (end != std::string_view::npos && end > 0 && end <= 60 &&
      std::ranges::all_of(text.substr(0, end), is_word)) {
    return std::string(text.substr(0, end));
  }
  if (call.error_code != 0) return std::to_string(call.error_code);
  return "words";
}

}  // namespace dstap::analyzer
