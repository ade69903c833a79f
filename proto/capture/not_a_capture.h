// What a file is that is not a capture, in words for a person.
#pragma once

#include <string>
#include <string_view>

namespace dstap::capture {

// How much of a file's beginning is looked at.
inline constexpr size_t kSniffBytes = 32;

// "is not a dstap capture: ..." for a file that begins with `bytes`.
std::string WhyNotACapture(std::string_view bytes);

}  // namespace dstap::capture
