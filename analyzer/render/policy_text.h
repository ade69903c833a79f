// An inferred retry policy in words.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/retry_policy/policy.h"

namespace dstap::analyzer {

// "irregular", "immediate", "each-frame", "fixed", ...
std::string_view NameOf(PolicyKind kind);
// "none", "full", ...
std::string_view NameOf(Jitter jitter);
// "answer", "start".
std::string_view NameOf(WaitFrom from);
// "low", "fair", "high".
std::string_view NameOf(FitConfidence confidence);

// "exponential 1 s x 2, at most 20 s, after the answer"; of several parts "fixed 5 s, from gap 2 on
// fixed 10 s after the answer".
std::string FormatPolicy(const Policy& policy);
std::string FormatLaw(const Law& law);

// "10 gaps, off by 0.1 % (at most 0.2 %); confidence high".
std::string FormatFit(const Policy& policy);

}  // namespace dstap::analyzer
