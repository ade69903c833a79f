// What recording costs a call, from its request to its record's bytes: the sink keeps nothing.
// `recorder/...` follows calls through the Recorder, 16 to a commit. `as JSON lines` makes one line
// of nlohmann/json of what the Recorder would write, and nothing else.
#include <benchmark/benchmark.h>

#include <string>

#include "proto/base/check.h"
#include "proxy/session/recorder.h"
#include "proxy/session/value_hash.h"
#include "tests/bench/json_lines.h"
#include "tests/bench/traffic_capture.h"
#include "tests/support/allocations.h"

namespace dstap::bench {
namespace {

using proxy::BackendAnswer;
using proxy::CallId;
using proxy::Recorder;
using proxy::Request;
using proxy::TransformInput;
using proxy::TransformOutput;

constexpr int64_t kCallsPerCommit = 16;
constexpr Time kBetweenCalls{200'000};
constexpr Time kReadTook{30'000'000};
constexpr Time kTransformTook{20'000};
constexpr Time kWriteTook{10'000'000};  // Under 50 ms with the read: no record in flight.
constexpr size_t kKeys = 1024;

// A player's data as JSON, of about `bytes`.
std::string ValueOf(size_t bytes) {
  std::string json = R"({"Coins":12345,"Level":17,"Items":[)";
  while (json.size() + 24 < bytes) json += R"({"Id":"sword","Count":3},)";
  json.back() = json.back() == ',' ? ']' : '[';
  if (json.back() == '[') json += ']';
  return json + '}';
}

// UpdateAsync calls on many keys, each answered before the next. `value` empty: there is nothing
// stored, and the transform returns nil.
class Calls {
 public:
  explicit Calls(const std::string& value) {
    for (size_t i = 0; i < kKeys; ++i) {
      Request& request = requests_.emplace_back();
      request.source = 1;
      request.method = v1::METHOD_UPDATE_ASYNC;
      request.store = {.name = "PlayerData", .scope = "global"};
      request.key = "Player_" + std::to_string(1'000'000'000 + i * 7'777'777);
    }
    before_ = {{{v1::REQUEST_TYPE_STANDARD_READ, 860, std::nullopt, 0},
                {v1::REQUEST_TYPE_STANDARD_WRITE, 860, std::nullopt, 0}}};
    answer_.outcome = v1::OUTCOME_CANCELLED;
    answer_.served_by = v1::SERVED_BY_BACKEND;
    answer_.taken = {1, 1};
    output_.outcome = v1::TRANSFORM_OUTCOME_NIL;
    if (value.empty()) return;
    input_.value = value;
    output_.outcome = v1::TRANSFORM_OUTCOME_VALUE;
    output_.value = value;
    answer_.outcome = v1::OUTCOME_OK;
    answer_.value = value;
    answer_.version = "08DE48AC5C9B8000.0000000012.08DE48AC6F0A1234.01";
  }

  void Record(Recorder& recorder) {
    const Request& request = requests_[next_++ % kKeys];
    now_ += kBetweenCalls;
    const CallId id = recorder.Begin(now_, request, kCaller, before_);
    recorder.Admitted(id, now_);
    recorder.TransformAsked(id, now_ + kReadTook, input_);
    recorder.TransformDone(id, output_, kTransformTook);
    recorder.Answered(id, now_ + kReadTook + kWriteTook, answer_, {859, 859});
    if (next_ % kCallsPerCommit == 0) DSTAP_CHECK(recorder.Commit(now_).ok());
  }

  // The record that Record() leads to.
  capture::CallRecord Next() {
    const Request& request = requests_[next_++ % kKeys];
    now_ += kBetweenCalls;
    capture::CallRecord call;
    call.id = next_;
    call.source = request.source;
    call.caller = kCaller;
    call.method = request.method;
    call.store = request.store.name;
    call.scope = request.store.scope;
    call.store_kind = request.store.kind;
    call.key = request.key;
    call.issued = call.admitted.emplace(now_);
    call.completed = now_ + kReadTook + kWriteTook;
    call.served_by = answer_.served_by;
    run_ = {output_.outcome, now_ + kReadTook, kTransformTook};
    call.transform_runs = {&run_, 1};
    call.outcome = answer_.outcome;
    if (input_.value) call.read = {.bytes = input_.value->size(), .hash = kSomeHash};
    if (answer_.value) call.written = {.bytes = output_.value.size(), .hash = kSomeHash};
    call.version = answer_.version;
    call.budgets = before_;
    for (capture::BudgetUse& use : call.budgets) {
      use.after = 859;
      use.taken = 1;
    }
    return call;
  }

 private:
  static constexpr std::string_view kCaller = "ServerScriptService.Server.Data";
  static constexpr uint64_t kSomeHash = 0x9E37'79B9'7F4A'7C15;

  std::vector<Request> requests_;
  std::array<capture::BudgetUse, 2> before_{};
  TransformInput input_;
  TransformOutput output_;
  BackendAnswer answer_;
  capture::TransformRun run_;
  uint64_t next_ = 0;
  Time now_{};
};

void BM_Recorder(benchmark::State& state, size_t value_bytes) {
  auto writer = capture::CaptureWriter::Create(std::make_unique<DiscardingSink>(), v1::Header());
  DSTAP_CHECK(writer.ok());
  Recorder recorder(*std::move(writer), {});
  Calls calls(value_bytes == 0 ? "" : ValueOf(value_bytes));
  for (size_t i = 0; i < 4 * kKeys; ++i) calls.Record(recorder);  // Warm.
  const uint64_t cold = test::Allocations();
  for (auto _ : state) calls.Record(recorder);
  state.counters["allocations_per_call"] = benchmark::Counter(
      static_cast<double>(test::Allocations() - cold), benchmark::Counter::kAvgIterations);
  state.SetItemsProcessed(state.iterations());
}

void BM_JsonLine(benchmark::State& state, size_t value_bytes) {
  DiscardingSink sink;
  Calls calls(value_bytes == 0 ? "" : ValueOf(value_bytes));
  const uint64_t cold = test::Allocations();
  for (auto _ : state) DSTAP_CHECK(sink.Append(JsonLineOf(calls.Next())).ok());
  state.counters["allocations_per_call"] = benchmark::Counter(
      static_cast<double>(test::Allocations() - cold), benchmark::Counter::kAvgIterations);
  state.SetItemsProcessed(state.iterations());
}

// The part of a call's cost that is not the recorder's own: a value's canonical form is hashed.
void BM_ValueHash(benchmark::State& state, size_t value_bytes) {
  const std::string value = ValueOf(value_bytes);
  for (auto _ : state) benchmark::DoNotOptimize(proxy::HashOfValue(value));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(BM_Recorder, no value, 0)->Name("recorder/no value");
BENCHMARK_CAPTURE(BM_Recorder, 100 bytes, 100)->Name("recorder/values of 100 bytes");
BENCHMARK_CAPTURE(BM_Recorder, 2000 bytes, 2000)->Name("recorder/values of 2000 bytes");
BENCHMARK_CAPTURE(BM_JsonLine, no value, 0)->Name("as JSON lines/no value");
BENCHMARK_CAPTURE(BM_JsonLine, 100 bytes, 100)->Name("as JSON lines/values of 100 bytes");
BENCHMARK_CAPTURE(BM_JsonLine, 2000 bytes, 2000)->Name("as JSON lines/values of 2000 bytes");
BENCHMARK_CAPTURE(BM_ValueHash, 2000 bytes, 2000)->Name("hash of a value/of 2000 bytes");

}  // namespace
}  // namespace dstap::bench
