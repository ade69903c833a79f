#include "tests/bench/traffic_world.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

namespace dstap::bench {
namespace {

constexpr double kQueueLength = 30;

constexpr std::string_view kSaver = "ServerScriptService.Server.Data.PlayerDataService";
constexpr std::string_view kShop = "ServerScriptService.Server.Shop.PurchaseHandler";
constexpr std::string_view kBoards = "ServerScriptService.Server.Leaderboards";
constexpr std::string_view kGuilds = "ServerScriptService.Server.Social.Guilds";

constexpr StoreRow kStores[] = {
    {"PlayerData_v3", v1::STORE_KIND_STANDARD, "Player_", "", kSaver, 50},
    {"Inventory", v1::STORE_KIND_STANDARD, "", "", kSaver, 15},
    {"Settings", v1::STORE_KIND_STANDARD, "user/", "/settings", kSaver, 8},
    {"PurchaseHistory", v1::STORE_KIND_STANDARD, "", "_receipts", kShop, 7},
    {"GuildMembers", v1::STORE_KIND_STANDARD, "member:", "", kGuilds, 4},
    {"Bans", v1::STORE_KIND_STANDARD, "", "", "ServerScriptService.Server.Moderation", 4},
    {"DailyRewards", v1::STORE_KIND_STANDARD, "streak_", "", kShop, 4},
    {"PetsBackup", v1::STORE_KIND_STANDARD, "pets/", "/slot1", kSaver, 2},
    {"GlobalCoins", v1::STORE_KIND_ORDERED, "", "", kBoards, 4},
    {"WeeklyWins", v1::STORE_KIND_ORDERED, "", "", kBoards, 2},
};

// Each of weight 1, with the user's id for a key: 50 stores in all.
constexpr std::string_view kSmallStores[] = {
    "Achievements",    "BattlePass_S1", "BattlePass_S2",   "BattlePass_S3", "BattlePass_S4",
    "BoatLoadouts",    "Codes_2024",    "Codes_2025",      "Codes_2026",    "Crafting",
    "DungeonProgress", "EventEaster",   "EventHalloween",  "EventSummer",   "EventWinter",
    "Farm_v2",         "FriendBonuses", "GamepassGrants",  "Gifts",         "HouseLayout",
    "Keybinds",        "LoginHistory",  "MailInbox",       "MailOutbox",    "Minigames",
    "Mounts",          "Mutes",         "ParkourTimes",    "PhotoAlbum",    "PlayerData_v1",
    "PlayerData_v2",   "Quests",        "ReferralRewards", "Reports",       "SkillTrees",
    "Titles",          "TradeHistory",  "Tutorial",        "VehicleGarage", "Warnings",
};
static_assert(std::size(kStores) + std::size(kSmallStores) == 50);

constexpr auto kNone = v1::REQUEST_TYPE_UNKNOWN;
constexpr auto kRead = v1::REQUEST_TYPE_STANDARD_READ;
constexpr auto kWrite = v1::REQUEST_TYPE_STANDARD_WRITE;

constexpr MethodRow kStandardMethods[] = {
    {v1::METHOD_UPDATE_ASYNC, 48, kRead, kWrite, 304, "UpdateAsyncThrottle",
     "304: UpdateAsync request dropped. Request was throttled, but throttled request queue was "
     "full."},
    {v1::METHOD_GET_ASYNC, 36, kRead, kNone, 301, "GetAsyncThrottle",
     "301: GetAsync request dropped. Request was throttled, but throttled request queue was full."},
    {v1::METHOD_SET_ASYNC, 13, kNone, kWrite, 302, "SetAsyncThrottle",
     "302: SetAsync request dropped. Request was throttled, but throttled request queue was full."},
    {v1::METHOD_LIST_VERSIONS_ASYNC, 1, v1::REQUEST_TYPE_STANDARD_LIST, kNone, 0, "", ""},
    {v1::METHOD_REMOVE_ASYNC, 2, kNone, v1::REQUEST_TYPE_STANDARD_REMOVE, 306,
     "RemoveAsyncThrottle",
     "306: RemoveAsync request dropped. Request was throttled, but throttled request queue was "
     "full."},
};

constexpr MethodRow kOrderedMethods[] = {
    {v1::METHOD_SET_ASYNC, 60, kNone, v1::REQUEST_TYPE_ORDERED_WRITE, 302, "SetAsyncThrottle",
     "302: SetAsync request dropped. Request was throttled, but throttled request queue was full."},
    {v1::METHOD_INCREMENT_ASYNC, 25, kNone, v1::REQUEST_TYPE_ORDERED_WRITE, 303,
     "IncreAsyncThrottle",
     "303: IncrementAsync request dropped. Request was throttled, but throttled request queue was "
     "full."},
    {v1::METHOD_GET_SORTED_ASYNC, 15, v1::REQUEST_TYPE_ORDERED_LIST, kNone, 305,
     "GetSortedThrottle",
     "305: GetSorted request dropped. Request was throttled, but throttled request queue was "
     "full."},
};

template <typename Row>
const Row& PickByWeight(std::span<const Row> rows, Dice& dice) {
  uint64_t total = 0;
  for (const Row& row : rows) total += row.weight;
  uint64_t at = dice.Below(total);
  for (const Row& row : rows) {
    if (at < row.weight) return row;
    at -= row.weight;
  }
  return rows.back();
}

}  // namespace

double Dice::Exponential(double mean) { return -mean * std::log1p(-prng_.Unit()); }

double Dice::LogNormal(double median, double sigma) {
  const double radius = std::sqrt(-2 * std::log1p(-prng_.Unit()));
  return median * std::exp(sigma * radius * std::cos(2 * std::numbers::pi * prng_.Unit()));
}

Time Seconds(double seconds) { return Time(std::llround(seconds * 1e6) * 1000); }

Users::Users(uint32_t count, Dice& dice) {
  users_.resize(count);
  cumulative_.resize(count);
  double sum = 0;
  for (uint32_t rank = 0; rank < count; ++rank) {
    users_[rank].id = 1'000'000'000 + dice.Below(8'999'999'999);
    // Most have been here before.
    if (!dice.OneIn(10)) users_[rank].bytes = static_cast<uint64_t>(dice.LogNormal(1800, 1.2)) + 2;
    users_[rank].hash = dice.Next();
    sum += 1.0 / (rank + 1);
    cumulative_[rank] = sum;
  }
}

