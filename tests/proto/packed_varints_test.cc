#include "proto/capture/packed_varints.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

constexpr int kLongest = 10;

// The largest number whose varint has `bytes` bytes.
uint64_t LargestOf(int bytes) {
  return bytes == kLongest ? ~uint64_t{0} : (uint64_t{1} << (7 * bytes)) - 1;
}

std::string Packed(const std::vector<uint64_t>& numbers) {
  std::string packed;
  for (const uint64_t number : numbers) {
    char bytes[kLongest];
    packed.append(bytes, static_cast<size_t>(WriteVarint(bytes, number) - bytes));
  }
  return packed;
}

std::vector<uint64_t> Decoded(const std::string& packed) {
  std::vector<uint64_t> numbers(CountVarints(packed));
  EXPECT_TRUE(DecodeVarints(packed, numbers.data()));
  return numbers;
}

// However long the number before and the one behind are: eight bytes are decoded at a time.
TEST(PackedVarintsTest, NumbersOfEveryLengthStandBesideEachOther) {
  for (int first = 1; first <= kLongest; ++first) {
    for (int second = 1; second <= kLongest; ++second) {
      for (int third = 1; third <= kLongest; ++third) {
        SCOPED_TRACE(testing::Message() << first << ' ' << second << ' ' << third);
        const std::vector<uint64_t> numbers = {LargestOf(first),      LargestOf(second) / 3 * 2,
                                               LargestOf(third) - 1,  LargestOf(first) / 5 * 4,
                                               LargestOf(second) / 2, 0};
        EXPECT_EQ(Decoded(Packed(numbers)), numbers);
      }
    }
  }
}

TEST(PackedVarintsTest, ANumberOfElevenBytesIsRefused) {
  std::string packed(10, '\xFF');
  uint64_t number = 0;
  packed += '\x01';
  EXPECT_FALSE(DecodeVarints(packed, &number));
  EXPECT_TRUE(DecodeVarints(Packed({LargestOf(kLongest)}), &number));
  EXPECT_EQ(number, LargestOf(kLongest));
}

}  // namespace
}  // namespace dstap::capture
