#include "tests/proxy/simulator/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dstap::test {

TransformOutput GiveNil() {
  TransformOutput output;
  output.outcome = v1::TRANSFORM_OUTCOME_NIL;
  return output;
}

TransformOutput Give(std::string json) {
  TransformOutput output;
  output.outcome = v1::TRANSFORM_OUTCOME_VALUE;
  output.value = std::move(json);
  return output;
}

TransformOutput Raise(std::string text) {
  TransformOutput output;
  output.outcome = v1::TRANSFORM_OUTCOME_RAISED;
  output.error = std::move(text);
  return output;
}

Rules ExactLatency(Rules more) {
  Rules rules = {{"tail_permille", "0"},
                 {"read_stored_sigma_permille", "0"},
                 {"read_missing_sigma_permille", "0"},
                 {"write_sigma_permille", "0"},
                 {"list_sigma_permille", "0"}};
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

void Client::At(Time when, std::function<void()> work) {
  wakes_.emplace(std::max(when, now_), std::move(work));
}

CallId Client::Submit(proxy::Request request, Transform transform, Then then) {
  const CallId call = ++last_call_;
  auto seen = std::make_shared<Seen>();
  seen->request = request;
  seen->issued = now_;
  calls_[call] = std::move(seen);
  if (transform) transforms_[call] = std::move(transform);
  if (then) thens_[call] = std::move(then);
  inside_backend_ = true;
  backend_.Submit(call, now_, std::move(request));
  inside_backend_ = false;
  return call;
}

void Client::Run(Time until) {
  for (;;) {
    const std::optional<Time> event = backend_.NextEvent();
    Time next = wakes_.empty() ? Time::max() : wakes_.begin()->first;
    if (event) next = std::min(next, std::max(*event, now_));
    if (next > until || next == Time::max()) break;
    now_ = next;
    backend_.AdvanceTo(now_, *this);
    for (const auto& work : std::exchange(ready_, {})) work();
    // The backend's own things of this instant come before the client's wakes.
    const std::optional<Time> more = backend_.NextEvent();
    if (more && *more <= now_) continue;
    if (!wakes_.empty() && wakes_.begin()->first <= now_) {
      auto work = std::move(wakes_.begin()->second);
      wakes_.erase(wakes_.begin());
      work();
    }
  }
  if (until != Time::max()) now_ = std::max(now_, until);
}

void Client::Log(Time now, CallId call, std::string_view what) {
  EXPECT_FALSE(inside_backend_) << "told from inside Submit() or TransformDone(): " << what;
  EXPECT_EQ(now, now_) << what;
  log_ += fmt::format("{} {} {}\n", now.count(), call, what);
}

void Client::OnQueued(CallId call, Time now, v1::RequestType type, std::string_view warning) {
  Log(now, call, fmt::format("queued {} {}", static_cast<int>(type), warning));
  calls_.at(call)->queued.push_back(now);
  calls_.at(call)->warnings.emplace_back(warning);
}

void Client::OnAdmitted(CallId call, Time now) {
  Log(now, call, "admitted");
  calls_.at(call)->admitted.push_back(now);
}

void Client::OnTransform(CallId call, Time now, TransformInput input) {
  Log(now, call, fmt::format("transform {} {}", input.run, input.value.value_or("nil")));
  calls_.at(call)->runs.emplace_back(now, input);
  ready_.push_back([this, call, input = std::move(input)] {
    if (!transforms_.contains(call)) return;
    TransformOutput output = transforms_.at(call)(input);
    inside_backend_ = true;
    backend_.TransformDone(call, now_, std::move(output));
    inside_backend_ = false;
  });
}

void Client::OnAnswer(CallId call, Time now, BackendAnswer answer) {
  const std::shared_ptr<Seen> seen = calls_.at(call);
  Log(now, call,
      fmt::format("answer {} {} [{}] {} {} {}", static_cast<int>(answer.outcome),
                  answer.value.value_or("nil"), answer.error.text, answer.version, answer.taken[0],
                  answer.taken[1]));
  ++seen->answers;
  seen->answered = now;
  seen->answer = std::move(answer);
  if (const auto then = thens_.find(call); then != thens_.end()) {
    ready_.push_back([seen, work = std::move(then->second)] { work(*seen); });
    thens_.erase(then);
  }
  transforms_.erase(call);
}

void Client::OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) {
  Log(now, 0, fmt::format("notice {} {} {}", source, static_cast<int>(kind), text));
  notices_.emplace_back(text);
}

void Client::OnLimits(SourceId source, Time now, const v1::Limits& limits) {
  Log(now, 0, fmt::format("limits {} {}", source, limits.ShortDebugString()));
  limits_.push_back(limits);
}

void Client::OnFault(Time now, const v1::InjectedFault& fault) {
  Log(now, fault.call(), fmt::format("fault {}", fault.ShortDebugString()));
  faults_.push_back(fault);
}

void Client::OnFaulted(CallId call, uint64_t fault) {
  Log(now_, call, fmt::format("faulted {}", fault));
  calls_.at(call)->fault = fault;
}

namespace {
proxy::Request Of(v1::Method method, std::string key, SourceId source) {
  proxy::Request request;
  request.source = source;
  request.method = method;
  request.store = TestStore();
  request.key = std::move(key);
  return request;
}
}  // namespace

proxy::Request GetOf(std::string key, SourceId source) {
  return Of(v1::METHOD_GET_ASYNC, std::move(key), source);
}

proxy::Request FreshGetOf(std::string key, SourceId source) {
  proxy::Request request = GetOf(std::move(key), source);
  request.use_cache = v1::USE_CACHE_FALSE;
  return request;
}

proxy::Request SetOf(std::string key, std::string json, SourceId source) {
  proxy::Request request = Of(v1::METHOD_SET_ASYNC, std::move(key), source);
  request.value = std::move(json);
  return request;
}

proxy::Request UpdateOf(std::string key, SourceId source) {
  return Of(v1::METHOD_UPDATE_ASYNC, std::move(key), source);
}

proxy::Request RemoveOf(std::string key, SourceId source) {
  return Of(v1::METHOD_REMOVE_ASYNC, std::move(key), source);
}

proxy::Request IncrementOf(std::string key, int64_t delta, SourceId source) {
  proxy::Request request = Of(v1::METHOD_INCREMENT_ASYNC, std::move(key), source);
  request.delta = delta;
  return request;
}

namespace {
std::unique_ptr<proxy::Simulator> MakeSimulator(const GameOptions& options) {
  auto rules = proxy::FindRuleProfile(options.profile);
  EXPECT_TRUE(rules.ok()) << rules.status().message();
  for (const auto& [name, value] : options.rules) {
    const Status status = proxy::SetRule(*rules, name, value);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  return std::make_unique<proxy::Simulator>(
      proxy::SimulatorOptions{*rules, options.seed, options.start_unix_ns});
}
}  // namespace

Game::Game(const GameOptions& options) : simulator_(MakeSimulator(options)), client_(*simulator_) {
  simulator_->AddSource(1, Time(0), 0);
}

Seen Game::Do(proxy::Request request, Transform transform) {
  const CallId call = client_.Submit(std::move(request), std::move(transform));
  client_.Run();
  return client_.seen(call);
}

void Game::Wait(Time delay) { client_.Run(client_.now() + delay); }

}  // namespace dstap::test
