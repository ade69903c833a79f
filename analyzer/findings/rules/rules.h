// The rows of the catalogue, each in a file of its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "analyzer/findings/rule.h"
#include "analyzer/findings/words.h"

namespace dstap::analyzer {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

extern const RuleEntry kRateOverLimit;
extern const RuleEntry kRatePerPlayer;
extern const RuleEntry kRedundantWrite;
extern const RuleEntry kSupersededWrites;
extern const RuleEntry kWritesToSeveralStores;
extern const RuleEntry kSeveralWriters;
extern const RuleEntry kBurstThrottled;
extern const RuleEntry kLongQueue;
extern const RuleEntry kThrottledByOther;
extern const RuleEntry kRetryWithoutDelay;
extern const RuleEntry kRetryWithoutBackoff;
extern const RuleEntry kRetryWithoutEnd;
extern const RuleEntry kRetryInPhase;
extern const RuleEntry kStaleUpdate;
extern const RuleEntry kUpdateConflict;
extern const RuleEntry kTransformRaised;
extern const RuleEntry kReadThenWrite;
extern const RuleEntry kSequentialRequests;
extern const RuleEntry kAmbiguousWriteRepeated;
extern const RuleEntry kAmbiguousWriteCompensated;
extern const RuleEntry kErrorSaidTwoWays;
extern const RuleEntry kErrorRetriedUnequally;
extern const RuleEntry kValueRefused;
extern const RuleEntry kSuccessWithoutWrite;
extern const RuleEntry kFailureAlthoughStored;
extern const RuleEntry kIndexNotWritten;
extern const RuleEntry kSaveBeforeLoad;
extern const RuleEntry kStaleHandover;
extern const RuleEntry kReceiptBeforeData;
extern const RuleEntry kOrphanLock;
extern const RuleEntry kLockJudgedDifferently;
extern const RuleEntry kLockSeenLate;
extern const RuleEntry kLockTakenOver;
extern const RuleEntry kShutdownTooLong;
extern const RuleEntry kShutdownDidNotWait;
extern const RuleEntry kOrderedPolling;
extern const RuleEntry kListingStops;
extern const RuleEntry kLegacyBudget;
extern const RuleEntry kBudgetAlwaysZero;
extern const RuleEntry kSilentStep;
extern const RuleEntry kStepWaitsToSend;
extern const RuleEntry kKeysOnlyGrow;
extern const RuleEntry kKeysFromText;
extern const RuleEntry kValueNearLimit;
extern const RuleEntry kKeyWriteThroughput;
extern const RuleEntry kWriteCooldown;
extern const RuleEntry kClocksDisagree;

}  // namespace dstap::analyzer
