// Columns of varints, decoded fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dstap::capture {

// How many varints end in `packed`.
size_t CountVarints(std::string_view packed);

// Decodes all of `packed`, whose last byte must end a varint, to `out`, where there must be room
// for CountVarints(packed). False when one is longer than a varint can be.
bool DecodeVarints(std::string_view packed, uint64_t* out);

}  // namespace dstap::capture
