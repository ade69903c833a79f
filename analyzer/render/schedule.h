// A chain of tries in words.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/views/retries.h"

namespace dstap::analyzer {

// "succeeded", "gave up", "no answer", "step not ended".
std::string_view NameOf(ChainEnd end);

bool IsOneMethod(const RetryChain& chain);

// "UpdateAsync", "UpdateAsync, GetAsync past the cache".
std::string FormatMethods(const RetryChain& chain);

// "2 tries at 0, 5.25 s: cancelled, ok". Of many tries the first three and the last are shown, and
// outcomes that follow each other are counted: "61 tries at 0, 0.017, 0.033, ..., 1 s: 60 dropped,
// ok". What the server's own copy answered says so, and each try names its method when they differ.
std::string FormatSchedule(const RetryChain& chain);

// Who answered: "backend", "2 backend, 2 local copy"; empty: nobody.
std::string FormatAnsweredBy(const RetryChain& chain);

}  // namespace dstap::analyzer
