// Flags that `record` and `lab` share.
#pragma once

#include <CLI/App.hpp>

#include "proxy/server/recording.h"

namespace dstap::proxy {

// --seed, --rules, --latency, --rule, --fault, --fault-plan, --values. `options` must outlive the
// parsing.
void AddRecordingFlags(CLI::App& app, RecordingOptions& options);

}  // namespace dstap::proxy
