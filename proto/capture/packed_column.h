// One column of a chunk while it is being filled, as the bytes it will be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/capture/wire.h"

namespace dstap::capture {

// Limits: no allocation once it has held as much as it holds now.
class PackedColumn {
 public:
  // A column stays empty until its first number that is not 0; then it is filled up to `row`.
  void Put(size_t row, uint64_t number) {
    if (size_ == 0) {
      if (number == 0) return;
      Fill(row);
    }
    Append(number);
  }
  void PutFixed64(size_t row, uint64_t number) {
    if (size_ == 0) {
      if (number == 0) return;
      Fill(8 * row);
    }
    Reserve(8);
    std::memcpy(bytes_.data() + size_, &number, 8);
    size_ += 8;
  }
  void Append(uint64_t number) {
    Reserve(kVarintBytes);
    char* const at = bytes_.data() + size_;
    size_ = static_cast<size_t>(WriteVarint(at, number) - bytes_.data());
  }

  bool empty() const { return size_ == 0; }
  std::string_view bytes() const { return {bytes_.data(), size_}; }
  void Clear() { size_ = 0; }
  void GiveBack() { *this = PackedColumn(); }

 private:
  static constexpr size_t kVarintBytes = 10;

  void Reserve(size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * bytes_.size() + 256);
  }
  void Fill(size_t bytes) {
    if (bytes_.size() < bytes) bytes_.resize(bytes + 256);
    std::fill_n(bytes_.begin(), bytes, '\0');
    size_ = bytes;
  }

  std::vector<char> bytes_;
  size_t size_ = 0;
};

}  // namespace dstap::capture
