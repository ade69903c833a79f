#include "proto/capture/packed_varints.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/base/prng.h"
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

// Blocks of 64 bytes are decoded by what is the longest in them.
TEST(PackedVarintsTest, LongColumnsOfEveryMixOfLengthsAreDecoded) {
  Prng prng(1);
  for (int longest = 1; longest <= kLongest; ++longest) {
    for (int round = 0; round < 50; ++round) {
      std::vector<uint64_t> numbers(prng.Below(300));
      for (uint64_t& number : numbers) {
        const auto bytes = 1 + static_cast<int>(prng.Below(static_cast<uint64_t>(longest)));
        // Mostly short ones, so that long ones fall on every place of a block.
        number = LargestOf(prng.Below(4) == 0 ? bytes : 1) - prng.Below(100);
      }
      SCOPED_TRACE(testing::Message() << longest << ' ' << round);
      EXPECT_EQ(Decoded(Packed(numbers)), numbers);
    }
  }
}

TEST(PackedVarintsTest, ANumberOfElevenBytesIsRefusedWhereverItStands) {
  for (size_t before = 0; before < 150; ++before) {
    std::string packed = std::string(before, '\x05') + std::string(10, '\xFF') + '\x01';
    packed += std::string(100, '\x05');
    std::vector<uint64_t> numbers(CountVarints(packed));
    EXPECT_FALSE(DecodeVarints(packed, numbers.data())) << before;
  }
  std::string endless(1000, '\x80');
  endless += '\x01';
  uint64_t number = 0;
  EXPECT_FALSE(DecodeVarints(endless, &number));
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
