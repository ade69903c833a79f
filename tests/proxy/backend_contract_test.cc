// What every backend of the table promises, whatever stands behind it.
#include <gtest/gtest.h>

#include <set>

#include "proto/base/prng.h"
#include "proxy/backend/backend_table.h"
#include "proxy/backend/faults/fault_backend.h"
#include "proxy/backend/faults/fault_parser.h"
#include "tests/proxy/simulator/client.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::BackendOptions;
using proxy::BackendRow;

class BackendContractTest : public testing::TestWithParam<BackendRow> {
 protected:
  std::unique_ptr<proxy::Backend> Make(const BackendOptions& options = {}) {
    auto backend = GetParam().make(options);
    EXPECT_TRUE(backend.ok()) << backend.status().message();
    return *std::move(backend);
  }
};

proxy::Request RandomRequest(Prng& prng) {
  const auto source = static_cast<SourceId>(1 + prng.Below(3));
  const std::string key = prng.Below(50) == 0 ? "" : "k" + std::to_string(prng.Below(6));
  proxy::Request request;
  switch (prng.Below(8)) {
    case 0:
      request = SetOf(key, std::to_string(prng.Below(100)), source);
      break;
    case 1:
      request = IncrementOf(key, 1, source);
      break;
    case 2:
      request = RemoveOf(key, source);
      break;
    case 3:
      request = FreshGetOf(key, source);
      break;
    case 4:
      request = GetOf(key, source);
      break;
    default:
      request = UpdateOf(key, source);
      break;
  }
  if (prng.Below(4) == 0) request.store.kind = v1::STORE_KIND_ORDERED;
  // Any method, known or not, with arguments that most accept.
  if (prng.Below(15) == 0) {
    request.method = static_cast<v1::Method>(prng.Below(v1::Method_ARRAYSIZE));
    request.value = "1";
    for (uint64_t n = prng.Below(5); n > 0; --n) request.list.add_keys("k" + std::to_string(n));
    request.list.set_at_ms(1);
    request.list.set_version("08D9E6A3F2188CFF.0000000001.08D9E6A3F2188CFF.01");
  }
  return request;
}

Transform RandomTransform(uint64_t seed) {
  return [prng = Prng(seed)](const TransformInput&) mutable {
    switch (prng.Below(5)) {
      case 0:
        return GiveNil();
      case 1:
        return Raise("oops");
      case 2:
        return Give("\"text\"");
      default:
        return Give(std::to_string(prng.Below(1000)));
    }
  };
}

