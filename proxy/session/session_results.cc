// What a client sends about its open calls: results of transforms, and the ends of its own calls.
#include <fmt/format.h>

#include <algorithm>

#include "proxy/session/convert.h"
#include "proxy/session/session.h"

namespace dstap::proxy {
namespace {

Status Broken(std::string what) { return {ErrorCode::kDamaged, std::move(what)}; }

}  // namespace

Status Session::OnTransformResult(Time now, const v1::TransformResult& result) {
  const auto found = calls_.find(result.call());
  if (found == calls_.end()) {
    return Broken(fmt::format("a transform result for call {}, which is not open", result.call()));
  }
  Exchange::OpenCall& call = exchange_.calls.at(found->second);
  DSTAP_TRY(CheckRun(call, result));
  switch (result.outcome()) {
    case v1::TRANSFORM_OUTCOME_VALUE:
    case v1::TRANSFORM_OUTCOME_NIL:
    case v1::TRANSFORM_OUTCOME_RAISED:
      break;
    default:
      return Broken(
          fmt::format("a transform result of call {} says neither value, nil nor "
                      "raised",
                      result.call()));
  }
  TransformOutput output = OutputOf(result);
  if (call.is_own) exchange_.recorder.TransformAsked(found->second, now, GivenIn(result));
  exchange_.recorder.TransformDone(found->second, output,
                                   Time(std::max<int64_t>(0, result.took_ns())));
  if (call.is_own) {
    call.run = result.run();
  } else {
    call.run = 0;
    exchange_.backend.TransformDone(found->second, now, std::move(output));
  }
  return {};
}

Status Session::CheckRun(const Exchange::OpenCall& call, const v1::TransformResult& result) const {
  if (call.is_own) {
    if (result.run() == call.run + 1) return {};
    return Broken(fmt::format("a transform result for run {} of call {}; run {} comes next",
                              result.run(), result.call(), call.run + 1));
  }
  if (call.run != 0 && call.run == result.run()) return {};
  return Broken(fmt::format("a transform result for run {} of call {}; {}", result.run(),
                            result.call(),
                            call.run == 0 ? std::string("none was asked for")
                                          : fmt::format("run {} was asked for", call.run)));
}

Status Session::OnOwnReply(Time now, Source& source, const v1::Reply& reply) {
  const auto found = calls_.find(reply.call());
  if (found == calls_.end()) {
    return Broken(fmt::format("a reply for call {}, which is not open", reply.call()));
  }
  const CallId id = found->second;
  if (!exchange_.calls.at(id).is_own || !source.open_calls.contains(id)) {
    return Broken(
        fmt::format("a reply for call {}, which is not its source's to answer", reply.call()));
  }
  if (!v1::Outcome_IsValid(reply.outcome()) || reply.outcome() == v1::OUTCOME_UNKNOWN ||
      reply.outcome() == v1::OUTCOME_IN_FLIGHT) {
    return Broken(fmt::format("the reply for call {} says no outcome", reply.call()));
  }
  exchange_.recorder.Answered(id, now, AnswerOf(reply), {});
  calls_.erase(found);
  exchange_.calls.erase(id);
  source.open_calls.erase(id);
  return {};
}

}  // namespace dstap::proxy
