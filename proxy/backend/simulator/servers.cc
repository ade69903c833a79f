// Game servers and their limits, which change while the simulation runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "proto/base/check.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/simulator.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {
namespace {

// D: what SetRateLimitForRequestType accepts. UpdateAsync and OnUpdate are not in it: they cannot
// be set.
struct RangeRow {
  v1::RequestType type;
  int64_t base_max;
  int64_t per_player_max;
};

constexpr RangeRow kRanges[] = {
    {v1::REQUEST_TYPE_GET_ASYNC, 60, 40},
    {v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, 60, 40},
    {v1::REQUEST_TYPE_GET_SORTED_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_LIST_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_GET_VERSION_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, 5, 2},
    {v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, 30, 5},
    {v1::REQUEST_TYPE_STANDARD_READ, 10'000, 200},
    {v1::REQUEST_TYPE_STANDARD_WRITE, 10'000, 200},
    {v1::REQUEST_TYPE_STANDARD_LIST, 10'000, 200},
    {v1::REQUEST_TYPE_STANDARD_REMOVE, 10'000, 200},
    {v1::REQUEST_TYPE_ORDERED_READ, 10'000, 200},
    {v1::REQUEST_TYPE_ORDERED_WRITE, 10'000, 200},
    {v1::REQUEST_TYPE_ORDERED_LIST, 10'000, 200},
    {v1::REQUEST_TYPE_ORDERED_REMOVE, 10'000, 200},
};

}  // namespace

GameServer& Simulator::ServerOf(SourceId source) {
  const auto found = servers_.find(source);
  DSTAP_CHECK(found != servers_.end());
  return found->second;
}

void Simulator::AddSource(SourceId source, Time now, uint32_t players) {
  Settle(now);
  const bool is_new = servers_.try_emplace(source, rules_, now_, players).second;
  ChangePlayers(source, players, is_new ? "start" : "players");
  if (is_new) TellCutStarts(source);
}

// Once a run: later servers are the same, or have more room.
void Simulator::TellCutStarts(SourceId source) {
  if (starts_told_) return;
  for (size_t i = 0; i < kRequestTypes; ++i) {
    const auto type = static_cast<v1::RequestType>(i);
    const int64_t start = rules_.buckets[i].start_level;
    if (!rules_.buckets[i].live || start <= ServerOf(source).CapOf(type)) continue;
    starts_told_ = true;
    Tell(0, Printed{source, v1::NOTICE_KIND_RECORDER,
                    fmt::format("a new server starts with {} tokens of {}, not the {} that its "
                                "rule says: its bucket holds no more",
                                ServerOf(source).CapOf(type), RequestTypeName(type), start)});
  }
}

void Simulator::CloseSource(SourceId source, Time now) {
  Settle(now);
  if (rules_.close_raises_budgets == 0) return;
  ServerOf(source).RaiseForClose(now_);
  for (size_t type = 0; type < kRequestTypes; ++type) {
    if (rules_.buckets[type].live) PlanDrain(source, static_cast<v1::RequestType>(type));
  }
}

void Simulator::SetPlayers(SourceId source, Time now, uint32_t players) {
  Settle(now);
  ChangePlayers(source, players, "players");
}

void Simulator::ChangePlayers(SourceId source, uint32_t players, std::string_view reason) {
  GameServer& server = ServerOf(source);
  server.SetPlayers(now_, players);
  int64_t all_players = 0;
  for (const auto& [id, each] : servers_) all_players += each.players();
  experience_.SetPlayers(now_, all_players);
  most_players_ = std::max(most_players_, all_players);
  for (const auto& [id, each] : servers_) {
    // Others gain only where they wait for the experience.
    if (id != source && rules_.experience.queues == 0) continue;
    for (size_t type = 0; type < kRequestTypes; ++type) {
      if (rules_.buckets[type].live) PlanDrain(id, static_cast<v1::RequestType>(type));
    }
  }
  TellLimits(source, reason);
}

CallError Simulator::SetRateLimit(SourceId source, Time now, v1::RequestType type,
                                  int64_t base_per_minute, int64_t per_player_per_minute) {
  Settle(now);
  if (rules_.current_types == 0) return MakeError(ErrorId::kNoRateLimits);
  const RangeRow* range = nullptr;
  for (const RangeRow& row : kRanges) {
    if (row.type == type) range = &row;
  }
  if (range == nullptr) return MakeError(ErrorId::kRateLimitType, RequestTypeName(type));
  if (base_per_minute < 0 || base_per_minute > range->base_max || per_player_per_minute < 0 ||
      per_player_per_minute > range->per_player_max) {
    return MakeError(ErrorId::kRateLimitRange, RequestTypeName(type));
  }
  // O: the legacy types are knobs of their own, and turning them does not throttle anything here.
  if (!rules_.buckets[type].live) return {};
  ServerOf(source).SetRate(type, now_, {base_per_minute, per_player_per_minute});
  PlanDrain(source, type);
  TellLimits(source, "SetRateLimitForRequestType");
  return {};
}

void Simulator::TellLimits(SourceId source, std::string_view reason) {
  v1::Limits limits = ServerOf(source).Limits();
  limits.set_source(source);
  limits.set_reason(std::string(reason));
  Tell(0, LimitsChanged{source, std::move(limits)});
}

CallError Simulator::OpenStore(SourceId /*source*/, Time now, const StoreName& store) {
  Settle(now);
  return CheckStore(store, rules_).value_or(CallError{});
}

int64_t Simulator::Budget(SourceId source, Time now, v1::RequestType type) {
  Settle(now);
  return ServerOf(source).Visible(type, now_);
}

Time Simulator::BudgetChange(SourceId source, Time now, v1::RequestType type) {
  Settle(now);
  // A token can be taken only when something happens. What is only still to be told has happened.
  const Time happens = events_.empty() ? Time::max() : events_.top().at;
  return std::min(happens, servers_.at(source).GrowsAt(type, now_).value_or(Time::max()));
}

}  // namespace dstap::proxy
