// What a capture says of faults: a record each, and the call that it changed.
#include <gmock/gmock.h>

#include "tests/proxy/faults/faulty_game.h"
#include "tests/proxy/session/playbook.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr auto kFault = v1::Row::kInjectedFault;

// A hub before a faulty simulator. The test plays its client.
class FaultCaptureTest : public testing::Test {
 protected:
  void Start(std::initializer_list<std::string_view> rules) {
    backend_ = std::make_unique<proxy::FaultBackend>(
        std::make_unique<proxy::Simulator>(
            proxy::SimulatorOptions{*proxy::FindRuleProfile("2026"), 1, 0}),
        PlanOf(rules), 1);
    auto writer =
        capture::CaptureWriter::Create(std::make_unique<SharedSink>(bytes_), v1::Header(), {});
    recorder_ = std::make_unique<proxy::Recorder>(*std::move(writer), proxy::Recorder::Options{});
    hub_ = std::make_unique<proxy::Hub>(*backend_, *recorder_, proxy::Hub::Options{});
    connection_ = hub_->Connect();
    Give(Hello());
    Give(SourceInfo(1, "server"));
    hub_->Flush(Time());
  }

  // Sends frames of this instant, then idles until nothing more comes. Gives all words but grants.
  std::vector<std::string> Send(std::initializer_list<v1::ClientFrame> frames) {
    for (const v1::ClientFrame& frame : frames) Give(frame);
    std::vector<std::string> words;
    for (bool more = true; more;) {
      if (hub_->connections() > 0) Give(Idle());
      more = false;
      for (const proxy::Outgoing& out : hub_->Flush(Time())) {
        for (const v1::ServerFrame& frame : ServerFrames(out.bytes)) {
          more = more || (frame.has_grant() && frame.grant().has_until_ns());
          if (!frame.has_grant()) words.push_back(Summary(frame));
        }
      }
    }
    return words;
  }

  KeptRecords Closed() {
    EXPECT_TRUE(hub_->Close(Time(), v1::END_REASON_CLOSED).ok());
    return ReadAll(*bytes_);
  }

 private:
  void Give(const v1::ClientFrame& frame) {
    hub_->OnBytes(Time(), connection_, Delimited(test::At(hub_->now(), frame)));
  }

  std::shared_ptr<std::string> bytes_ = std::make_shared<std::string>();
  std::unique_ptr<proxy::Backend> backend_;
  std::unique_ptr<proxy::Recorder> recorder_;
  std::unique_ptr<proxy::Hub> hub_;
  proxy::ConnectionId connection_ = 0;
};

TEST_F(FaultCaptureTest, AFailedCallNamesItsFaultAndTheNextOneNone) {
  Start({"error=KeyThrottled count=1"});
  EXPECT_THAT(Send({Get(1, "a")}), ElementsAre("reply 1 FAILED"));
  EXPECT_THAT(Send({Get(2, "a")}), ElementsAre("reply 2 OK"));
  const KeptRecords written = Closed();
  std::map<uint64_t, uint64_t> faults;
  for (const KeptCall& call : written.calls) faults[call.record.id] = call.record.fault;
  EXPECT_THAT(faults, ElementsAre(std::pair(1, 1), std::pair(2, 0)));
  const auto rows = written.RowsOf(kFault);
  ASSERT_THAT(rows, SizeIs(1));
  const v1::InjectedFault& fault = rows[0].injected_fault();
  EXPECT_EQ(fault.id(), 1U);
  EXPECT_EQ(fault.kind(), v1::FAULT_KIND_ERROR);
  EXPECT_EQ(fault.rule(), "error=KeyThrottled count=1");
  EXPECT_EQ(fault.call(), 1U);
  EXPECT_EQ(fault.source(), 1U);
  EXPECT_THAT(fault.error_text(), HasSubstr("KeyThrottled: "));
}

TEST_F(FaultCaptureTest, ACallThatIsNeverAnsweredStaysInFlightWithItsFault) {
  Start({"never_answer"});
  EXPECT_THAT(Send({Get(1, "a")}), ElementsAre());
  const KeptRecords written = Closed();
  EXPECT_EQ(written.calls.back().record.outcome, v1::OUTCOME_IN_FLIGHT);
  EXPECT_EQ(written.calls.back().record.fault, 1U);
  EXPECT_EQ(written.RowsOf(kFault).at(0).injected_fault().kind(), v1::FAULT_KIND_NEVER_ANSWER);
}

TEST_F(FaultCaptureTest, AQueuedCallHasItsTimeInTheQueue) {
  Start({"queue=2s"});
  const auto words = Send({Get(1, "a")});
  ASSERT_THAT(words, SizeIs(2));
  EXPECT_THAT(words[0], HasSubstr("added to queue"));
  EXPECT_EQ(words[1], "reply 1 OK");
  const capture::CallRecord record = Closed().calls.back().record;
  EXPECT_EQ(record.queued, 2s);
  EXPECT_EQ(record.times_queued, 1U);
  EXPECT_EQ(record.fault, 1U);
}

TEST_F(FaultCaptureTest, ACrashIsOneRecordAndAllCallsThatItTookNameIt) {
  Start({"server_crash=1s"});
  // The second one is sent by a server that is dead by then, and does not know.
  EXPECT_THAT(Send({Get(1, "a")}).back(), HasSubstr("crashed on purpose"));
  EXPECT_THAT(Send({Get(2, "a")}), ElementsAre());
  const KeptRecords written = Closed();
  EXPECT_THAT(written.RowsOf(kFault), SizeIs(1));
  std::map<uint64_t, std::pair<v1::Outcome, uint64_t>> calls;
  for (const KeptCall& call : written.calls) {
    calls[call.record.id] = {call.record.outcome, call.record.fault};
  }
  EXPECT_EQ(calls.at(1), std::pair(v1::OUTCOME_OK, uint64_t{0}));
  EXPECT_EQ(calls.at(2), std::pair(v1::OUTCOME_IN_FLIGHT, uint64_t{1}));
}

TEST_F(FaultCaptureTest, AStepsNameReachesTheRules) {
  Start({"drop step=load server=server"});
  v1::ClientFrame begin;
  begin.set_source(1);
  begin.mutable_step_begin()->set_id(5);
  begin.mutable_step_begin()->set_name("load");
  v1::ClientFrame end;
  end.set_source(1);
  end.mutable_step_end()->set_id(5);
  EXPECT_THAT(Send({begin, Get(1, "a")}), ElementsAre("reply 1 DROPPED"));
  EXPECT_THAT(Send({end, Get(2, "a")}), ElementsAre("reply 2 OK"));
}

}  // namespace
}  // namespace dstap::test
