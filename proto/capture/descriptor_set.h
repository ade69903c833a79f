// The schema that each capture carries.
#pragma once

#include <string>

namespace dstap::capture {

// A serialized google.protobuf.FileDescriptorSet: capture.proto and all it imports, each file after
// the ones it needs, so that it loads into an empty pool.
std::string SerializedDescriptorSet();

}  // namespace dstap::capture
