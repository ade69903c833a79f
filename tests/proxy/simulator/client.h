// A client of a backend for tests: it plays by the session protocol's clock (at one instant the
// backend comes first, then what the client wakes for) and keeps what it was told.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/simulator.h"

namespace dstap::test {

using proxy::BackendAnswer;
using proxy::CallId;
using proxy::KeyInfo;
using proxy::SourceId;
using proxy::TransformInput;
using proxy::TransformOutput;

TransformOutput GiveNil();
TransformOutput Give(std::string json);
TransformOutput Raise(std::string text);

using Transform = std::function<TransformOutput(const TransformInput&)>;
inline Transform AlwaysNil() {
  return [](const TransformInput&) { return GiveNil(); };
}
inline Transform Always(std::string json) {
  return [json = std::move(json)](const TransformInput&) { return Give(json); };
}

// One call and all that became of it.
struct Seen {
  proxy::Request request;
  Time issued{0};
  std::vector<Time> queued;
  std::vector<Time> admitted;
  std::vector<std::pair<Time, TransformInput>> runs;
  std::vector<std::string> warnings;
  int answers = 0;
  Time answered{0};
  BackendAnswer answer;
  uint64_t fault = 0;

  double seconds() const { return static_cast<double>((answered - issued).count()) / 1e9; }
};

class Client final : public proxy::BackendListener {
 public:
  using Then = std::function<void(const Seen&)>;

  explicit Client(proxy::Backend& backend) : backend_(backend) {}

  Time now() const { return now_; }

  // Runs `work` at `when`, after what the backend does then.
  void At(Time when, std::function<void()> work);
  void After(Time delay, std::function<void()> work) { At(now_ + delay, std::move(work)); }

  CallId Submit(proxy::Request request, Transform transform = nullptr, Then then = nullptr);
  void Cancel(CallId call) { backend_.Cancel(call); }

  // Until nothing is left to do, or to `until`.
  void Run(Time until = Time::max());

  const Seen& seen(CallId call) const { return *calls_.at(call); }
  const std::map<CallId, std::shared_ptr<Seen>>& calls() const { return calls_; }
  // Everything that was told, a line each, in order.
  const std::string& log() const { return log_; }
  const std::vector<v1::Limits>& limits() const { return limits_; }
  const std::vector<std::string>& notices() const { return notices_; }
  const std::vector<v1::InjectedFault>& faults() const { return faults_; }

  void OnQueued(CallId call, Time now, v1::RequestType type, std::string_view warning) override;
  void OnAdmitted(CallId call, Time now) override;
  void OnTransform(CallId call, Time now, TransformInput input) override;
  void OnAnswer(CallId call, Time now, BackendAnswer answer) override;
  void OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) override;
  void OnLimits(SourceId source, Time now, const v1::Limits& limits) override;
  void OnFault(Time now, const v1::InjectedFault& fault) override;
  void OnFaulted(CallId call, uint64_t fault) override;

 private:
  void Log(Time now, CallId call, std::string_view what);

  proxy::Backend& backend_;
  Time now_{0};
  CallId last_call_ = 0;
  bool inside_backend_ = false;
  std::map<CallId, std::shared_ptr<Seen>> calls_;
  std::map<CallId, Transform> transforms_;
  std::map<CallId, Then> thens_;
  std::multimap<Time, std::function<void()>> wakes_;
  std::vector<std::function<void()>> ready_;  // To do once the backend has returned.
  std::string log_;
  std::vector<v1::Limits> limits_;
  std::vector<std::string> notices_;
  std::vector<v1::InjectedFault> faults_;
};

// Requests on the store that most tests use.
inline proxy::StoreName TestStore() {
  return {"PlayerData", "global", v1::STORE_KIND_STANDARD, false};
}
proxy::Request GetOf(std::string key, SourceId source = 1);
proxy::Request FreshGetOf(std::string key, SourceId source = 1);  // UseCache = false.
proxy::Request SetOf(std::string key, std::string json, SourceId source = 1);
proxy::Request UpdateOf(std::string key, SourceId source = 1);
proxy::Request RemoveOf(std::string key, SourceId source = 1);
proxy::Request IncrementOf(std::string key, int64_t delta, SourceId source = 1);

// Rules as --rule gives them: {"queue_length", "10"}.
using Rules = std::vector<std::pair<std::string, std::string>>;

// Every request takes its median: a stored key is read in 2 frames, a missing one in 5, a write
// takes 12, a sorted page 6.
Rules ExactLatency(Rules more = {});
inline constexpr int kReadStoredFrames = 2;
inline constexpr int kReadMissingFrames = 5;
inline constexpr int kWriteFrames = 12;

struct GameOptions {
  Rules rules{};
  uint64_t seed = 1;
  std::string_view profile = "2026";
  int64_t start_unix_ns = 0;
};

// A simulator with one server (source 1, no players) and its client.
class Game {
 public:
  explicit Game(const GameOptions& options = {});

  proxy::Simulator& simulator() { return *simulator_; }
  Client& client() { return client_; }
  int64_t Budget(v1::RequestType type, SourceId source = 1) {
    return simulator_->Budget(source, client_.now(), type);
  }
  // Submits, runs until nothing is left to do, and gives what became of it.
  Seen Do(proxy::Request request, Transform transform = nullptr);
  // Lets time pass.
  void Wait(Time delay);
  // Lets time pass up to `time`.
  void WaitUntil(Time time) { client_.Run(time); }

 private:
  std::unique_ptr<proxy::Simulator> simulator_;
  Client client_;
};

}  // namespace dstap::test
