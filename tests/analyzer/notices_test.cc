#include "analyzer/views/notices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/timeline/names.h"
#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using testing::ElementsAre;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

std::vector<std::string> LinesOf(const CaptureScript& script) {
  NoticesView view;
  TimelineBuilder builder({&view});
  script.Feed(builder);
  std::vector<std::string> lines;
  for (const NoticeCount& notice : view.Table()) {
    lines.push_back(fmt::format("{} {} {}: {}", notice.count, NameOf(notice.kind),
                                notice.source_name, notice.text));
  }
  return lines;
}

CaptureScript Begun() {
  CaptureScript script;
  script.Header().Source(1, "lobby").Source(2, "arena");
  return script;
}

TEST(NoticesTest, QueueWarningsThatDifferInTheKeyAreOneAndTheKeyIsNotTold) {
  CaptureScript script = Begun();
  for (const char* key : {"Player_1", "Player_2"}) {
    script.Notice(1s, v1::NOTICE_KIND_QUEUE_WARNING, fmt::format("added to queue.Key = {}", key));
  }
  EXPECT_THAT(LinesOf(script), ElementsAre("2 queue_warning lobby: added to queue.Key ="));
}

TEST(NoticesTest, TextsAreCountedByKindAndToldWithTheFirstThatSaidThem) {
  CaptureScript script = Begun();
  script.Notice(1s, v1::NOTICE_KIND_ERROR, "Key = is kept here", 2);
  script.Notice(2s, v1::NOTICE_KIND_OUTPUT, "hello", 2).Notice(3s, v1::NOTICE_KIND_OUTPUT, "hello");
  script.Notice(4s, v1::NOTICE_KIND_WARNING, "hello").Notice(5s, v1::NOTICE_KIND_RECORDER, "x", 0);
  EXPECT_THAT(LinesOf(script), ElementsAre("2 output arena: hello", "1 warning lobby: hello",
                                           "1 error arena: Key = is kept here", "1 recorder : x"));
}

TEST(NoticesTest, DifferentTextsHaveALimitAndTheOthersAreCounted) {
  CaptureScript script = Begun();
  for (size_t i = 0; i < kNoticeTextsMax + 2; ++i) {
    script.Notice(1s, v1::NOTICE_KIND_OUTPUT, std::to_string(i));
  }
  const std::vector<std::string> lines = LinesOf(script);
  ASSERT_EQ(lines.size(), kNoticeTextsMax + 1);
  EXPECT_EQ(lines.back(), "2 output : ");
}

}  // namespace
}  // namespace dstap::analyzer
