#include "proto/capture/not_a_capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/base/escape.h"

namespace dstap::capture {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view begins;
  std::string_view what;
};

constexpr Signature kSignatures[] = {
    {"PK\x03\x04"sv, "it is a zip archive; unpack it and name the .dstap file in it"},
    {"\x1F\x8B"sv, "it is compressed by gzip; unpack it with gunzip"},
    {"\x28\xB5\x2F\xFD"sv, "it is compressed by zstd; unpack it with unzstd"},
    {"\x8A"
     "dstap"sv,
     "its first byte is missing"},
    {"\x09\x0A"
     "dstap"sv,
     "it went through a 7-bit transfer; fetch it again as binary"},
    {"\x09\x8A"
     "dstap\n"sv,
     "its line ends were converted; fetch it again as binary"},
    {"\x09\x8A"
     "dstap\r\r\n"sv,
     "its line ends were converted; fetch it again as binary"},
    {"\x09\xEF\xBF\xBD"
     "dstap"sv,
     "it was converted as text; fetch it again as binary"},
};

}  // namespace

std::string WhyNotACapture(std::string_view bytes) {
  if (bytes.empty()) return "is not a dstap capture: it is empty";
  for (const Signature& signature : kSignatures) {
    if (bytes.starts_with(signature.begins)) {
      return fmt::format("is not a dstap capture: {}", signature.what);
    }
  }
  return fmt::format("is not a dstap capture: it begins with \"{}\"", Escape(bytes.substr(0, 16)));
}

}  // namespace dstap::capture
