// UpdateAsync: a read or the local copy, the caller's function, and a write that holds only if
// nobody else wrote in between.
#include <utility>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/simulator.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {
namespace {

// Nothing was written in between. Missing and removed are the same to a function that gets nil.
bool SameVersion(const VersionPtr& a, const VersionPtr& b) {
  if (!HasValue(a) || !HasValue(b)) return HasValue(a) == HasValue(b);
  return a->info.version == b->info.version;
}

}  // namespace

void Simulator::StartUpdate(Call& call) {
  if (rules_.update_uses_cache != 0) {
    if (const auto copy = call.server->cache().Find(call.request.store, call.request.key, now_)) {
      call.answer.served_by = v1::SERVED_BY_LOCAL_COPY;
      return RunTransform(call, *copy);
    }
  }
  Acquire(call, 0);
}

void Simulator::ServeUpdateRead(Call& call) {
  VersionPtr latest = store_.Latest(call.place);
  call.server->cache().Put(call.request.store, call.request.key, now_, latest);
  call.answer.served_by = v1::SERVED_BY_BACKEND;
  RunTransform(call, std::move(latest));
}

void Simulator::RunTransform(Call& call, VersionPtr seen) {
  call.stage = Stage::kTransforming;
  call.seen = std::move(seen);
  TransformInput input;
  input.run = ++call.runs;
  if (HasValue(call.seen)) input.value = call.seen->value;
  input.key_info = InfoOf(call.seen, call.request.store);
  Tell(call.id, std::move(input));
}

void Simulator::TransformDone(CallId id, Time now, TransformOutput output) {
  Settle(now);
  const auto found = calls_.find(id);
  if (found == calls_.end() || found->second.stage != Stage::kTransforming) return;
  Call& call = found->second;
  call.output = std::move(output);
  if (call.output.outcome == v1::TRANSFORM_OUTCOME_VALUE) {
    // Checked by reference to a copy that may be absent; the value itself stays where it is.
    const std::optional<std::string> value = std::move(call.output.value);
    const ValueToStore to_store{call.request.store.kind, value, call.output.user_ids,
                                call.output.metadata};
    if (std::optional<CallError> error = CheckValue(to_store, rules_)) {
      return Reject(call, *std::move(error));
    }
    call.output.value = *value;
    if (call.runs > 1) {
      // U: after a conflict the tokens are taken without waiting.
      call.step = 1;
      if (rules_.conflict_takes_tokens != 0) {
        call.server->TakeSilently(call.spends[1], now_);
        PlanDrain(call.request.source, call.spends[1]);
        ++call.answer.taken[1];
      }
      return Send(call);
    }
    return Acquire(call, 1);
  }
  BackendAnswer answer;
  answer.served_by = call.answer.served_by;
  answer.outcome = v1::OUTCOME_CANCELLED;
  if (call.output.outcome == v1::TRANSFORM_OUTCOME_RAISED) {
    const CallError yielded = MakeError(ErrorId::kCallbackYielded);
    if (call.output.error.find(yielded.text) != std::string::npos) {
      answer.outcome = v1::OUTCOME_FAILED;
      answer.error = yielded;
    } else if (rules_.raised_transform_fails != 0) {
      answer.outcome = v1::OUTCOME_FAILED;
      answer.error.text = call.output.error;
    } else {
      Tell(call.id, Printed{call.request.source, v1::NOTICE_KIND_ERROR, call.output.error});
    }
  } else if (call.output.outcome != v1::TRANSFORM_OUTCOME_NIL) {
    answer.outcome = v1::OUTCOME_UNKNOWN;  // The client never said what the function gave.
  }
  Answer(call, std::move(answer));
}

void Simulator::ServeUpdateWrite(Call& call) {
  const StoreName& store = call.request.store;
  VersionPtr latest = store_.Latest(call.place);
  if (!SameVersion(call.seen, latest)) {
    if (rules_.conflict_takes_tokens != 0) {
      call.server->TakeSilently(call.spends[0], now_);
      PlanDrain(call.request.source, call.spends[0]);
      ++call.answer.taken[0];
    }
    call.server->cache().Put(store, call.request.key, now_, latest);
    return RunTransform(call, std::move(latest));
  }
  const VersionPtr made = store_.Write(call.place, UnixUs(), std::move(call.output.value),
                                       AttributesOf(call.output.user_ids, call.output.metadata));
  call.server->cache().Put(store, call.request.key, now_, made);
  Answer(call, ReadAnswer(call, made, call.answer.served_by));
}

}  // namespace dstap::proxy
