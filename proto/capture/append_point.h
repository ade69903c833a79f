// Where another recording can be written behind those of a capture.
#pragma once

#include <cstdint>
#include <memory>

#include "proto/base/byte_source.h"
#include "proto/base/status.h"

namespace dstap::capture {

// Bytes of the capture without a torn last chunk, which is to be cut off: none of its calls was
// answered. 0 for an empty file.
//
// Errors: kDamaged when it is no capture or a damaged one, with the remedy; kRead.
Result<uint64_t> AppendPoint(std::unique_ptr<ByteSource> source);

}  // namespace dstap::capture
