// What is said once of a recording that was made from several.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/rewrite/merge_survey.h"

namespace dstap::analyzer {

// What all headers agree on. Texts that differ are joined by commas, "live" standing for an empty
// rule profile; a seed that differs is left out, and so is an option that not all have.
v1::Header MergedHeader(const std::vector<MergeRecording>& recordings, int64_t start_unix_ns);

// Reason and text: that of all; else the first that is not CLOSED, and whose it is.
v1::End MergedEnd(const std::vector<MergeRecording>& recordings);

}  // namespace dstap::analyzer
