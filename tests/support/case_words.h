// The words of a case's line, and what single ones say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"

namespace dstap::test {

// Splits at spaces; "..." stays together, without its quotes where it is a whole word, with the
// escapes \n, \\, \" and \xNN resolved. A word that begins with { runs to its closing }.
Result<std::vector<std::string>> WordsOf(std::string_view line);

// "12.305" in nanoseconds; exact.
std::optional<Time> TimeOf(std::string_view text);

// Whole, from 0.
std::optional<uint64_t> NumberOf(std::string_view text);

// "StandardRead" to REQUEST_TYPE_STANDARD_READ.
std::optional<v1::RequestType> RequestTypeOf(std::string_view name);

// Of a value that has only a name.
uint64_t HashOf(std::string_view label);

// Each `what` in `text` becomes `by`.
void Replace(std::string& text, std::string_view what, const std::string& by);

}  // namespace dstap::test
