#include "tests/kill/load.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tests/support/test_client.h"

namespace dstap::test {
namespace {

// Calls of one process that wait for an answer at the same time.
constexpr uint64_t kWindow = 4;
constexpr uint64_t kIdleCall = 1'000'000;

class Log {
 public:
  explicit Log(uint64_t number)
      : fd_(::open(("calls-" + std::to_string(number) + ".log").c_str(),
                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  ~Log() { ::close(fd_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool Write(Time at, const std::string& key, v1::Outcome outcome) const {
    const std::string line =
        std::to_string(at.count()) + " " + key + " " + std::to_string(outcome) + "\n";
    return ::write(fd_, line.data(), line.size()) == std::ssize(line);
  }

 private:
  int fd_;
};

Time Now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Reads, writes and functions in turn.
v1::ClientFrame CallOf(uint64_t id, const std::string& key) {
  if (id % 3 == 0) return Update(id, key);
  if (id % 3 == 1) return Get(id, key);
  v1::ClientFrame frame = MakeCall(id, v1::METHOD_SET_ASYNC, key);
  frame.mutable_call()->set_value("{\"coins\":" + std::to_string(id) + "}");
  return frame;
}

// A client that does not throw when the proxy is gone, which here is no error.
class Survivor {
 public:
  explicit Survivor(const std::string& address) {
    try {
      client_.emplace(address);
    } catch (const boost::system::system_error&) {
    }
  }
  void Send(const v1::ClientFrame& frame) {
    if (!client_) return;
    try {
      client_->Send(frame);
    } catch (const boost::system::system_error&) {
      client_.reset();
    }
  }
  std::optional<v1::ServerFrame> Receive() {
    if (!client_) return {};
    return client_->Receive();
  }

 private:
  std::optional<TestClient> client_;
};

int LoadOne(const std::string& address, uint64_t number, uint64_t calls) {
  const Log log(number);
  Survivor client(address);
  client.Send(Hello(v1::CLOCK_KIND_WALL));
  client.Send(SourceInfo(1, "server " + std::to_string(number)));
  if (number == 1) client.Send(Get(kIdleCall, kIdleKey));
  bool idle_is_logged = number != 1;
  struct Open {
    Time sent;
    std::string key;
  };
  std::map<uint64_t, Open> open;
  uint64_t sent = 0;
  for (;;) {
    while (sent < calls && open.size() < kWindow) {
      const uint64_t id = ++sent;
      const std::string key = std::to_string(number) + "-" + std::to_string(id);
      open[id] = {Now(), key};
      client.Send(CallOf(id, key));
    }
    if (open.empty()) return 0;
    const auto frame = client.Receive();
    if (!frame || frame->has_refusal()) return 0;
    if (frame->has_transform_request()) {
      const v1::TransformRequest& request = frame->transform_request();
      client.Send(TransformValue(request.call(), "[1]", request.run()));
    }
    if (!frame->has_reply()) continue;
    const auto found = open.find(frame->reply().call());
    if (found == open.end()) return 1;
    if (!log.Write(found->second.sent, found->second.key, frame->reply().outcome())) return 1;
    open.erase(found);
    if (!idle_is_logged && !log.Write(Now(), kIdleKey, v1::OUTCOME_IN_FLIGHT)) return 1;
    idle_is_logged = true;
  }
}

}  // namespace

int Load(const std::string& address, uint64_t processes, uint64_t calls) {
  for (uint64_t number = 1; number <= processes; ++number) {
    if (::fork() == 0) ::_exit(LoadOne(address, number, calls / processes));
  }
  int worst = 0;
  for (int status = 0; ::wait(&status) > 0;) worst = std::max(worst, WEXITSTATUS(status));
  return worst;
}

int LoadVirtual(const std::string& address, uint64_t calls) {
  const Log log(1);
  Survivor client(address);
  Time now{0};
  client.Send(Hello());
  client.Send(SourceInfo(1, "server"));
  client.Send(Get(kIdleCall, kIdleKey));
  for (uint64_t id = 1; id <= calls; ++id) {
    const std::string key = "1-" + std::to_string(id);
    const Time sent = now;
    client.Send(At(now, CallOf(id, key)));
    for (bool replied = false; !replied;) {
      client.Send(At(now, Idle()));
      std::optional<v1::ServerFrame> frame;
      do {
        frame = client.Receive();
        if (!frame || frame->has_refusal()) return 0;
        if (frame->has_transform_request()) {
          const v1::TransformRequest& request = frame->transform_request();
          client.Send(At(Time(frame->now_ns()), TransformValue(id, "[1]", request.run())));
        }
        if (frame->has_reply()) {
          replied = true;
          if (!log.Write(sent, key, frame->reply().outcome())) return 1;
          if (id == 1 && !log.Write(sent, kIdleKey, v1::OUTCOME_IN_FLIGHT)) return 1;
        }
      } while (!frame->has_grant());
      now = Time(frame->now_ns());
    }
  }
  return 0;
}

}  // namespace dstap::test
