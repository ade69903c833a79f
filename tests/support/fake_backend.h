// A backend whose every move a test decides.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "proxy/backend/backend.h"

namespace dstap::test {

// Calls are kept in `submitted`; a test schedules what the listener hears with At(). Budgets are
// what `budgets` says, 0 otherwise. Spends() follows the 2026 rules for GetAsync and UpdateAsync.
class FakeBackend final : public proxy::Backend {
 public:
  using Event = std::function<void(proxy::BackendListener&, Time)>;

  void At(Time when, Event event) { events_.emplace(when, std::move(event)); }

  void AnswerAt(Time when, proxy::CallId call, proxy::BackendAnswer answer) {
    At(when, [call, answer](proxy::BackendListener& listener, Time now) {
      listener.OnAnswer(call, now, answer);
    });
  }
  void OkAt(Time when, proxy::CallId call, std::string value = "1") {
    proxy::BackendAnswer answer;
    answer.outcome = v1::OUTCOME_OK;
    answer.value = std::move(value);
    answer.served_by = v1::SERVED_BY_BACKEND;
    AnswerAt(when, call, answer);
  }
  void TransformAt(Time when, proxy::CallId call, proxy::TransformInput input) {
    At(when, [call, input](proxy::BackendListener& listener, Time now) {
      listener.OnTransform(call, now, input);
    });
  }

  void AddSource(proxy::SourceId source, Time /*now*/, uint32_t players) override {
    players_[source] = players;
  }
  void SetPlayers(proxy::SourceId source, Time /*now*/, uint32_t players) override {
    players_[source] = players;
  }
  void CloseSource(proxy::SourceId source, Time /*now*/) override { closing.push_back(source); }
  bool MixedTablesFail() const override { return mixed_tables_fail; }
  void Submit(proxy::CallId call, Time now, proxy::Request request) override {
    submitted.emplace_back(call, request);
    if (on_submit) on_submit(call, now, submitted.back().second);
  }
  void TransformDone(proxy::CallId call, Time now, proxy::TransformOutput output) override {
    transformed.emplace_back(call, output);
    if (on_transform) on_transform(call, now, output);
  }
  void Cancel(proxy::CallId call) override { cancelled.push_back(call); }

  std::optional<Time> NextEvent() const override {
    if (events_.empty()) return {};
    return events_.begin()->first;
  }
  void AdvanceTo(Time now, proxy::BackendListener& listener) override {
    while (!events_.empty() && events_.begin()->first <= now) {
      const Event event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      event(listener, now);
    }
  }

  proxy::CallError OpenStore(proxy::SourceId /*source*/, Time /*now*/,
                             const proxy::StoreName& store) override {
    if (!store.name.empty()) return {};
    return {.code = 101, .name = "", .text = "101: DataStore name can't be empty."};
  }
  int64_t Budget(proxy::SourceId /*source*/, Time /*now*/, v1::RequestType type) override {
    return budgets[type];
  }
  Time BudgetChange(proxy::SourceId /*source*/, Time now, v1::RequestType /*type*/) override {
    return std::max(now, budget_change);
  }
  proxy::CallError SetRateLimit(proxy::SourceId /*source*/, Time /*now*/, v1::RequestType type,
                                int64_t base, int64_t /*per_player*/) override {
    budgets[type] = base;
    return {};
  }
  std::array<v1::RequestType, 2> Spends(const proxy::Request& request) const override {
    switch (request.method) {
      case v1::METHOD_GET_ASYNC:
        return {v1::REQUEST_TYPE_STANDARD_READ, {}};
      case v1::METHOD_UPDATE_ASYNC:
        return {v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE};
      default:
        return {};
    }
  }

  std::vector<std::pair<proxy::CallId, proxy::Request>> submitted;
  std::vector<std::pair<proxy::CallId, proxy::TransformOutput>> transformed;
  std::vector<proxy::CallId> cancelled;
  std::vector<proxy::SourceId> closing;
  bool mixed_tables_fail = false;
  std::map<v1::RequestType, int64_t> budgets;
  Time budget_change{0};
  std::map<proxy::SourceId, uint32_t> players_;
  std::function<void(proxy::CallId, Time, const proxy::Request&)> on_submit;
  std::function<void(proxy::CallId, Time, const proxy::TransformOutput&)> on_transform;

 private:
  std::multimap<Time, Event> events_;
};

}  // namespace dstap::test
