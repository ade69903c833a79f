// A file, from its bytes to the timeline.
#pragma once

#include <memory>
#include <string>

#include "analyzer/timeline/timeline_builder.h"
#include "proto/base/byte_source.h"
#include "proto/base/status.h"

namespace dstap::analyzer {

// Reads the whole of a capture into `builder` as the file `name`. A damaged one is read as far as
// its parts can be trusted; the builder's visitors are told about all of it, also when there is
// nothing to read.
//
// Errors: one line that names the file: what `source` says, why it is no capture, or where it is
//         damaged. What could be read has been read all the same.
Status ReadCapture(const std::string& name, Result<std::unique_ptr<ByteSource>> source,
                   TimelineBuilder& builder);

}  // namespace dstap::analyzer
