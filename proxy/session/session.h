// One client connection, without the connection: frames in, frames out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dstap/v1/session.pb.h"
#include "proxy/backend/backend.h"
#include "proxy/session/frame_codec.h"
#include "proxy/session/recorder.h"

namespace dstap::proxy {

class Session;

inline constexpr uint32_t kProtocolVersion = 1;
// Calls that one connection may have open.
inline constexpr size_t kCallsOpenMax = 65'536;
inline constexpr size_t kSourcesMax = 10'000;
// Of a store, scope, key or caller, far above what the service takes.
inline constexpr size_t kNameBytesMax = 65'536;

// What all connections of a recording share.
struct Exchange {
  struct OpenCall {
    Session* session = nullptr;
    uint64_t client_call = 0;
    SourceId source = 0;
    std::array<v1::RequestType, 2> spends{};
    // The transform run that a result is awaited for; 0: none. With is_own: runs so far.
    uint32_t run = 0;
    bool is_own = false;  // The client answers it itself, and the backend never hears of it.
  };

  Backend& backend;
  Recorder& recorder;
  v1::Welcome welcome;  // What every client is told.
  std::unordered_map<CallId, OpenCall> calls;
  SourceId last_source = 0;
  uint64_t last_step = 0;
};

// Errors:  OnFrame gives a Status that says what rule of the protocol was broken; the session must
//          then be refused and closed. Nothing a client sends does more harm than that.
// Threads: not thread-safe. Never blocks, reads no clock: each event brings its time.
// Limits:  kCallsOpenMax, kSourcesMax, kNameBytesMax; past any of them, an error.
class Session {
 public:
  explicit Session(Exchange& exchange) : exchange_(exchange) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  FrameDecoder& decoder() { return decoder_; }
  bool welcomed() const { return welcomed_; }

  // Handles any frame but `idle`, which is the clock's.
  Status OnFrame(Time now, const v1::ClientFrame& frame);

  // Of calls of this session.
  void OnQueued(CallId call, Time now, std::string_view warning);
  void OnTransform(CallId call, Time now, const TransformInput& input);
  void OnAnswer(CallId call, Time now, const BackendAnswer& answer);
  void OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text);
  bool Owns(SourceId source) const { return client_sources_.contains(source); }

  void Send(const v1::ServerFrame& frame) { AppendFrame(frame, output_); }
  // Nothing of the client counts any more: its open calls stay in flight.
  void Close();

  std::string& output() { return output_; }

 private:
  struct Source {
    SourceId id = 0;
    std::set<CallId> open_calls;
  };

  Status OnHello(Time now, const v1::Hello& hello);
  Status OnSource(Time now, uint32_t client_id, const v1::Source& info);
  Status OnCall(Time now, Source& source, const v1::Call& call);
  Status OnTransformResult(Time now, const v1::TransformResult& result);
  Status OnOwnReply(Time now, Source& source, const v1::Reply& reply);
  Status OnStepBegin(Time now, Source& source, const v1::StepBegin& step);
  Status OnStepEnd(Time now, const v1::StepEnd& step);
  Status OnOpenStore(Time now, Source& source, const v1::OpenStore& query);
  Status OnBudgetQuery(Time now, Source& source, const v1::BudgetQuery& query);
  Status OnSetRateLimit(Time now, Source& source, const v1::SetRateLimit& query);
  Status CheckRun(const Exchange::OpenCall& call, const v1::TransformResult& result) const;
  void SendAnswer(Time now, SourceId source, uint64_t query, int64_t value, const CallError& error,
                  std::optional<Time> unchanged_until = {});
  void Abandon(Source& source);
  v1::ServerFrame FrameFor(SourceId source, Time now) const;

  Exchange& exchange_;
  FrameDecoder decoder_;
  std::string output_;
  bool welcomed_ = false;
  std::map<uint32_t, Source> sources_;                     // By the client's id.
  std::unordered_map<SourceId, uint32_t> client_sources_;  // Back again.
  std::unordered_map<uint64_t, CallId> calls_;             // Open ones, by the client's id.
  std::unordered_map<uint64_t, uint64_t> steps_;           // Open ones, by the client's id.
};

}  // namespace dstap::proxy
