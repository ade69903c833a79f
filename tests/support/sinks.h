// Sinks and sources for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "proto/base/byte_sink.h"
#include "proto/base/byte_source.h"

namespace dstap::test {

// Keeps its bytes in a string of the test's, which must outlive it.
class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& bytes) : bytes_(bytes) {}
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

 private:
  std::string& bytes_;
};

// Which operations of a sink fail. Operations are Append, Truncate and Sync, counted from 0.
struct FailPlan {
  int first = 0;
  int count = 1;  // That many in a row.
  // A failing Append still writes this part of its bytes, as a full disk does.
  double part_written = 0.5;
};

// A StringSink whose n-th operation fails: walk n until nothing fails any more.
class FailAtSink final : public ByteSink {
 public:
  FailAtSink(std::string& bytes, FailPlan plan) : bytes_(bytes), plan_(plan) {}

  Status Append(std::string_view bytes) override {
    if (!Fails()) {
      bytes_.append(bytes);
      return {};
    }
    const auto part = static_cast<size_t>(static_cast<double>(bytes.size()) * plan_.part_written);
    bytes_.append(bytes.substr(0, part));
    return {ErrorCode::kWrite, "test.dstap: cannot be written: No space left on device"};
  }
  Status Truncate(uint64_t size) override {
    if (Fails()) return {ErrorCode::kWrite, "test.dstap: cannot be cut back: Input/output error"};
    bytes_.resize(size);
    return {};
  }
  Status Sync() override {
    if (Fails()) return {ErrorCode::kWrite, "test.dstap: cannot be synced: Input/output error"};
    return {};
  }
  uint64_t size() const override { return bytes_.size(); }

 private:
  bool Fails() {
    const int n = operations_++;
    return n >= plan_.first && n < plan_.first + plan_.count;
  }

  std::string& bytes_;
  FailPlan plan_;
  int operations_ = 0;
};

// Gives its bytes in pieces of at most `piece`, and fails at `fail_at` if it is not past the end.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string bytes, size_t piece, size_t fail_at = std::string::npos)
      : bytes_(std::move(bytes)), piece_(piece), fail_at_(fail_at) {}
  Result<size_t> Read(std::span<char> out) override {
    if (at_ >= fail_at_) {
      return Status(ErrorCode::kRead, "test.dstap: cannot be read: Input/output error");
    }
    const size_t n = bytes_.copy(out.data(), std::min({out.size(), piece_, fail_at_ - at_}), at_);
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  size_t piece_;
  size_t fail_at_;
  size_t at_ = 0;
};

}  // namespace dstap::test
