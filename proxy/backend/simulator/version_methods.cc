// GetVersionAsync, GetVersionAtTimeAsync, RemoveVersionAsync. None of them knows the local copy.
#include <utility>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {

void Simulator::ServeGetVersion(Call& call) {
  for (const VersionPtr& version : store_.Versions(call.place, UnixUs())) {
    if (version->info.version == call.request.list.version()) {
      return Answer(call, VersionAnswer(version));
    }
  }
  // U: unknown and expired ids give nil.
  if (rules_.unknown_version_fails == 0) return Answer(call, VersionAnswer(nullptr));
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_FAILED;
  answer.error = MakeError(ErrorId::kVersionNotValid);
  answer.served_by = v1::SERVED_BY_BACKEND;
  Answer(call, std::move(answer));
}

// The newest kept version that is not younger than the time asked for. What an hour's later writes
// overwrote is gone, so this need not be the one that was read then.
void Simulator::ServeGetVersionAtTime(Call& call) {
  VersionPtr current;
  for (const VersionPtr& version : store_.Versions(call.place, UnixUs())) {
    if (version->created_us / 1000 <= call.request.list.at_ms()) current = version;
  }
  Answer(call, VersionAnswer(current));
}

void Simulator::ServeRemoveVersion(Call& call) {
  store_.RemoveVersion(call.place, call.request.list.version());
  Answer(call, VersionAnswer(nullptr));
}

// U: a tombstone has key info and no value.
BackendAnswer Simulator::VersionAnswer(const VersionPtr& version) const {
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.served_by = v1::SERVED_BY_BACKEND;
  if (version == nullptr) return answer;
  if (version->deleted && rules_.tombstone_has_info == 0) return answer;
  if (!version->deleted) answer.value = version->value;
  answer.key_info = version->info;
  answer.version = version->info.version;
  return answer;
}

}  // namespace dstap::proxy
