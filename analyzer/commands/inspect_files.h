// What `info` and `verify` share: opening captures, and going on with the next file after one that
// cannot be read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "proto/base/command.h"
#include "proto/capture/capture_reader.h"

namespace dstap::analyzer {

// A reader that skips damage. "-" is standard input.
Result<capture::CaptureReader> OpenCapture(const std::string& path);

// `path` as it is printed.
std::string ShownPath(const std::string& path);

// Calls `inspect` for each path. A Status that is not OK is printed to `notes` as `command`'s error
// about that file, and the others are inspected all the same. Returns the worst of all.
ExitStatus InspectFiles(std::string_view command, std::span<const std::string> paths,
                        Streams streams,
                        const std::function<Result<ExitStatus>(const std::string& path)>& inspect);

}  // namespace dstap::analyzer
