#include <array>

#include "analyzer/render/renderer.h"

namespace dstap::analyzer {

std::span<const RendererEntry> AllRenderers() {
  static constexpr std::array kRenderers = {
      RendererEntry{"text", &RenderText},
      RendererEntry{"markdown", &RenderMarkdown},
      RendererEntry{"json", &RenderJson},
  };
  return kRenderers;
}

}  // namespace dstap::analyzer
