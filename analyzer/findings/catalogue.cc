#include "analyzer/findings/catalogue.h"

#include <algorithm>
#include <array>

#include "analyzer/findings/rules/rules.h"

namespace dstap::analyzer {
namespace {

constexpr std::array<const RuleEntry*, 47> kRules = {
    &kRateOverLimit,          &kRatePerPlayer,
    &kRedundantWrite,         &kSupersededWrites,
    &kWritesToSeveralStores,  &kSeveralWriters,
    &kBurstThrottled,         &kLongQueue,
    &kThrottledByOther,       &kRetryWithoutDelay,
    &kRetryWithoutBackoff,    &kRetryWithoutEnd,
    &kRetryInPhase,           &kStaleUpdate,
    &kUpdateConflict,         &kTransformRaised,
    &kReadThenWrite,          &kSequentialRequests,
    &kAmbiguousWriteRepeated, &kAmbiguousWriteCompensated,
    &kErrorSaidTwoWays,       &kErrorRetriedUnequally,
    &kValueRefused,           &kSuccessWithoutWrite,
    &kFailureAlthoughStored,  &kIndexNotWritten,
    &kSaveBeforeLoad,         &kStaleHandover,
    &kReceiptBeforeData,      &kOrphanLock,
    &kLockJudgedDifferently,  &kLockSeenLate,
    &kLockTakenOver,          &kShutdownTooLong,
    &kShutdownDidNotWait,     &kOrderedPolling,
    &kListingStops,           &kLegacyBudget,
    &kBudgetAlwaysZero,       &kSilentStep,
    &kStepWaitsToSend,        &kKeysOnlyGrow,
    &kKeysFromText,           &kValueNearLimit,
    &kKeyWriteThroughput,     &kWriteCooldown,
    &kClocksDisagree};

}  // namespace

std::span<const RuleEntry* const> AllRules() { return kRules; }

const RuleEntry* FindRule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &RuleEntry::id);
  return found == kRules.end() ? nullptr : *found;
}

}  // namespace dstap::analyzer