// Three servers, a minute and a half of traffic in bursts, a few calls cancelled on the way.
struct Traffic {
  explicit Traffic(proxy::Backend& backend, uint64_t seed) : client(backend), prng(seed) {
    for (SourceId source = 1; source <= 3; ++source) backend.AddSource(source, Time(0), source - 1);
    for (int burst = 0; burst < 60; ++burst) {
      const Time at(static_cast<int64_t>(prng.Below(90'000'000'000)));
      client.At(at, [this, &backend] {
        for (uint64_t n = prng.Below(40); n > 0; --n) SubmitOne();
        if (prng.Below(5) == 0) {
          backend.SetPlayers(1, client.now(), static_cast<uint32_t>(prng.Below(20)));
        }
        if (prng.Below(5) == 0) {
          backend.SetRateLimit(2, client.now(), v1::REQUEST_TYPE_STANDARD_READ,
                               static_cast<int64_t>(prng.Below(200)), 10);
        }
        backend.OpenStore(1, client.now(), TestStore());
        backend.Budget(2, client.now(), v1::REQUEST_TYPE_STANDARD_READ);
      });
    }
  }

  void SubmitOne() {
    const CallId call = client.Submit(RandomRequest(prng), RandomTransform(prng.Next()));
    if (prng.Below(20) != 0) return;
    client.After(Time(static_cast<int64_t>(prng.Below(2'000'000'000))), [this, call] {
      if (client.seen(call).answers != 0) return;
      client.Cancel(call);
      cancelled.insert(call);
      told_before_cancel[call] = Told(call);
    });
  }

  // Everything that was said about a call.
  size_t Told(CallId call) const {
    const Seen& seen = client.seen(call);
    return seen.queued.size() + seen.admitted.size() + seen.runs.size() +
           static_cast<size_t>(seen.answers);
  }

  Client client;
  Prng prng;
  std::set<CallId> cancelled;
  std::map<CallId, size_t> told_before_cancel;
};

TEST_P(BackendContractTest, AnswersEachCallOnceAndACancelledOneNever) {
  // That nothing is told from inside Submit() or TransformDone(), Client checks by itself.
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto backend = Make({.seed = seed});
    Traffic traffic(*backend, seed);
    traffic.client.Run();
    EXPECT_GT(traffic.client.calls().size(), 500U);
    EXPECT_FALSE(traffic.cancelled.empty());
    for (const auto& [id, seen] : traffic.client.calls()) {
      const bool cancelled = traffic.cancelled.contains(id);
      ASSERT_EQ(seen->answers, cancelled ? 0 : 1) << "call " << id << ", seed " << seed;
      if (cancelled) {
        ASSERT_EQ(traffic.Told(id), traffic.told_before_cancel.at(id)) << id;
      }
      if (!cancelled) {
        ASSERT_GE(seen->answered, seen->issued);
      }
    }
  }
}

TEST_P(BackendContractTest, EveryAnswerSaysHowItEnded) {
  const auto backend = Make();
  Traffic traffic(*backend, 3);
  traffic.client.Run();
  for (const auto& [id, seen] : traffic.client.calls()) {
    if (seen->answers == 0) continue;
    const v1::Outcome outcome = seen->answer.outcome;
    EXPECT_NE(outcome, v1::OUTCOME_UNKNOWN) << id;
    EXPECT_NE(outcome, v1::OUTCOME_IN_FLIGHT) << id;
    const bool failed = outcome != v1::OUTCOME_OK && outcome != v1::OUTCOME_CANCELLED;
    EXPECT_EQ(seen->answer.error.text.empty(), !failed) << id;
  }
}

TEST_P(BackendContractTest, TheSameSeedTellsTheSameByteForByte) {
  const auto one = Make({.seed = 5});
  const auto two = Make({.seed = 5});
  const auto other = Make({.seed = 6});
  Traffic traffic_one(*one, 9), traffic_two(*two, 9), traffic_other(*other, 9);
  traffic_one.client.Run();
  traffic_two.client.Run();
  traffic_other.client.Run();
  EXPECT_GT(traffic_one.client.log().size(), 10'000U);
  EXPECT_EQ(traffic_one.client.log(), traffic_two.client.log());
  EXPECT_NE(traffic_one.client.log(), traffic_other.client.log());
}

TEST_P(BackendContractTest, NothingIsDueAfterTheLastAnswer) {
  const auto backend = Make();
  Traffic traffic(*backend, 4);
  traffic.client.Run();
  EXPECT_FALSE(backend->NextEvent().has_value());
}

TEST_P(BackendContractTest, ATimeThatStandsStillLosesNothing) {
  const auto backend = Make();
  Client client(*backend);
  backend->AddSource(1, Time(0), 0);
  const CallId call = client.Submit(GetOf(""));
  ASSERT_TRUE(backend->NextEvent().has_value());
  EXPECT_LE(*backend->NextEvent(), Time(0));
  client.Run(Time(0));
  EXPECT_EQ(client.seen(call).answers, 1);
  EXPECT_EQ(client.seen(call).answer.outcome, v1::OUTCOME_REJECTED);
}

TEST_P(BackendContractTest, WhatTheCallersEngineRefusesIsRejectedInItsWordsAndWritesNothing) {
  const auto backend = Make();
  Client client(*backend);
  backend->AddSource(1, Time(0), 0);
  proxy::Request set = SetOf("k", "1");
  set.refused = "104: no";
  const CallId refused = client.Submit(set);
  const CallId update = client.Submit(UpdateOf("k"), [](const TransformInput&) {
    TransformOutput output = Give("");
    output.error = "513: no";
    return output;
  });
  client.Run();
  const CallId read = client.Submit(FreshGetOf("k"));
  client.Run();
  EXPECT_EQ(client.seen(refused).answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(client.seen(refused).answer.error.text, "104: no");
  EXPECT_EQ(client.seen(update).answer.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(client.seen(update).answer.error.text, "513: no");
  EXPECT_FALSE(client.seen(read).answer.value.has_value());
}

// Every method there is, alone, of each kind of store: one answer, and a function is run for an
// UpdateAsync only.
TEST_P(BackendContractTest, EveryMethodIsAnsweredOnceWhateverItsArguments) {
  for (int method = 0; method < v1::Method_ARRAYSIZE; ++method) {
    if (!v1::Method_IsValid(method)) continue;
    for (const v1::StoreKind kind : {v1::STORE_KIND_STANDARD, v1::STORE_KIND_ORDERED,
                                     v1::STORE_KIND_MEMORY_HASH_MAP, v1::STORE_KIND_UNKNOWN}) {
      const auto backend = Make();
      Client client(*backend);
      backend->AddSource(1, Time(0), 0);
      proxy::Request request = GetOf("k");
      request.method = static_cast<v1::Method>(method);
      request.store.kind = kind;
      const CallId call = client.Submit(request, Always("1"));
      client.Run();
      EXPECT_EQ(client.seen(call).answers, 1) << method << " of " << kind;
      EXPECT_EQ(client.seen(call).runs.empty(),
                method != v1::METHOD_UPDATE_ASYNC ||
                    client.seen(call).answer.outcome == v1::OUTCOME_REJECTED)
          << method << " of " << kind;
    }
  }
}

TEST_P(BackendContractTest, LimitsAndPlayersThatChangeAreTold) {
  const auto backend = Make();
  Client client(*backend);
  backend->AddSource(1, Time(0), 2);
  backend->SetPlayers(1, Time(0), 5);
  EXPECT_EQ(backend->SetRateLimit(1, Time(0), v1::REQUEST_TYPE_STANDARD_READ, 10, 1).text, "");
  EXPECT_TRUE(client.limits().empty());  // Not from inside.
  client.Run();
  ASSERT_EQ(client.limits().size(), 3U);
  EXPECT_EQ(client.limits()[0].reason(), "start");
  EXPECT_EQ(client.limits()[1].reason(), "players");
  EXPECT_EQ(client.limits()[2].reason(), "SetRateLimitForRequestType");
}

// What is promised holds with things going wrong, but for calls that are never answered.
Result<std::unique_ptr<proxy::Backend>> MakeFaulty(const BackendOptions& options) {
  auto inner = proxy::Backends().front().make(options);
  proxy::FaultPlan plan;
  for (const char* rule :
       {"drop probability=0.1", "queue=3s method=GetAsync call=5..", "latency=700ms key=k1",
        "error=502 store=PlayerData probability=0.2 time=20s..", "conflict call=3..40",
        "ambiguous=applied key=k2", "ambiguous=not_applied key=k3 reports=KeyThrottled"}) {
    plan.push_back(*proxy::ParseFaultRule(rule));
  }
  return std::unique_ptr<proxy::Backend>(
      std::make_unique<proxy::FaultBackend>(*std::move(inner), std::move(plan), options.seed));
}

constexpr BackendRow kFaulty = {"faulty", "the first backend, with faults", MakeFaulty};

INSTANTIATE_TEST_SUITE_P(WithFaults, BackendContractTest, testing::Values(kFaulty),
                         [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(EveryBackend, BackendContractTest,
                         testing::ValuesIn(proxy::Backends().begin(), proxy::Backends().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(BackendTableTest, AnUnknownBackendIsAnErrorThatListsThem) {
  const auto backend = proxy::MakeBackend("wombat", {});
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().message(), "no backend \"wombat\"; there are simulator");
  EXPECT_TRUE(proxy::MakeBackend("simulator", {}).ok());
}

TEST(BackendTableTest, ABadProfileOrRuleIsTold) {
  BackendOptions options;
  options.rule_profile = "1999";
  EXPECT_FALSE(proxy::MakeBackend("simulator", options).ok());
  options.rule_profile = "2026";
  options.rules = {{"queue_length", "ten"}};
  EXPECT_EQ(proxy::MakeBackend("simulator", options).status().message(),
            "rule queue_length: \"ten\" is not a whole number from 0 to 100000");
}

}  // namespace
}  // namespace dstap::test
