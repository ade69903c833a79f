// The hub behind real sockets.
#include "proxy/server/session_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "tests/proxy/session/playbook.h"
#include "tests/support/test_client.h"

namespace dstap::proxy {
namespace {

using std::chrono::milliseconds;
using test::Get;
using test::Hello;
using test::SourceInfo;
using test::TestClient;
using testing::HasSubstr;

// A server on its own thread whose backend answers each call two milliseconds later with the call's
// own number.
class SessionServerTest : public testing::Test {
 protected:
  void Start(const std::string& address) {
    play_.backend.on_submit = [this](CallId call, Time now, const Request&) {
      play_.backend.OkAt(now + milliseconds(2), call, std::to_string(call));
    };
    auto server = SessionServer::Listen(io_, *play_.hub, clock_, address);
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
    thread_ = std::thread([this] { io_.run(); });
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    boost::asio::post(io_, [this] {
      server_->HangUp();
      io_.stop();
    });
    thread_.join();
    ASSERT_TRUE(play_.hub->Close(clock_.Now(), v1::END_REASON_CLOSED).ok());
  }

  // Runs `task` where the hub lives, and waits for it.
  void OnServer(std::function<void()> task) {
    boost::asio::post(io_, boost::asio::use_future(std::move(task))).get();
  }

  static std::string UnixAddress() {
    return "unix:" + (std::filesystem::temp_directory_path() /
                      ("dstap-test-" + std::to_string(::getpid()) + ".socket"))
                         .string();
  }

  SystemClock clock_;
  test::Playbook play_{v1::CLOCK_KIND_WALL};
  boost::asio::io_context io_{1};
  std::unique_ptr<SessionServer> server_;
  std::thread thread_;
};

TEST_F(SessionServerTest, AnswersOverAUnixSocketAndRemovesItAtTheEnd) {
  Start(UnixAddress());
  TestClient client(server_->address().text);
  client.Send(Hello(v1::CLOCK_KIND_WALL));
  client.Send(SourceInfo(1, "server"));
  client.Send(Get(1, "a"));
  EXPECT_EQ(client.Next(), "welcome");
  EXPECT_EQ(client.Next(), "reply 1 OK");
  TearDown();
  EXPECT_FALSE(std::filesystem::exists(UnixAddress().substr(5)));
}

TEST_F(SessionServerTest, AnswersOverTcpOnAPortOfItsOwnChoice) {
  Start("tcp:127.0.0.1:0");
  EXPECT_THAT(server_->address().text, testing::MatchesRegex("tcp:127.0.0.1:[1-9][0-9]*"));
  TestClient client(server_->address().text);
  client.Send(Hello(v1::CLOCK_KIND_WALL));
  EXPECT_EQ(client.Next(), "welcome");
}

TEST_F(SessionServerTest, FiftyClientsAtOnceEachSeeTheirOwnOrder) {
  Start(UnixAddress());
  constexpr int kClients = 50;
  constexpr uint64_t kCalls = 40;
  std::atomic<int> in_order = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      TestClient client(server_->address().text);
      client.Send(Hello(v1::CLOCK_KIND_WALL));
      client.Send(SourceInfo(1, "server"));
      for (uint64_t id = 1; id <= kCalls; ++id) client.Send(Get(id, "a"));
      bool good = client.Next() == "welcome";
      for (uint64_t id = 1; id <= kCalls; ++id) {
        good = good && client.Next() == "reply " + std::to_string(id) + " OK";
      }
      if (good) ++in_order;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(in_order, kClients);
  TearDown();
  const auto written = play_.Written();
  EXPECT_EQ(written.ending, capture::Ending::kClosed);
  EXPECT_EQ(written.RowsOf(v1::Row::kEnd)[0].end().calls(), kClients * kCalls);
  EXPECT_EQ(written.RowsOf(v1::Row::kEnd)[0].end().calls_in_flight(), 0U);
}

TEST_F(SessionServerTest, AClientOfRubbishIsHungUpOnAndTheOthersGoOn) {
  Start(UnixAddress());
  TestClient good(server_->address().text);
  good.Send(Hello(v1::CLOCK_KIND_WALL));
  good.Send(SourceInfo(1, "server"));
  EXPECT_EQ(good.Next(), "welcome");
  TestClient bad(server_->address().text);
  bad.SendBytes(
      "GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: not a client of this protocol at all\r\n\r\n");
  EXPECT_THAT(bad.Next(), HasSubstr("refusal byte 0 of the connection"));
  EXPECT_EQ(bad.Next(), "gone");
  good.Send(Get(1, "a"));
  EXPECT_EQ(good.Next(), "reply 1 OK");
}

TEST_F(SessionServerTest, AClientThatVanishesLeavesItsCallsInFlight) {
  Start(UnixAddress());
  {
    TestClient client(server_->address().text);
    client.Send(Hello(v1::CLOCK_KIND_WALL));
    client.Send(SourceInfo(1, "server"));
    EXPECT_EQ(client.Next(), "welcome");
    OnServer([this] { play_.backend.on_submit = nullptr; });  // Never answered.
    client.Send(Get(1, "a"));
    client.Send(test::BudgetOf(1, v1::REQUEST_TYPE_STANDARD_READ));
    EXPECT_EQ(client.Next(), "answer 1 = 0");
  }
  TearDown();
  const auto written = play_.Written();
  ASSERT_EQ(written.calls.size(), 1U);
  EXPECT_EQ(written.calls[0].record.outcome, v1::OUTCOME_IN_FLIGHT);
  EXPECT_EQ(written.ending, capture::Ending::kClosed);
}

TEST_F(SessionServerTest, AddressesThatCannotBeListenedOnAreErrorsWithTheRemedy) {
  const auto message = [&](const std::string& address) {
    const auto server = SessionServer::Listen(io_, *play_.hub, clock_, address);
    return server.ok() ? std::string("ok") : server.status().message();
  };
  EXPECT_THAT(message("somewhere"), HasSubstr("an address is unix:PATH or tcp:127.0.0.1:PORT"));
  EXPECT_THAT(message("tcp:0.0.0.0:0"), HasSubstr("is not a loopback address"));
  EXPECT_THAT(message("tcp:127.0.0.1:"), HasSubstr("has no port"));
  EXPECT_THAT(message("tcp:127.0.0.1:70000"), HasSubstr("has no port"));
  EXPECT_THAT(message("unix:/no/such/folder/socket"), HasSubstr("No such file or directory"));
  EXPECT_THAT(message("unix:" + std::string(108, 'x')), HasSubstr("1 to 107 bytes"));
  Start("tcp:127.0.0.1:0");
  EXPECT_THAT(message(server_->address().text), HasSubstr("Address already in use"));
}

}  // namespace
}  // namespace dstap::proxy
