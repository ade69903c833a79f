// A client of the proxy for end-to-end tests: dstap_test_client MODE [N [M]], run by `dstap
// record`. What it saw answered goes to standard output, one line a call, before its next call.
// (`load` and `load-virtual` have a module of their own.)
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/kill/load.h"
#include "tests/support/test_client.h"

namespace {

using dstap::test::TestClient;
namespace v1 = dstap::v1;

// Sends frames of one instant and gives what comes back up to the grant.
class VirtualClient {
 public:
  explicit VirtualClient(const std::string& address) : client_(address) {
    client_.Send(dstap::test::Hello());
    client_.Receive();
    client_.Send(dstap::test::SourceInfo(1, "test server"));
  }

  // A GetAsync from its request to its reply. False when the proxy is gone.
  bool Get(uint64_t id) {
    client_.Send(dstap::test::At(now_, dstap::test::Get(id, "key_" + std::to_string(id % 7))));
    for (;;) {
      client_.Send(dstap::test::At(now_, dstap::test::Idle()));
      bool replied = false;
      for (;;) {
        const auto frame = client_.Receive();
        if (!frame) return false;
        replied = replied || frame->has_reply();
        if (!frame->has_grant()) continue;
        now_ = dstap::Time(frame->now_ns());
        break;
      }
      if (replied) return true;
    }
  }

  TestClient& client() { return client_; }

 private:
  TestClient client_;
  dstap::Time now_{};
};

// Calls of one connection that wait for an answer at the same time.
constexpr uint64_t kWindow = 8;

// One connection of a crowd, over wall time: keys "1", "2", ... up to `calls`, a few underway at
// any moment. False unless each was answered once, in the order sent.
bool CallInOrder(TestClient& client, uint64_t calls) {
  uint64_t answered = 0;
  for (uint64_t sent = 0; answered < calls;) {
    while (sent < calls && sent - answered < kWindow) {
      ++sent;
      client.Send(dstap::test::Get(sent, std::to_string(sent)));
    }
    const auto frame = client.Receive();
    if (!frame || !frame->has_reply() || frame->reply().call() != answered + 1) return false;
    if (frame->reply().outcome() != v1::OUTCOME_OK) return false;
    ++answered;
  }
  return true;
}

// Connects `connections` times, then all call at once. True when each was answered in full.
bool Crowd(const std::string& address, uint64_t connections, uint64_t calls) {
  std::atomic<uint64_t> complete = 0;
  std::barrier all_connected(static_cast<std::ptrdiff_t>(connections));
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i <= connections; ++i) {
    threads.emplace_back([&, i] {
      TestClient client(address);
      client.Send(dstap::test::Hello(v1::CLOCK_KIND_WALL));
      client.Send(dstap::test::SourceInfo(1, "server " + std::to_string(i)));
      client.Receive();
      all_connected.arrive_and_wait();
      if (CallInOrder(client, calls)) ++complete;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return complete == connections;
}

void Say(uint64_t id) {
  std::printf("answered %llu\n", static_cast<unsigned long long>(id));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const char* address = std::getenv("DSTAP_SOCKET");
  if (address == nullptr || argc < 2) return 99;
  const std::string mode = argv[1];
  const uint64_t n = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;

  if (mode == "load" || mode == "load-virtual") {
    const uint64_t calls = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    return mode == "load" ? dstap::test::Load(address, n, calls)
                          : dstap::test::LoadVirtual(address, calls);
  }
  if (mode == "calls" || mode == "kill-the-recorder") {
    VirtualClient client(address);
    for (uint64_t id = 1; id <= n; ++id) {
      if (!client.Get(id)) return 0;
      Say(id);
      if (mode != "calls" && id == n) ::kill(::getppid(), SIGKILL);
    }
    return 0;
  }
  if (mode == "wall") {
    TestClient client(address);
    client.Send(dstap::test::Hello(v1::CLOCK_KIND_WALL));
    client.Send(dstap::test::SourceInfo(1, "wall server"));
    client.Receive();
    for (uint64_t id = 1; id <= n; ++id) {
      client.Send(dstap::test::Get(id, "key"));
      if (!client.Receive()) return 98;
      Say(id);
    }
    return 0;
  }
  if (mode == "crowd") {
    const uint64_t calls = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    if (!Crowd(address, n, calls)) return 98;
    Say(n * calls);
    return 0;
  }
  if (mode == "vanish") {
    VirtualClient client(address);
    client.client().Send(dstap::test::Get(1, "left_open"));
    return 0;
  }
  if (mode == "garbage") {
    TestClient client(address);
    client.SendBytes("\x02\xff\xff");  // Two bytes that are no message.
    while (client.Receive()) {
    }
    return 0;
  }
  if (mode == "hang") {
    VirtualClient client(address);
    client.Get(1);
    Say(1);
    client.client().Send(dstap::test::Get(2, "never_waited_for"));
    ::pause();
  }
  return 97;
}
