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
  if (rules_.update_uses_cache != 0 && !HasFault(call, ServiceFault::Kind::kFail)) {
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
  if (call.output.outcome != v1::TRANSFORM_OUTCOME_VALUE) return EndWithoutWrite(call);
  if (!call.output.error.empty()) return Reject(call, RefusalOf(call.output.error));

  const ValueToStore to_store{call.request.store.kind, &call.output.value, call.output.user_ids,
                              call.output.metadata};
  if (std::optional<CallError> error = CheckValue(to_store, rules_)) {
    return Reject(call, *std::move(error));
  }
  if (call.runs == 1) return Acquire(call, 1);
  call.step = 1;
  TakeForConflict(call, 1);
  Send(call);
}

void Simulator::EndWithoutWrite(Call& call) {
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
  const bool gave_nil = call.output.outcome == v1::TRANSFORM_OUTCOME_NIL;
  if (gave_nil && rules_.cancelled_gives_old != 0 && HasValue(call.seen)) {
    answer.value = call.seen->value;
    answer.key_info = InfoOf(call.seen, call.request.store);
  }
  Answer(call, std::move(answer));
}

// U: after a conflict tokens are taken without waiting for them.
void Simulator::TakeForConflict(Call& call, size_t step) {
  if (rules_.conflict_takes_tokens == 0) return;
  call.server->TakeSilently(call.spends[step], now_);
  ++call.answer.taken[step];
  PlanDrain(call.request.source, call.spends[step]);
}

// A server that nobody sees has read and saved the key: the same value in a new version. A missing
// key stays missing, as if it had been written and removed.
VersionPtr Simulator::WriteByAnother(const Call& call) {
  const VersionPtr latest = store_.Latest(call.place);
  if (!HasValue(latest)) return latest;
  return store_.Write(call.place, UnixUs(), latest->value,
                      {latest->info.user_ids, latest->info.metadata});
}

void Simulator::ServeUpdateWrite(Call& call) {
  const StoreName& store = call.request.store;
  const bool disturbed = HasFault(call, ServiceFault::Kind::kConflict) && call.runs == 1;
  VersionPtr latest = disturbed ? WriteByAnother(call) : store_.Latest(call.place);
  if (disturbed || !SameVersion(call.seen, latest)) {
    TakeForConflict(call, 0);
    call.server->cache().Put(store, call.request.key, now_, latest);
    return RunTransform(call, std::move(latest));
  }
  if (!StorageAllows(call, call.output.value.size())) return;
  const VersionPtr made = store_.Write(call.place, UnixUs(), std::move(call.output.value),
                                       AttributesOf(call.output.user_ids, call.output.metadata));
  KeepCopy(call, made);
  Answer(call, ReadAnswer(call, made, call.answer.served_by));
}

}  // namespace dstap::proxy
