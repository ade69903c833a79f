// What a newer dstap may have put into a message.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>

namespace dstap::capture {

// Fields of `message` that this version's schema does not have, nested ones included.
uint64_t CountUnknownFields(const google::protobuf::Message& message);

}  // namespace dstap::capture
