// The proxy's default backend: the platform's data stores, simulated. docs/simulator.md tells each
// rule with its evidence; rule_profile.h holds every number.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <unordered_map>
#include <variant>
#include <vector>

#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/game_server.h"
#include "proxy/backend/simulator/latency.h"
#include "proxy/backend/simulator/limits.h"
#include "proxy/backend/simulator/methods.h"
#include "proxy/backend/simulator/rule_profile.h"
#include "proxy/backend/simulator/store.h"

namespace dstap::proxy {

struct SimulatorOptions {
  RuleProfile rules;
  uint64_t seed = 1;
  // Unix time of the recording's time 0: versions and key info are stamped with it.
  int64_t start_unix_ns = 0;
};

// Units:    times are nanoseconds since the recording began. One that is before an earlier one
//           counts as that one.
// Errors:   what a script would see; there are no others.
// Threads:  not thread-safe. A listener may call back into the simulator.
// Promises: those of Backend. There are no events per frame: an idle hour costs nothing. The same
//           calls at the same times with the same seed get the same answers, byte for byte.
// Limits:   keeps open calls, what is stored, copies for as long as they are valid, and a minute of
//           throughput; nothing of calls that have ended.
class Simulator final : public Backend {
 public:
  explicit Simulator(SimulatorOptions options);

  void AddSource(SourceId source, Time now, uint32_t players) override;
  void SetPlayers(SourceId source, Time now, uint32_t players) override;
  void CloseSource(SourceId source, Time now) override;
  bool MixedTablesFail() const override { return rules_.mixed_tables_fail != 0; }
  bool WouldLeave(const Request& request, Time now) override;
  void Submit(CallId call, Time now, Request request) override;
  void TransformDone(CallId call, Time now, TransformOutput output) override;
  void Cancel(CallId call) override;
  std::optional<Time> NextEvent() const override;
  void AdvanceTo(Time now, BackendListener& listener) override;
  CallError OpenStore(SourceId source, Time now, const StoreName& store) override;
  int64_t Budget(SourceId source, Time now, v1::RequestType type) override;
  Time BudgetChange(SourceId source, Time now, v1::RequestType type) override;
  CallError SetRateLimit(SourceId source, Time now, v1::RequestType type, int64_t base_per_minute,
                         int64_t per_player_per_minute) override;
  std::array<v1::RequestType, 2> Spends(const Request& request) const override;

  // What is stored, and how many calls are open: for tests.
  const Store& store() const { return store_; }
  size_t open_calls() const { return calls_.size(); }

 private:
  enum class Stage : uint8_t {
    kStarting,
    kQueued,   // Waits for a token.
    kReading,  // On its way to the service and back.
    kWriting,
    kTransforming,  // Waits for TransformDone().
    kEnding,        // The answer is known and waits for its instant.
  };

  struct Call {
    CallId id = 0;
    const MethodRow* row = nullptr;
    Request request;
    Place place;
    GameServer* server = nullptr;
    uint64_t number = 0;  // Among its source's calls.
    int64_t tokens = 1;   // Of its type: as many as it has keys.
    Stage stage = Stage::kStarting;
    bool cancelled = false;  // Only a write under way is kept after Cancel().
    std::array<v1::RequestType, 2> spends{};
    size_t step = 0;  // Index into `spends` of what is under way.
    uint32_t runs = 0;
    VersionPtr seen;  // What the transform function was given.
    TransformOutput output;
    BackendAnswer answer;
  };

  // What is to happen at a later instant.
  enum class EventKind : uint8_t { kDrain, kServed, kAnswer };
  struct Event {
    Time at{0};
    uint64_t sequence = 0;  // Events of one instant happen in the order they were planned.
    EventKind kind = EventKind::kServed;
    CallId call = 0;
    SourceId source = 0;
    v1::RequestType type = v1::REQUEST_TYPE_UNKNOWN;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  // What has happened and is still to be told. Things of an instant happen first and are told then,
  // so that a budget asked for in between is right.
  struct Queued {
    v1::RequestType type;
    std::string warning;
  };
  struct Admitted {};
  struct Answered {};
  struct Printed {
    SourceId source;
    v1::NoticeKind kind;
    std::string text;
  };
  struct LimitsChanged {
    SourceId source;
    v1::Limits limits;
  };
  using News = std::variant<Queued, Admitted, TransformInput, Answered, Printed, LimitsChanged>;
  struct Told {
    Time at{0};
    CallId call = 0;  // 0: not about a call.
    News news;
  };

