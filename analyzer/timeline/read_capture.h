// A file, from its bytes to the timeline.
#pragma once

#include <memory>
#include <string>

#include "analyzer/timeline/timeline_builder.h"
#include "proto/base/byte_source.h"
#include "proto/base/status.h"
#include "proto/capture/read_ahead.h"

namespace dstap::analyzer {

struct CaptureRead {
  // One line that names the file: what its source says, why it is no capture, or where it is
  // damaged.
  Status status;
  // It began as a capture does. With a status that is not OK, a part of it has been read.
  bool is_capture = false;
};

// Reads the whole of a capture into `builder` as the file `name`. A damaged one is read as far as
// its parts can be trusted; the builder's visitors are told about the file in any case, all on this
// thread.
CaptureRead ReadCapture(const std::string& name, Result<std::unique_ptr<ByteSource>> source,
                        TimelineBuilder& builder,
                        capture::ReadOn read_on = capture::ReadOn::kThisThread);

}  // namespace dstap::analyzer
