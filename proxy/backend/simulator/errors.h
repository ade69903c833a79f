// The service's error texts, as a script sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proxy/backend/backend.h"

namespace dstap::proxy {

// Rows of the table in errors.cc: what the rules lead to, and what only a fault does, which the
// service has a text for all the same.
enum class ErrorId : uint8_t {
  kKeyEmpty,
  kKeyTooLong,
  kKeyWithoutScope,
  kStoreNameEmpty,
  kStoreNameTooLong,
  kScopeEmpty,
  kScopeTooLong,
  kScopeWithAllScopes,
  kKindNotAllowed,  // {} = nil, double, Array, Dictionary, string, boolean
  kCannotStore,     // {} = string, Array, Dictionary
  kValueTooLarge,
  kMaxValueNotInteger,
  kMinValueNotInteger,
  kPageSizeTooGreat,
  kPageSizeTooSmall,
  kMinAboveMax,
  kGetDropped,
  kSetDropped,
  kIncrementDropped,
  kUpdateDropped,
  kGetSortedDropped,
  kRemoveDropped,
  kShuttingDown,
  kShutDown,
  kNoAccessFromStudio,
  kOrderedStoreMissing,
  kResponseCorrupted,
  kRejected,  // {} = HTTP 500 (Internal Server Error)
  kNotNumeric,
  kKeyThrottledByCode,
  kKeyNotInResponse,
  kResponseMalformed,
  kOrderedResponseMalformed,
  kPersonalServer,
  kMetadataTooLarge,
  kTooManyUserIds,
  kUserIdFormat,
  kMetadataFormat,
  kUserIdsNotAllowed,
  kOptionsNotAllowed,
  kStoreDeleted,
  kStoreThrottled,
  kKeyThrottled,
  kInternal,
  kExclusiveStartKey,
  kPlace,
  kTarget,
  kUniverse,
  kUserIds,
  kKeyNotFound,
  kStorageFull,
  kVersionNotValid,
  kTimestamp,
  kNoMorePages,
  kUnpublished,
  kCallbackYielded,
  kBatchOfStandard,
  kBatchSize,
  kNotInStandard,  // {} = the method
  kNotInOrdered,
  kNotInService,
  kRateLimitType,
  kRateLimitRange,
  kNoRateLimits,
  kNotSimulated,  // {} = the method
};

struct ErrorRow {
  ErrorId id;
  uint32_t code;          // 0: the service names this error instead, or does neither.
  std::string_view name;  // The service's, where it has one.
  std::string_view text;  // All that pcall gives. {} stands for what MakeError is given.
  char mark;              // Evidence for the text: D, O, I, U; '-': dstap's own.
};

std::span<const ErrorRow> ErrorTable();

CallError MakeError(ErrorId id, std::string_view detail = "");

// A request that found its bucket dry and its queue full.
CallError DroppedError(v1::Method method, v1::RequestType type, bool legacy_codes);
// A request that the experience's limits stopped, in the game server's words or the service's.
CallError ExperienceError(v1::RequestType type, bool service_text = false);

// What the engine prints on a server for an error with a name: "DataStoreService: Name: text. API:
// SetAsync, Data Store: PlayerData".
std::string ConsoleLine(const CallError& error, v1::Method method, std::string_view store);

// Free text as an error: "502: ..." has a code and "KeyThrottled: ..." a name.
CallError ErrorOfText(std::string_view text);
// The same for what a client's engine refuses, which says "104: ..." and not what that is called.
CallError RefusalOf(std::string_view text);

// "GetAsync"; "method 17" for one without a name here.
std::string MethodName(v1::Method method);

}  // namespace dstap::proxy
