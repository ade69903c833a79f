// A value's fingerprint, so that a write of what was there already is seen without keeping values.
#pragma once

#include <cstdint>
#include <string_view>

namespace dstap::proxy {

// XXH3 of the JSON text with sorted keys and without white space: tables have no order in Luau, and
// the same table can be written in two ways. Text that is not JSON, or nested deeper than 256, is
// hashed as it stands. Never 0.
uint64_t HashOfValue(std::string_view json);

}  // namespace dstap::proxy
