#include "proxy/session/value_hash.h"

#include <xxhash.h>

#include <nlohmann/json.hpp>
#include <string>

#include "proxy/session/canonical_json.h"

namespace dstap::proxy {
namespace {

bool NestedTooDeep(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      // The JSON writer recurses: deeper text could end the process.
      if (++depth > CanonicalJson::kDepthMax) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

uint64_t Hash(std::string_view bytes) {
  const uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  return hash == 0 ? 1 : hash;
}

// For the rare text that CanonicalJson leaves alone.
uint64_t HashByTree(std::string_view json) {
  if (NestedTooDeep(json)) return Hash(json);
  // The parser takes a NUL for the end: what stands behind it would not count.
  if (json.find('\0') != std::string_view::npos) return Hash(json);
  const auto parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Hash(json);
  return Hash(parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

uint64_t HashOfValue(std::string_view json) {
  // Scalars and empty tables have one form already.
  if (json.size() < 3) return Hash(json);
  // Kept warm, so that a call costs no allocation.
  static thread_local CanonicalJson canonical;
  const auto text = canonical.Of(json);
  return text ? Hash(*text) : HashByTree(json);
}

}  // namespace dstap::proxy
