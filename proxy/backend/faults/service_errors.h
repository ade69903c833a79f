// Errors of the service by name, for rules that ask for one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/backend/backend.h"

namespace dstap::proxy {

// By its name ("InternalServerError") or number ("502"); nothing when there is none. Of several
// with one name or number one is meant by it.
std::optional<CallError> FindServiceError(std::string_view name);

// What an ambiguous write is reported with unless its rule says otherwise.
CallError DefaultWriteError();

// Every name once, in the order of the tables, for the page that lists them.
std::vector<std::string> ServiceErrorNames();

}  // namespace dstap::proxy
