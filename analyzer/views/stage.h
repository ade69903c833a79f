// How far a DataStore call came through the server's throttling.
#pragma once

#include <cstdint>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// A call's worst stage: an UpdateAsync that was let through for its read and queued for its write
// was queued.
enum class Stage : uint8_t {
  kLocal,     // Answered by the server's own copy; spent nothing.
  kAdmitted,  // Let through at once.
  kQueued,    // Waited in a queue, whatever came of it.
  kDropped,   // Budget and queue were full.
  kRejected,  // Refused before it counted.
  kInFlight,  // Not answered yet; a worse stage may still come.
  kUnknown,   // The capture does not tell.
};

Stage StageOf(const Call& call);
// Of a call that did not fail.
Stage StageOf(const CallSummary& call);

// Calls by stage. sent = local + admitted + queued + dropped + gap().
struct Throttling {
  uint64_t sent = 0;
  uint64_t local = 0;
  uint64_t admitted = 0;
  uint64_t queued = 0;
  uint64_t dropped = 0;
  uint64_t rejected = 0;
  uint64_t in_flight = 0;
  uint64_t unknown = 0;

  void Add(Stage stage);
  Throttling& operator+=(const Throttling& other);
  // What does not close: sent, and never seen to be let through, queued or dropped. It is made of
  // the last three, which are facts of their own.
  uint64_t gap() const { return sent - local - admitted - queued - dropped; }

  friend bool operator==(const Throttling&, const Throttling&) = default;
};

}  // namespace dstap::analyzer
