// Frames of the session protocol in one line each, and both directions of the framing.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/session.pb.h"
#include "proto/base/check.h"
#include "proto/base/clock.h"

namespace dstap::test {

inline std::string Delimited(const v1::ClientFrame& frame) {
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    DSTAP_CHECK(google::protobuf::util::SerializeDelimitedToZeroCopyStream(frame, &stream));
  }
  return out;
}

inline std::vector<v1::ServerFrame> ServerFrames(std::string_view bytes) {
  std::vector<v1::ServerFrame> out;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  for (;;) {
    v1::ServerFrame frame;
    bool clean_end = false;
    if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&frame, &stream, &clean_end)) {
      DSTAP_CHECK(clean_end);
      return out;
    }
    out.push_back(std::move(frame));
  }
}

inline v1::ClientFrame Hello(v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL) {
  v1::ClientFrame frame;
  frame.mutable_hello()->set_protocol(1);
  frame.mutable_hello()->set_clock(clock);
  return frame;
}

inline v1::ClientFrame SourceInfo(uint32_t id, std::string_view name) {
  v1::ClientFrame frame;
  frame.set_source(id);
  frame.mutable_source_info()->set_name(std::string(name));
  return frame;
}

inline v1::ClientFrame MakeCall(uint64_t id, v1::Method method, std::string_view key,
                                uint32_t source = 1) {
  v1::ClientFrame frame;
  frame.set_source(source);
  v1::Call& call = *frame.mutable_call();
  call.set_id(id);
  call.set_method(method);
  call.mutable_store()->set_name("PlayerData");
  call.mutable_store()->set_scope("global");
  call.mutable_store()->set_kind(v1::STORE_KIND_STANDARD);
  call.set_key(std::string(key));
  return frame;
}

inline v1::ClientFrame Get(uint64_t id, std::string_view key, uint32_t source = 1) {
  return MakeCall(id, v1::METHOD_GET_ASYNC, key, source);
}

inline v1::ClientFrame Update(uint64_t id, std::string_view key, uint32_t source = 1) {
  return MakeCall(id, v1::METHOD_UPDATE_ASYNC, key, source);
}

inline v1::ClientFrame TransformValue(uint64_t call, std::string_view value, uint32_t run = 1) {
  v1::ClientFrame frame;
  frame.set_source(1);
  v1::TransformResult& result = *frame.mutable_transform_result();
  result.set_call(call);
  result.set_run(run);
  result.set_outcome(v1::TRANSFORM_OUTCOME_VALUE);
  result.set_value(std::string(value));
  return frame;
}

inline v1::ClientFrame BudgetOf(uint64_t query, v1::RequestType type) {
  v1::ClientFrame frame;
  frame.set_source(1);
  frame.mutable_budget_query()->set_query(query);
  frame.mutable_budget_query()->set_type(type);
  return frame;
}

inline v1::ClientFrame Idle() {
  v1::ClientFrame frame;
  frame.mutable_idle();
  return frame;
}

inline v1::ClientFrame IdleUntil(Time wake) {
  v1::ClientFrame frame;
  frame.mutable_idle()->set_next_wake_ns(wake.count());
  return frame;
}

inline v1::ClientFrame At(Time now, v1::ClientFrame frame) {
  frame.set_now_ns(now.count());
  return frame;
}

// What happened, one word a frame: "welcome", "reply 1 OK", "transform 1/2", "grant 100".
inline std::string Summary(const v1::ServerFrame& frame) {
  using Kind = v1::ServerFrame;
  switch (frame.kind_case()) {
    case Kind::kWelcome:
      return "welcome";
    case Kind::kReply:
      return "reply " + std::to_string(frame.reply().call()) + " " +
             v1::Outcome_Name(frame.reply().outcome()).substr(8);
    case Kind::kTransformRequest:
      return "transform " + std::to_string(frame.transform_request().call()) + "/" +
             std::to_string(frame.transform_request().run());
    case Kind::kAnswer:
      return "answer " + std::to_string(frame.answer().query()) + " = " +
             std::to_string(frame.answer().value()) +
             (frame.answer().has_unchanged_until_ns()
                  ? " until " + std::to_string(frame.answer().unchanged_until_ns())
                  : "");
    case Kind::kNotice:
      return "notice " + frame.notice().text();
    case Kind::kGrant:
      return "grant " + (frame.grant().has_until_ns() ? std::to_string(frame.grant().until_ns())
                                                      : std::string("for ever"));
    case Kind::kRefusal:
      return "refusal " + frame.refusal().text();
    case Kind::KIND_NOT_SET:
      break;
  }
  return "nothing";
}

}  // namespace dstap::test
