// Captures as text and back, so that reviewers read text and tests are written in it.
#pragma once

#include <string>
#include <string_view>

#include "proto/capture/capture_reader.h"

namespace dstap::capture {

// The reader's remaining records as dstap.v1.CaptureText in protobuf's text format, with a comment
// line where each chunk begins. Left out: the descriptor set and the index, whose sizes a comment
// tells, and the End's totals are only there to be read.
//
// Errors: the reader's.
Result<std::string> ToText(CaptureReader& reader);

// The capture that `text` describes, each recording in chunks as large as they may be; closed where
// it has an `end`. FromText(ToText(c)) has the records of `c`; ToText(FromText(t)) is `t` but for
// comments, when `t` has the form that ToText gives it.
//
// Errors: kUsage with line and column.
// Limits: the whole text and the whole capture are held in memory.
Result<std::string> FromText(std::string_view text);

}  // namespace dstap::capture
