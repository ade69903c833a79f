// Ways to print a report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/render/document.h"

namespace dstap::analyzer {

struct RenderOptions {
  std::vector<std::string> sections = {};  // Names of AllSections(); empty: all.
  bool has_colour = false;                 // Only text has any.
  size_t columns = 100;                    // Only text is cut to a width.
};

struct RendererEntry {
  std::string_view name;  // As `--format` takes it.
  std::string (*render)(const Report& report, const RenderOptions& options);
};

// A document of any kind; `options.sections` is not looked at.
std::string TextOf(const Document& document, const RenderOptions& options);
std::string MarkdownOf(const Document& document);

std::string RenderText(const Report& report, const RenderOptions& options);
std::string RenderMarkdown(const Report& report, const RenderOptions& options);
std::string RenderJson(const Report& report, const RenderOptions& options);

std::span<const RendererEntry> AllRenderers();

}  // namespace dstap::analyzer
