#include "proxy/backend/faults/service_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

// What is meant by a name or a number that several have.
constexpr ErrorId kMeant[] = {ErrorId::kInternal, ErrorId::kRejected, ErrorId::kResponseCorrupted};

// What stands for {} in the text.
std::string_view DetailOf(ErrorId id) {
  if (id == ErrorId::kRejected) return "HTTP 500 (Internal Server Error)";
  return "Dictionary";  // A kind of value that is refused under all rules.
}

// Throttle errors are made of a request type's name.
constexpr v1::RequestType kThrottledTypes[] = {
    v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE,
    v1::REQUEST_TYPE_STANDARD_LIST, v1::REQUEST_TYPE_STANDARD_REMOVE,
    v1::REQUEST_TYPE_ORDERED_READ,  v1::REQUEST_TYPE_ORDERED_WRITE,
    v1::REQUEST_TYPE_ORDERED_LIST,  v1::REQUEST_TYPE_ORDERED_REMOVE,
};

std::vector<CallError> AllErrors() {
  std::vector<CallError> errors;
  for (const ErrorId id : kMeant) errors.push_back(MakeError(id, DetailOf(id)));
  for (const ErrorRow& row : ErrorTable()) {
    if (row.code != 0 || !row.name.empty()) errors.push_back(MakeError(row.id, DetailOf(row.id)));
  }
  for (const v1::RequestType type : kThrottledTypes) {
    errors.push_back(DroppedError(v1::METHOD_UNKNOWN, type, false));
    errors.push_back(ExperienceError(type));
  }
  return errors;
}

}  // namespace

std::optional<CallError> FindServiceError(std::string_view name) {
  uint32_t code = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data(), end, code);
  const bool is_code = problem == std::errc() && stop == end && code != 0;
  for (CallError& error : AllErrors()) {
    if (is_code ? error.code == code : error.name == name && !name.empty()) return std::move(error);
  }
  return std::nullopt;
}

CallError DefaultWriteError() { return *FindServiceError("InternalServerError"); }

std::vector<std::string> ServiceErrorNames() {
  std::vector<std::string> names;
  for (CallError& error : AllErrors()) {
    if (!error.name.empty() && std::ranges::find(names, error.name) == names.end()) {
      names.push_back(std::move(error.name));
    }
  }
  return names;
}

}  // namespace dstap::proxy
