// A source over bytes that stay where they are: a benchmark is not to pay for a copy of its input.
#pragma once

#include <string_view>

#include "proto/base/byte_source.h"

namespace dstap::bench {

class MemoryViewSource final : public ByteSource {
 public:
  explicit MemoryViewSource(std::string_view bytes) : bytes_(bytes) {}
  Result<size_t> Read(std::span<char> out) override {
    const size_t n = bytes_.copy(out.data(), out.size());
    bytes_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view bytes_;
};

}  // namespace dstap::bench
