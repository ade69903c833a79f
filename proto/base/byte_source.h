// Where bytes come from, in order. An interface, so that tests use memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "proto/base/status.h"

namespace dstap {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills the front of `out`; returns how many bytes, 0 only at the end (or for an empty `out`).
  virtual Result<size_t> Read(std::span<char> out) = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<size_t> Read(std::span<char> out) override {
    const size_t n = bytes_.copy(out.data(), out.size(), at_);
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace dstap
