// No allocation per call once warm, in either direction.
#include <gtest/gtest.h>

#include "proto/capture/chunk_builder.h"
#include "proto/capture/chunk_decoder.h"
#include "tests/support/allocations.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using capture::ChunkBuilder;
using capture::ChunkDecoder;

constexpr uint64_t kCalls = 500;

void Fill(ChunkBuilder& builder, uint64_t first_id) {
  for (uint64_t id = first_id; id < first_id + kCalls; ++id) {
    capture::CallRecord call = id % 5 == 0 ? AFullCall() : ACall(id);
    call.id = id;
    ASSERT_TRUE(builder.Add(call));
  }
}

TEST(AllocationTest, ABuilderThatIsWarmAllocatesNothing) {
  if (!kCanCount) GTEST_SKIP() << "only in builds with the address sanitizer";
  ChunkBuilder builder(1000);
  const uint64_t cold = Allocations();
  Fill(builder, 1);
  EXPECT_GT(Allocations(), cold);  // The counter counts.
  std::string bytes(builder.ByteSize(), '\0');
  builder.WriteTo(bytes.data());
  builder.Clear();
  const uint64_t warm = Allocations();
  for (uint64_t chunk = 1; chunk <= 3; ++chunk) {
    Fill(builder, 1 + chunk * kCalls);
    bytes.resize(std::min(bytes.size(), builder.ByteSize()));
    if (builder.ByteSize() == bytes.size()) builder.WriteTo(bytes.data());
    builder.Clear();
  }
  EXPECT_EQ(Allocations(), warm);
}

TEST(AllocationTest, ADecoderThatIsWarmAllocatesNothing) {
  if (!kCanCount) GTEST_SKIP() << "only in builds with the address sanitizer";
  ChunkBuilder builder(1000);
  Fill(builder, 1);
  std::string bytes(builder.ByteSize(), '\0');
  builder.WriteTo(bytes.data());
  ChunkDecoder decoder;
  capture::Record record;
  const auto read = [&] {
    uint64_t calls = 0;
    ASSERT_TRUE(decoder.Load(bytes).ok());
    while (decoder.Next(record)) ++calls;
    ASSERT_EQ(calls, kCalls);
  };
  const uint64_t cold = Allocations();
  read();
  EXPECT_GT(Allocations(), cold);
  const uint64_t warm = Allocations();
  read();
  // List arguments are parsed by protobuf, whose strings may move; nothing else allocates.
  EXPECT_LE(Allocations() - warm, kCalls / 5 * 8);
}

}  // namespace
}  // namespace dstap::test
