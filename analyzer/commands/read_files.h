// The files on a command line.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/timeline/timeline_builder.h"
#include "proto/base/exit_status.h"

namespace dstap::analyzer {

struct FilesRead {
  // kBadInput when a file could not be read, or is damaged.
  ExitStatus status = ExitStatus::kFine;
  // Files that gave at least their beginning.
  size_t readable = 0;
};

// Reads one file after the other into `builder`; "-" is standard input. A file that cannot be read,
// or is damaged, costs one line on `notes` ("dstap COMMAND: FILE: ..."), and the others are read.
FilesRead ReadFiles(std::string_view command, std::span<const std::string> files,
                    TimelineBuilder& builder, std::ostream& notes);

}  // namespace dstap::analyzer
