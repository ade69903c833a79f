#include "analyzer/views/stage.h"

namespace dstap::analyzer {
namespace {

// The errors with which Roblox says that a queue was full: 301 to 306, and since 2026 names such as
// StandardReadGameServerThrottled. A recorder on a live server may know no more than "failed".
bool IsDropError(const Call& call) {
  return (call.error_code >= 301 && call.error_code <= 306) ||
         call.error_name.ends_with("GameServerThrottled");
}

// served_by is about the read. An UpdateAsync that read the server's copy and then had something to
// write went out.
bool IsLocal(const CallSummary& call) {
  if (call.served_by != ServedBy::kLocalCopy || call.has_spent) return false;
  if (call.method != Method::kUpdateAsync) return true;
  return call.outcome == Outcome::kCancelled ||
         (call.outcome == Outcome::kFailed && !call.has_written);
}

}  // namespace

Stage StageOf(const Call& call) {
  if (call.outcome == Outcome::kFailed && IsDropError(call)) return Stage::kDropped;
  return StageOf(CallSummary{.source = call.source,
                             .method = call.method,
                             .use_cache = call.use_cache,
                             .outcome = call.outcome,
                             .served_by = call.served_by,
                             .is_admitted = call.admitted.has_value(),
                             .was_queued = call.times_queued > 0,
                             .has_spent = call.budgets[0].taken != 0 || call.budgets[1].taken != 0,
                             .has_written = call.written.has_value()});
}

Stage StageOf(const CallSummary& call) {
  switch (call.outcome) {
    case Outcome::kDropped:
      return Stage::kDropped;
    case Outcome::kRejected:
      return Stage::kRejected;
    case Outcome::kInFlight:
      return Stage::kInFlight;
    case Outcome::kUnknown:
      return Stage::kUnknown;
    case Outcome::kFailed:
    case Outcome::kOk:
    case Outcome::kCancelled:
      break;
  }
  if (call.was_queued) return Stage::kQueued;
  if (IsLocal(call)) return Stage::kLocal;
  if (call.is_admitted || call.served_by != ServedBy::kUnknown) return Stage::kAdmitted;
  return Stage::kUnknown;
}

void Throttling::Add(Stage stage) {
  ++sent;
  switch (stage) {
    case Stage::kLocal:
      ++local;
      break;
    case Stage::kAdmitted:
      ++admitted;
      break;
    case Stage::kQueued:
      ++queued;
      break;
    case Stage::kDropped:
      ++dropped;
      break;
    case Stage::kRejected:
      ++rejected;
      break;
    case Stage::kInFlight:
      ++in_flight;
      break;
    case Stage::kUnknown:
      ++unknown;
      break;
  }
}

Throttling& Throttling::operator+=(const Throttling& other) {
  sent += other.sent;
  local += other.local;
  admitted += other.admitted;
  queued += other.queued;
  dropped += other.dropped;
  rejected += other.rejected;
  in_flight += other.in_flight;
  unknown += other.unknown;
  return *this;
}

}  // namespace dstap::analyzer
