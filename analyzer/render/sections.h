// What each section of a report shows, one function each.
#pragma once

#include <string>
#include <vector>

#include "analyzer/render/document.h"

namespace dstap::analyzer {

std::vector<Block> StepsBlocks(const Report& report);
std::vector<Block> RetriesBlocks(const Report& report);
std::vector<Block> ThrottlingBlocks(const Report& report);
std::vector<Block> TrafficBlocks(const Report& report);
std::vector<Block> CapturesBlocks(const Report& report);
std::vector<Block> NoticesBlocks(const Report& report);
std::vector<Block> NotRunBlocks(const Report& report);
std::vector<Block> NotSeenBlocks(const Report& report);

// "some-library 1.0.3", "another (model)".
std::string SubjectLabel(const SubjectRows& subject);
std::string SubjectLabel(const SubjectId& subject, bool is_model);

// "run.dstap", "run.dstap, recording 2". A file's first recording is only numbered when the report
// has another one of that file.
std::string CaptureLabel(const Report& report, const std::string& file, uint32_t recording);

}  // namespace dstap::analyzer
