// Calls a second through the simulator in virtual time: many servers and keys, within the budgets.
// Against it the same reads and writes on a hash map: a store without rules.
#include <benchmark/benchmark.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proto/base/check.h"
#include "proto/base/prng.h"
#include "proxy/backend/backend_table.h"

namespace dstap::bench {
namespace {

using proxy::Backend;
using proxy::BackendAnswer;
using proxy::CallId;
using proxy::Request;
using proxy::SourceId;
using proxy::TransformInput;

constexpr SourceId kServers = 100;
constexpr uint32_t kPlayers = 20;
constexpr uint64_t kKeys = 20'000;
constexpr size_t kRequests = 65'536;  // Then from the start again.
// One call a server and second: a server of 20 players may make 14.
constexpr Time kBetweenCalls{10'000'000};
constexpr std::string_view kValue =
    R"({"Coins":12345,"Level":17,"Items":[{"Id":"sword","Count":3},{"Id":"shield","Count":1}]})";

std::vector<Request> MakeRequests() {
  Prng prng(1);
  std::vector<Request> requests(kRequests);
  for (size_t i = 0; i < kRequests; ++i) {
    Request& request = requests[i];
    request.source = static_cast<SourceId>(i % kServers + 1);
    request.store = {.name = "PlayerData", .scope = "global"};
    request.key = "Player_" + std::to_string(1'000'000'000 + prng.Below(kKeys) * 77'777);
    const uint64_t kind = prng.Below(20);
    if (kind < 8) {
      request.method = v1::METHOD_GET_ASYNC;
    } else if (kind < 17) {
      request.method = v1::METHOD_UPDATE_ASYNC;
    } else {
      request.method = v1::METHOD_SET_ASYNC;
      request.value = std::string(kValue);
    }
  }
  return requests;
}

// Writes a value whenever it is asked to.
class Writer final : public proxy::BackendListener {
 public:
  explicit Writer(Backend& backend) : backend_(backend) {}

  void OnQueued(CallId, Time, v1::RequestType, std::string_view) override { ++queued_; }
  void OnAdmitted(CallId, Time) override {}
  void OnTransform(CallId call, Time now, TransformInput) override {
    proxy::TransformOutput output;
    output.outcome = v1::TRANSFORM_OUTCOME_VALUE;
    output.value = kValue;
    backend_.TransformDone(call, now, std::move(output));
  }
  void OnAnswer(CallId, Time, BackendAnswer answer) override {
    ++answered_;
    if (answer.outcome == v1::OUTCOME_OK) ++ok_;
  }
  void OnNotice(SourceId, Time, v1::NoticeKind, std::string_view) override {}
  void OnLimits(SourceId, Time, const v1::Limits&) override {}

  int64_t answered() const { return answered_; }
  int64_t ok() const { return ok_; }
  int64_t queued() const { return queued_; }

 private:
  Backend& backend_;
  int64_t answered_ = 0;
  int64_t ok_ = 0;
  int64_t queued_ = 0;
};

void BM_Simulator(benchmark::State& state) {
  const std::vector<Request> requests = MakeRequests();
  auto backend = proxy::MakeBackend("simulator", {});
  DSTAP_CHECK(backend.ok());
  Writer writer(**backend);
  for (SourceId id = 1; id <= kServers; ++id) (*backend)->AddSource(id, Time(), kPlayers);
  Time now{};
  CallId id = 0;
  for (auto _ : state) {
    now += kBetweenCalls;
    (*backend)->AdvanceTo(now, writer);
    (*backend)->Submit(id + 1, now, requests[id % kRequests]);
    ++id;
  }
  while (const auto next = (*backend)->NextEvent()) {
    (*backend)->AdvanceTo(std::max(now, *next), writer);
  }
  if (writer.answered() != state.iterations() || writer.ok() != state.iterations()) {
    state.SkipWithError("not every call was answered well");
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["queued"] = static_cast<double>(writer.queued());
}

void BM_HashMap(benchmark::State& state) {
  const std::vector<Request> requests = MakeRequests();
  std::unordered_map<std::string, std::string> store;
  size_t next = 0;
  for (auto _ : state) {
    const Request request = requests[next++ % kRequests];  // A copy, as the simulator takes one.
    std::string answer;
    if (request.method != v1::METHOD_SET_ASYNC) answer = store[request.key];
    if (request.method != v1::METHOD_GET_ASYNC) store[request.key] = kValue;
    benchmark::DoNotOptimize(answer);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_Simulator)->Name("simulator/mixed calls");
BENCHMARK(BM_HashMap)->Name("hash map/mixed calls");

}  // namespace
}  // namespace dstap::bench
