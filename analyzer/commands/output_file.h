// Results that a command writes into a file.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "proto/base/status.h"

namespace dstap::analyzer {

// Puts `bytes` at `path`, all or nothing: they are written to "PATH.part" first, which then takes
// the name. A symbolic link stays one, and its target is replaced.
//
// Errors: kWrite with the path and the system's words. An earlier file at `path` is still whole.
Status WriteWhole(const std::string& path, std::string_view bytes);

// Whether `out` is a terminal whose owner does not mind colour (NO_COLOR).
bool WantsColour(const std::ostream& out);

// Whether both name one file that exists.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace dstap::analyzer
