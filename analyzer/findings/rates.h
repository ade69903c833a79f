// What requests cost, and the limits of a server, by the dated rules of the service.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// What a server's requests are counted against. The names are those of today's request types.
enum class Budget : uint8_t {
  kStandardRead,
  kStandardWrite,
  kStandardList,
  kStandardRemove,
  kOrderedRead,
  kOrderedWrite,
  kOrderedList,
  kOrderedRemove,
};
inline constexpr size_t kBudgets = 8;

std::string_view NameOf(Budget budget);
// What a request type is counted against; nothing for those with a limit of their own.
std::optional<Budget> BudgetOf(RequestType type);
// Types that the platform calls old: they say nothing reliable about today's limits.
constexpr bool IsLegacy(RequestType type) {
  return type >= RequestType::kGetAsync && type <= RequestType::kGetVersionAsync;
}

// Requests a minute.
struct Rate {
  uint32_t base = 0;
  uint32_t per_player = 0;

  uint64_t At(uint64_t players) const { return base + uint64_t{per_player} * players; }
};

struct Cost {
  std::optional<Budget> budget;
  uint32_t taken = 0;
};

// The dated rules that `profile` names ("2020", "2023", "2026"); of an unknown one, today's.
Rate DefaultRate(std::string_view profile, Budget budget);

// What the call spent: as recorded, else by its method and how it ended. What never left the
// server, or was answered by its own copy (`is_local`), spent nothing.
std::array<Cost, 2> CostsOf(const Call& call, std::string_view profile, bool never_left,
                            bool is_local);

}  // namespace dstap::analyzer
