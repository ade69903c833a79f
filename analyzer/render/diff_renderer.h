// Ways to print a comparison.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/diff/diff.h"
#include "analyzer/render/renderer.h"

namespace dstap::analyzer {

struct DiffRendererEntry {
  std::string_view name;  // As `--format` takes it.
  std::string (*render)(const Diff& diff, const RenderOptions& options);
};

// What text and Markdown have in common.
Document DocumentOf(const Diff& diff);

// docs/diff-json.md describes it.
std::string RenderDiffJson(const Diff& diff);

std::span<const DiffRendererEntry> AllDiffRenderers();

}  // namespace dstap::analyzer