  // simulator.cc: time and events.
  void Served(Call& call);
  void Settle(Time now);
  void RunEventsAt(Time at);
  void Plan(Time at, EventKind kind, const Call& call);
  void Tell(CallId call, News news);
  void Deliver(Told told, BackendListener& listener);
  int64_t UnixUs() const { return (start_unix_ns_ + now_.count()) / 1000; }

  // servers.cc: limits that change.
  GameServer& ServerOf(SourceId source);
  void TellLimits(SourceId source, std::string_view reason);
  void TellCutStarts(SourceId source);
  void ChangePlayers(SourceId source, uint32_t players, std::string_view reason);

  // admission.cc: from asking for a token to the request's way to the service.
  void Acquire(Call& call, size_t step);
  void Admit(Call& call);
  void Send(Call& call);
  void PlanDrain(SourceId source, v1::RequestType type);
  void Drain(SourceId source, v1::RequestType type);
  Time KeyReadyAt(const Call& call) const;
  bool IsWrite(const Call& call) const;
  std::optional<Direction> CountsAs(const Call& call) const;
  Time ServedAt(const Call& call) const;
  std::optional<Time> FixedUpdateTime(const Call& call) const;
  const LatencyRules& LatencyOf(const Call& call) const;
  CallError Throttled(CallError error) const;
  size_t BytesOf(const Call& call) const;

  static bool HasFault(const Call& call, ServiceFault::Kind kind) {
    return call.request.fault != nullptr && call.request.fault->kind == kind;
  }

  // endings.cc: answers, and what they are made of.
  void TellAnswer(const Call& call);
  void Answer(Call& call, BackendAnswer answer);
  void AnswerNextFrame(Call& call, v1::Outcome outcome, CallError error);
  void Reject(Call& call, CallError error);
  void FailByFault(Call& call);
  BackendAnswer ReadAnswer(const Call& call, const VersionPtr& version,
                           v1::ServedBy served_by) const;
  void KeepCopy(const Call& call, VersionPtr written);
  BackendAnswer VersionAnswer(const VersionPtr& version) const;
  std::optional<KeyInfo> InfoOf(const VersionPtr& version, const StoreName& store) const;
  Attributes AttributesOf(const std::vector<int64_t>& user_ids,
                          const std::optional<std::string>& metadata) const;

  // read_methods.cc, write_methods.cc, update_method.cc, version_methods.cc, list_methods.cc.
  // Serve...: the service does its part.
  void StartGet(Call& call);
  bool ReadsTheCopy(const Request& request) const {
    return request.use_cache != v1::USE_CACHE_FALSE || rules_.use_cache_option == 0;
  }
  void ServeGet(Call& call);
  void ServeSorted(Call& call);
  void ServeBatch(Call& call);
  void ServeGetVersion(Call& call);
  void ServeGetVersionAtTime(Call& call);
  void ServeRemoveVersion(Call& call);
  void ServeListVersions(Call& call);
  void ServeListKeys(Call& call);
  void ServeListStores(Call& call);
  bool StorageAllows(Call& call, size_t bytes);
  void ServeSet(Call& call);
  void ServeIncrement(Call& call);
  void ServeRemove(Call& call);
  void StartUpdate(Call& call);
  void ServeUpdateRead(Call& call);
  void ServeUpdateWrite(Call& call);
  void RunTransform(Call& call, VersionPtr seen);
  void EndWithoutWrite(Call& call);
  void TakeForConflict(Call& call, size_t step);
  VersionPtr WriteByAnother(const Call& call);

  RuleProfile rules_;
  int64_t start_unix_ns_;
  LatencyModel latency_;
  Store store_;
  ExperienceLimits experience_;
  KeyThroughput throughput_;

  Time now_{0};
  uint64_t sequence_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::deque<Told> told_;
  int64_t most_players_ = 0;  // Of all servers at one time: what is known of its users.
  bool storage_told_ = false;
  bool starts_told_ = false;
  std::map<SourceId, GameServer> servers_;
  std::unordered_map<CallId, Call> calls_;  // Only looked up, never walked.
};

}  // namespace dstap::proxy
