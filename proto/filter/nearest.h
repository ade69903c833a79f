// What someone who mistyped a name meant.
#pragma once

#include <span>
#include <string_view>

namespace dstap::filter {

// The name of `names` that `word` is the beginning of, or has only a few other letters than; upper
// and lower case count as the same. Empty: none is near. Empty names are passed over.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> names);

}  // namespace dstap::filter
