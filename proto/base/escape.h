// Text from outside, made safe to print.
#pragma once

#include <string>
#include <string_view>

namespace dstap {

// `bytes` on one line: valid UTF-8 that can be printed stays as it is; control characters (C1 and
// line separators included), backslashes and bytes that are not UTF-8 become \n, \\ or \xNN. So no
// key can move a terminal's cursor, and two different inputs never look the same.
std::string Escape(std::string_view bytes);

// The same for a line that is put together from text of ours and parts that may be escaped
// already: backslashes stay single.
std::string EscapeLine(std::string_view line);

}  // namespace dstap
