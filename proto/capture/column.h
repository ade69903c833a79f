// One decoded column of a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dstap::capture {

// Numbers of one byte each, as they lie in the chunk, or of eight. Most columns are of the first
// kind: nothing is decoded for them.
//
// Ownership: refers to the chunk's bytes, or to the memory of whoever decoded them.
class Column {
 public:
  Column() = default;
  explicit Column(std::span<const uint8_t> bytes) : bytes_(bytes.data()), size_(bytes.size()) {}
  explicit Column(std::span<const uint64_t> words) : words_(words.data()), size_(words.size()) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint64_t operator[](size_t index) const {
    return bytes_ != nullptr ? bytes_[index] : words_[index];
  }

  // `f` of the numbers as a span of uint8_t or of uint64_t: a loop over either is a plain one.
  template <typename F>
  decltype(auto) Visit(F f) const {
    return bytes_ != nullptr ? f(std::span<const uint8_t>(bytes_, size_))
                             : f(std::span<const uint64_t>(words_, size_));
  }

  uint64_t Sum() const {
    return Visit([](auto numbers) {
      uint64_t sum = 0;
      for (const auto number : numbers) sum += number;
      return sum;
    });
  }
  // 0 when empty.
  uint64_t Max() const {
    return Visit([](auto numbers) {
      typename decltype(numbers)::value_type max = 0;
      for (const auto number : numbers) max = number > max ? number : max;
      return static_cast<uint64_t>(max);
    });
  }
  // At least Max(), below twice its value, and quick to find.
  uint64_t Bound() const {
    return Visit([](auto numbers) {
      typename decltype(numbers)::value_type bits = 0;
      for (const auto number : numbers) {
        bits = static_cast<typename decltype(numbers)::value_type>(bits | number);
      }
      return static_cast<uint64_t>(bits);
    });
  }

 private:
  const uint8_t* bytes_ = nullptr;
  const uint64_t* words_ = nullptr;
  size_t size_ = 0;
};

}  // namespace dstap::capture
