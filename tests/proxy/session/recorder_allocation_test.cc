// What the recorder does for a call, from its request to its record in the file, takes no memory
// from the heap once it is warm.
#include <gtest/gtest.h>

#include "proxy/session/recorder.h"
#include "tests/support/allocations.h"

namespace dstap::proxy {
namespace {

class NowhereSink final : public ByteSink {
 public:
  Status Append(std::string_view bytes) override {
    size_ += bytes.size();
    return {};
  }
  Status Truncate(uint64_t size) override {
    size_ = size;
    return {};
  }
  Status Sync() override { return {}; }
  uint64_t size() const override { return size_; }

 private:
  uint64_t size_ = 0;
};

// UpdateAsync on one key, with three calls open at a time and a commit for 16.
class Calls {
 public:
  explicit Calls(Recorder& recorder) : recorder_(recorder) {
    request_.source = 1;
    request_.method = v1::METHOD_UPDATE_ASYNC;
    request_.store = {.name = "PlayerData", .scope = "global"};
    request_.key = "Player_1234567890";
    input_.value =
        R"({"Coins":12345,"Level":17,"Items":[{"Id":"sword","Count":3}],"At":1700000.5})";
    output_.outcome = v1::TRANSFORM_OUTCOME_VALUE;
    output_.value =
        R"({"Coins":12346,"Level":17,"Items":[{"Id":"sword","Count":3}],"At":1700001.5})";
    answer_.outcome = v1::OUTCOME_OK;
    answer_.value = output_.value;
    answer_.version = "08DE48AC5C9B8000.0000000012.08DE48AC6F0A1234.01";
  }

  void Make(int calls) {
    for (int i = 0; i < calls; ++i) {
      now_ += Time(1'000'000);
      open_[made_ % 3] = recorder_.Begin(now_, request_, "Server.Data", {});
      if (++made_ < 3) continue;
      const CallId id = open_[made_ % 3];  // The oldest.
      recorder_.Queued(id, now_);
      recorder_.Admitted(id, now_);
      recorder_.TransformAsked(id, now_, input_);
      recorder_.TransformDone(id, output_, Time(20'000));
      recorder_.Answered(id, now_, answer_, {859, 859});
      if (made_ % 16 != 0) continue;
      ASSERT_TRUE(recorder_.Commit(now_).ok());
    }
  }

 private:
  Recorder& recorder_;
  Request request_;
  TransformInput input_;
  TransformOutput output_;
  BackendAnswer answer_;
  CallId open_[3] = {};
  uint64_t made_ = 0;
  Time now_{};
};

TEST(RecorderAllocationTest, ACallTakesNoAllocationOnceWarm) {
  if (!test::kCanCount) GTEST_SKIP() << "only in builds with the address sanitizer";
  auto writer = capture::CaptureWriter::Create(std::make_unique<NowhereSink>(), v1::Header());
  ASSERT_TRUE(writer.ok());
  Recorder recorder(*std::move(writer), {});
  Calls calls(recorder);
  const uint64_t cold = test::Allocations();
  calls.Make(100);
  EXPECT_GT(test::Allocations(), cold);  // The counter counts.
  // The index has an entry a commit and doubles its room until it is full; not among the next 500.
  calls.Make(1000);
  const uint64_t warm = test::Allocations();
  calls.Make(500);
  EXPECT_EQ(test::Allocations(), warm);
}

}  // namespace
}  // namespace dstap::proxy
