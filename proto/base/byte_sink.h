// Where bytes go. An interface, so that tests use memory and failing disks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proto/base/status.h"

namespace dstap {

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  // Appends all of `bytes` with one write. On an error some of them may have been written; size()
  // then tells how many bytes the sink holds.
  virtual Status Append(std::string_view bytes) = 0;
  // Cuts back to `size` bytes.
  virtual Status Truncate(uint64_t size) = 0;
  // Asks the disk to keep what was written.
  virtual Status Sync() = 0;
  virtual uint64_t size() const = 0;
};

class MemorySink final : public ByteSink {
 public:
  Status Append(std::string_view bytes) override {
    bytes_.append(bytes);
    return {};
  }
  Status Truncate(uint64_t size) override {
    bytes_.resize(size);
    return {};
  }
  Status Sync() override { return {}; }
  uint64_t size() const override { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace dstap
