// Which steps are a server's shutdown.
#pragma once

#include <string_view>

#include "proto/base/clock.h"

namespace dstap::analyzer {

// What functions bound to the close of a server may take, all together.
inline constexpr Time kShutdownMax = std::chrono::seconds(30);

inline bool IsShutdown(std::string_view step) {
  return step.starts_with("shutdown") || step.starts_with("bind-to-close");
}

}  // namespace dstap::analyzer
