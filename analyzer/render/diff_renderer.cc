#include "analyzer/render/diff_renderer.h"

#include <array>

namespace dstap::analyzer {
namespace {

std::string Text(const Diff& diff, const RenderOptions& options) {
  return TextOf(DocumentOf(diff), options);
}

std::string Markdown(const Diff& diff, const RenderOptions& /*options*/) {
  return MarkdownOf(DocumentOf(diff));
}

std::string Json(const Diff& diff, const RenderOptions& /*options*/) {
  return RenderDiffJson(diff);
}

}  // namespace

std::span<const DiffRendererEntry> AllDiffRenderers() {
  static constexpr std::array kRenderers = {
      DiffRendererEntry{"text", &Text},
      DiffRendererEntry{"markdown", &Markdown},
      DiffRendererEntry{"json", &Json},
  };
  return kRenderers;
}

}  // namespace dstap::analyzer
