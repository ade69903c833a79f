// What a capture holds, as plain values: what the recorder hands to the writer and the reader
// hands to the analyzer. Rare records are rows of capture.proto as they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"

namespace dstap::capture {

// A request type that a call spends. Absent budgets were not seen.
struct BudgetUse {
  v1::RequestType type = v1::REQUEST_TYPE_UNKNOWN;
  std::optional<uint64_t> before;  // Visible when the call was issued, before it took anything.
  std::optional<uint64_t> after;   // Visible when the answer was given.
  uint32_t taken = 0;              // Tokens it took itself.

  friend bool operator==(const BudgetUse&, const BudgetUse&) = default;
};

// One value that a call read or wrote. `bytes` is its length as JSON text.
struct ValueInfo {
  uint64_t bytes = 0;
  uint64_t hash = 0;  // XXH3 of the canonical JSON; 0: not known.
  // Only in captures made with --values.
  std::optional<std::string_view> value;
  v1::ValueEncoding encoding = v1::VALUE_ENCODING_UNKNOWN;

  friend bool operator==(const ValueInfo&, const ValueInfo&) = default;
};

struct TransformRun {
  v1::TransformOutcome outcome = v1::TRANSFORM_OUTCOME_UNKNOWN;
  Time started{};  // Since the recording began.
  Time took{};

  friend bool operator==(const TransformRun&, const TransformRun&) = default;
};

// One record of one call.
//
// Units:     times are nanoseconds since the recording began; in a file they are whole ticks
//            (1 us), rounded to the nearest.
// Ownership: owns nothing. Its views live as long as whoever handed it out says.
// Absent:    an empty view is "none"; optional times were never seen.
struct CallRecord {
  uint64_t id = 0;
  uint32_t source = 0;
  std::string_view caller;
  v1::Method method = v1::METHOD_UNKNOWN;
  std::string_view store;
  std::string_view scope;
  v1::StoreKind store_kind = v1::STORE_KIND_UNKNOWN;
  bool all_scopes = false;
  std::string_view key;
  v1::UseCache use_cache = v1::USE_CACHE_UNSET;
  const v1::ListArguments* list = nullptr;

  Time issued{};
  std::optional<Time> admitted;   // Left its (last) queue, or was let through at once.
  std::optional<Time> completed;  // The caller got its answer.
  uint32_t times_queued = 0;
  Time queued{};  // Time spent in queues.
  v1::ServedBy served_by = v1::SERVED_BY_UNKNOWN;

  std::span<const TransformRun> transform_runs;

  v1::Outcome outcome = v1::OUTCOME_UNKNOWN;
  uint32_t error_code = 0;
  std::string_view error_name;
  std::string_view error_text;

  std::optional<ValueInfo> read;
  std::optional<ValueInfo> written;
  std::string_view version;
  std::array<BudgetUse, 2> budgets;  // Type unknown: not spent.
  uint64_t fault = 0;
};

}  // namespace dstap::capture
