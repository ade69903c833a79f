#include "proxy/backend/faults/service_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

struct Row {
  uint32_t code;
  std::string_view name;
  std::string_view text;
  char mark;  // Evidence for the text, as in docs/simulator.md.
};

// What goes wrong inside the service or around it. No rule of the simulator leads to these, so they
// are only ever made on purpose. The first of a name or a number is the one that is meant by it.
constexpr Row kRows[] = {
    {0, "InternalServerError", "InternalServerError: An internal server error occurred.", 'D'},
    {502, "RequestRejected",
     "502: API Services rejected request with error. HTTP 500 (Internal Server Error)", 'O'},
    {501, "InternalError", "501: Can't parse response because data might be corrupted.", 'D'},
    {404, "InternalError", "404: OrderedDataStore doesn't exist.", 'D'},
    {503, "InternalError", "503: Data store request was successful but key wasn't found.", 'D'},
    {504, "InternalError",
     "504: Data store request was successful but the response wasn't formatted correctly.", 'D'},
    {505, "InternalError",
     "505: OrderedDataStore request was successful but the response wasn't formatted correctly.",
     'D'},
    {401, "DataModelNoAccess",
     "401: Request failed. DataModel is inaccessible while the experience is shutting down.", 'D'},
    {402, "LuaWebSrvsNoAccess",
     "402: Request failed. LuaWebService is inaccessible while the experience is shutting down.",
     'D'},
    {403, "StudioAccessToApisNotAllowed",
     "403: Cannot write to DataStore from studio if API access is not enabled.", 'O'},
    {509, "OperationNotAllowed",
     "509: Data Store operations blocked while running on a Personal RCC to prevent possible data "
     "corruption",
     'O'},
    {0, "DatastoreThrottled",
     "DatastoreThrottled: The request rate exceeds the allowed maximum for the datastore.", 'D'},
    {0, "DatastoreDeleted", "DatastoreDeleted: The data store is deleted.", 'D'},
    {0, "KeyNotFound", "KeyNotFound: The requested key doesn't exist.", 'D'},
    {0, "InvalidPlace", "InvalidPlace: The provided place is invalid.", 'D'},
    {0, "InvalidUniverse", "InvalidUniverse: The provided universe is invalid.", 'D'},
    {0, "InvalidUserIds", "InvalidUserIds: The provided user IDs have an invalid format.", 'D'},
};

// Throttle errors are made of a request type's name.
constexpr v1::RequestType kThrottledTypes[] = {
    v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE,
    v1::REQUEST_TYPE_STANDARD_LIST, v1::REQUEST_TYPE_STANDARD_REMOVE,
    v1::REQUEST_TYPE_ORDERED_READ,  v1::REQUEST_TYPE_ORDERED_WRITE,
    v1::REQUEST_TYPE_ORDERED_LIST,  v1::REQUEST_TYPE_ORDERED_REMOVE,
};

std::vector<CallError> AllErrors() {
  std::vector<CallError> errors;
  for (const Row& row : kRows) {
    errors.push_back({row.code, std::string(row.name), std::string(row.text)});
  }
  for (const ErrorRow& row : ErrorTable()) {
    // A kind of value that is refused under all rules stands in for {}.
    if (row.code != 0 || !row.name.empty()) errors.push_back(MakeError(row.id, "Dictionary"));
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

CallError ErrorOfText(std::string_view text) {
  CallError error{0, "", std::string(text)};
  const std::string_view head = text.substr(0, text.find(": "));
  if (head.empty() || head.size() == text.size()) return error;
  const auto is = [&](auto what) {
    return std::ranges::all_of(head,
                               [&](char c) { return what(static_cast<unsigned char>(c)) != 0; });
  };
  if (is([](int c) { return std::isdigit(c); })) {
    std::from_chars(head.data(), head.data() + head.size(), error.code);
  } else if (is([](int c) { return std::isalnum(c); })) {
    error.name = head;
  }
  return error;
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
