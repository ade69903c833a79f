// Answers, and what they are made of.
#include <utility>

#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/frames.h"
#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {

void Simulator::TellAnswer(const Call& call) {
  const CallError& error = call.answer.error;
  if (rules_.console_lines != 0 && error.code == 0 && !error.name.empty()) {
    Tell(0, Printed{call.request.source, v1::NOTICE_KIND_WARNING,
                    ConsoleLine(error, call.request.method, call.request.store.name)});
  }
  Tell(call.id, Answered{});
}

void Simulator::Answer(Call& call, BackendAnswer answer) {
  if (HasFault(call, ServiceFault::Kind::kFailAfterWrite) && answer.outcome == v1::OUTCOME_OK) {
    answer = {};
    answer.outcome = v1::OUTCOME_FAILED;
    answer.error = call.request.fault->error;
    answer.served_by = v1::SERVED_BY_BACKEND;
    answer.by_fault = true;
  }
  answer.taken = call.answer.taken;
  call.answer = std::move(answer);
  call.stage = Stage::kEnding;
  TellAnswer(call);
}

void Simulator::AnswerNextFrame(Call& call, v1::Outcome outcome, CallError error) {
  call.answer.outcome = outcome;
  call.answer.error = std::move(error);
  call.stage = Stage::kEnding;
  Plan(FrameAfter(now_), EventKind::kAnswer, call);
}

void Simulator::Reject(Call& call, CallError error) {
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_REJECTED;
  answer.error = std::move(error);
  Answer(call, std::move(answer));
}

void Simulator::FailByFault(Call& call) {
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_FAILED;
  answer.error = call.request.fault->error;
  answer.served_by = v1::SERVED_BY_BACKEND;
  answer.by_fault = true;
  Answer(call, std::move(answer));
}

// A server that was told that its write failed does not keep what it wrote (U).
void Simulator::KeepCopy(const Call& call, VersionPtr written) {
  if (HasFault(call, ServiceFault::Kind::kFailAfterWrite)) return;
  call.server->cache().Put(call.request.store, call.request.key, now_, std::move(written));
}

std::optional<KeyInfo> Simulator::InfoOf(const VersionPtr& version, const StoreName& store) const {
  // D: ordered stores have no key info; nobody had before there were versions.
  if (!HasValue(version) || rules_.versions == 0 || store.kind == v1::STORE_KIND_ORDERED) {
    return std::nullopt;
  }
  return version->info;
}

BackendAnswer Simulator::ReadAnswer(const Call& call, const VersionPtr& version,
                                    v1::ServedBy served_by) const {
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.served_by = served_by;
  if (!HasValue(version)) return answer;
  answer.value = version->value;
  answer.key_info = InfoOf(version, call.request.store);
  if (answer.key_info) answer.version = answer.key_info->version;
  return answer;
}

Attributes Simulator::AttributesOf(const std::vector<int64_t>& user_ids,
                                   const std::optional<std::string>& metadata) const {
  if (rules_.versions == 0) return {};  // The extra arguments did not exist and were ignored.
  Attributes attributes;
  attributes.user_ids = user_ids;
  if (metadata && *metadata != "[]") attributes.metadata = *metadata;
  return attributes;
}

}  // namespace dstap::proxy