Users::User& Users::Pick(Dice& dice) {
  constexpr uint64_t kSteps = uint64_t{1} << 40;
  const double at =
      cumulative_.back() * static_cast<double>(dice.Below(kSteps)) / static_cast<double>(kSteps);
  const auto found = std::ranges::upper_bound(cumulative_, at);
  return users_[static_cast<size_t>(found - cumulative_.begin())];
}

const StoreRow& PickStore(Dice& dice) {
  static const std::vector<StoreRow> all = [] {
    std::vector<StoreRow> rows(std::begin(kStores), std::end(kStores));
    for (const std::string_view name : kSmallStores) {
      rows.push_back({name, v1::STORE_KIND_STANDARD, "", "", kShop, 1});
    }
    return rows;
  }();
  return PickByWeight(std::span<const StoreRow>(all), dice);
}

const MethodRow& PickMethod(v1::StoreKind kind, Dice& dice) {
  return kind == v1::STORE_KIND_ORDERED
             ? PickByWeight(std::span<const MethodRow>(kOrderedMethods), dice)
             : PickByWeight(std::span<const MethodRow>(kStandardMethods), dice);
}

void Budget::Refill(Time now) {
  if (now <= refilled_) return;
  const double seconds = static_cast<double>((now - refilled_).count()) * 1e-9;
  level_ = std::min(cap_, level_ + rate_ * seconds);
  refilled_ = now;
}

uint64_t Budget::Visible(Time now) {
  Refill(now);
  return static_cast<uint64_t>(std::max(0.0, level_));
}

Budget::Ticket Budget::Take(Time now) {
  Refill(now);
  if (level_ >= 1 && queue_free_ <= now) {
    level_ -= 1;
    return {};
  }
  const Time from = std::max(now, queue_free_);
  const Time wait = from + Seconds(1 / rate_) - now;
  if (static_cast<double>(wait.count()) * 1e-9 * rate_ > kQueueLength) {
    return {.fate = Fate::kDropped};
  }
  queue_free_ = now + wait;
  level_ = 0;
  refilled_ = queue_free_;  // Tokens until then are promised.
  return {.fate = Fate::kQueued, .wait = wait};
}

}  // namespace dstap::bench
