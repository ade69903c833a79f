#include "proxy/session/frame_codec.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dstap::proxy {
namespace {

using test::Delimited;
using test::Get;

TEST(FrameDecoderTest, AStreamSplitAtAnyByteGivesTheSameFrames) {
  const std::string stream = Delimited(test::Hello()) + Delimited(Get(7, "user_1"));
  for (size_t split = 0; split <= stream.size(); ++split) {
    SCOPED_TRACE(split);
    FrameDecoder decoder;
    std::vector<v1::ClientFrame> frames;
    for (const auto& part : {stream.substr(0, split), stream.substr(split)}) {
      decoder.Append(part);
      for (;;) {
        auto frame = decoder.Next();
        ASSERT_TRUE(frame.ok());
        if (!frame->has_value()) break;
        frames.push_back(**frame);
      }
    }
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_TRUE(frames[0].has_hello());
    EXPECT_EQ(frames[1].call().key(), "user_1");
    EXPECT_EQ(decoder.pending_bytes(), 0U);
  }
}

TEST(FrameDecoderTest, AFrameOfTheLimitIsTakenAndOneByteMoreIsRefusedBeforeItComes) {
  v1::ClientFrame frame;
  frame.mutable_comment()->set_text(std::string(kFrameBytesMax, 'x'));
  const size_t over = frame.ByteSizeLong() - kFrameBytesMax;
  frame.mutable_comment()->set_text(std::string(kFrameBytesMax - over, 'x'));
  ASSERT_EQ(frame.ByteSizeLong(), kFrameBytesMax);
  FrameDecoder at_limit;
  at_limit.Append(Delimited(frame));
  auto taken = at_limit.Next();
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->has_value());

  FrameDecoder past_limit;
  past_limit.Append(std::string("\x81\x80\x80\x04", 4));  // 8 MiB + 1
  const auto refused = past_limit.Next();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kLimit);
  EXPECT_EQ(refused.status().message(),
            "byte 0 of the connection: a frame of 8388609 bytes is longer than 8388608");
}

TEST(FrameDecoderTest, ALengthThatNeverEndsIsRefused) {
  FrameDecoder decoder;
  decoder.Append(std::string(5, '\xff'));
  const auto frame = decoder.Next();
  ASSERT_FALSE(frame.ok());
  EXPECT_EQ(frame.status().code(), ErrorCode::kDamaged);
}

TEST(FrameDecoderTest, AMessageThatDoesNotParseIsRefusedWithItsPlace) {
  FrameDecoder decoder;
  const std::string good = Delimited(Get(1, "k"));
  decoder.Append(good + std::string("\x02\xff\xff", 3));
  ASSERT_TRUE(decoder.Next().ok());
  const auto frame = decoder.Next();
  ASSERT_FALSE(frame.ok());
  EXPECT_EQ(frame.status().message(), "byte " + std::to_string(good.size()) +
                                          " of the connection: a frame of 2 bytes is no "
                                          "ClientFrame");
}

TEST(FrameDecoderTest, GroupsInsideEachOtherWithoutEndAreRefused) {
  const auto takes = [](size_t depth) {
    std::string groups;
    for (size_t i = 0; i < depth; ++i) groups += "\xA3\x06";  // Field 100 begins.
    for (size_t i = 0; i < depth; ++i) groups += "\xA4\x06";  // It ends.
    std::string length;
    for (size_t size = groups.size();; size >>= 7) {
      length += static_cast<char>((size & 0x7F) | (size > 0x7F ? 0x80 : 0));
      if (size <= 0x7F) break;
    }
    FrameDecoder decoder;
    decoder.Append(length + groups);
    return decoder.Next().ok();
  };
  EXPECT_TRUE(takes(50));
  EXPECT_FALSE(takes(200));
  EXPECT_FALSE(takes(1'000'000));
}

TEST(FrameDecoderTest, AnEmptyFrameIsAFrameWithoutAKind) {
  FrameDecoder decoder;
  decoder.Append(std::string(1, '\0'));
  auto frame = decoder.Next();
  ASSERT_TRUE(frame.ok());
  ASSERT_TRUE(frame->has_value());
  EXPECT_EQ((*frame)->kind_case(), v1::ClientFrame::KIND_NOT_SET);
}

TEST(FrameDecoderTest, KeysThatAreNotUtf8ArriveAsTheyAre) {
  FrameDecoder decoder;
  decoder.Append(Delimited(Get(1, "\xff\xfe\0k")));
  auto frame = decoder.Next();
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ((*frame)->call().key(), std::string("\xff\xfe"));
}

TEST(AppendFrameTest, WritesWhatProtobufsOwnDelimitedReaderReads) {
  v1::ServerFrame frame;
  frame.mutable_refusal()->set_text(std::string(300, 'x'));  // A length of two bytes.
  std::string out = "";
  AppendFrame(frame, out);
  AppendFrame(frame, out);
  const auto frames = test::ServerFrames(out);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].refusal().text(), frame.refusal().text());
}

}  // namespace
}  // namespace dstap::proxy
