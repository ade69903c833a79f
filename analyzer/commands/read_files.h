// The files on a command line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/timeline/timeline_builder.h"
#include "proto/base/command.h"

namespace dstap::analyzer {

struct FilesRead {
  // kBadInput when a file could not be read, or is damaged.
  ExitStatus status = ExitStatus::kFine;
  size_t captures = 0;  // Files that are captures, damaged ones included.
};

// Reads one file after the other into `builder`; "-" is standard input. A file that cannot be read,
// or is damaged, costs one line of the notes ("dstap COMMAND: FILE: ..."), and the others are read.
FilesRead ReadFiles(std::string_view command, std::span<const std::string> files,
                    TimelineBuilder& builder, Streams streams);

}  // namespace dstap::analyzer
