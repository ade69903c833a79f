// What a call tries: calls with one identity are tries of one thing.
#pragma once

#include <string>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// Whether the method is about one value. Queues and messages are not: each of their calls is
// another thing.
bool IsTriedAgain(Method method);

// The method that stands for all that try the same: UpdateAsync for GetAsync.
Method TriedAs(Method method);

// Replaces `out` by bytes that two calls share if and only if they try the same. GetAsync (past the
// cache or not) and UpdateAsync do: each reads the key.
void IdentityOf(const Call& call, std::string& out);

}  // namespace dstap::analyzer
