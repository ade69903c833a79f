// SetAsync, IncrementAsync, RemoveAsync: one request, applied when it is answered.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/simulator.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {
namespace {

constexpr int64_t kBytesPerMb = 1024 * 1024;

}  // namespace

// D: 500 MB and 1 MB for each user; what happens past it is announced and not described. `bytes`
// are those of the value that comes. Values count as JSON, so that this is above what the service
// counts, which is compressed. False: the call was answered with an error.
bool Simulator::StorageAllows(Call& call, size_t bytes) {
  const int64_t mb = rules_.storage_base_mb + rules_.storage_per_user_mb * most_players_;
  const int64_t after = store_.BytesWith(call.place, static_cast<int64_t>(bytes));
  if (after <= mb * kBytesPerMb) return true;
  if (rules_.storage_enforced != 0) {
    BackendAnswer answer;
    answer.outcome = v1::OUTCOME_FAILED;
    answer.error = MakeError(ErrorId::kStorageFull);
    answer.served_by = v1::SERVED_BY_BACKEND;
    Answer(call, std::move(answer));
    return false;
  }
  if (!std::exchange(storage_told_, true)) {
    Tell(0, Printed{call.request.source, v1::NOTICE_KIND_RECORDER,
                    fmt::format("the experience stores {} bytes of JSON, and its storage limit is "
                                "{} MB, compressed; nothing is refused",
                                after, mb)});
  }
  return true;
}

void Simulator::ServeSet(Call& call) {
  if (!StorageAllows(call, call.request.value->size())) return;
  Request& request = call.request;
  const VersionPtr made = store_.Write(call.place, UnixUs(), *std::move(request.value),
                                       AttributesOf(request.user_ids, request.metadata));
  KeepCopy(call, made);
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.served_by = v1::SERVED_BY_BACKEND;
  if (InfoOf(made, request.store)) answer.version = made->info.version;
  Answer(call, std::move(answer));
}

void Simulator::ServeIncrement(Call& call) {
  const Request& request = call.request;
  const VersionPtr latest = store_.Latest(call.place);
  const std::optional<int64_t> old = HasValue(latest) ? IntegerOf(latest->value) : 0;
  int64_t sum = 0;
  // U: what happens past 64 bits; refused like any other value that is not a number there.
  if (!old || __builtin_add_overflow(*old, request.delta.value_or(1), &sum)) {
    BackendAnswer answer;
    answer.outcome = v1::OUTCOME_FAILED;
    answer.error = MakeError(ErrorId::kNotNumeric);
    answer.served_by = v1::SERVED_BY_BACKEND;
    return Answer(call, std::move(answer));
  }
  std::string json = fmt::format("{}", sum);
  if (!StorageAllows(call, json.size())) return;
  const VersionPtr made = store_.Write(call.place, UnixUs(), std::move(json),
                                       AttributesOf(request.user_ids, request.metadata));
  KeepCopy(call, made);
  Answer(call, ReadAnswer(call, made, v1::SERVED_BY_BACKEND));
}

void Simulator::ServeRemove(Call& call) {
  // Stands for "removed" where the service itself keeps nothing of an entry.
  static const VersionPtr kRemoved = [] {
    auto version = std::make_shared<Version>();
    version->deleted = true;
    return version;
  }();
  const VersionPtr removed = store_.Remove(call.place, UnixUs());
  KeepCopy(call, kRemoved);
  Answer(call, ReadAnswer(call, removed, v1::SERVED_BY_BACKEND));
}

}  // namespace dstap::proxy
