#include "proxy/session/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "proto/base/check.h"

namespace dstap::proxy {

Hub::Hub(Backend& backend, Recorder& recorder, const Options& options)
    : exchange_{.backend = backend, .recorder = recorder, .welcome = {}, .calls = {}},
      progress_(options.progress),
      answer_wait_max_(options.answer_wait_max) {
  DSTAP_CHECK(progress_ == nullptr || options.clock != v1::CLOCK_KIND_VIRTUAL);
  exchange_.welcome.set_protocol(kProtocolVersion);
  exchange_.welcome.set_clock(options.clock);
  exchange_.welcome.set_start_unix_ns(options.start_unix_ns);
  exchange_.welcome.set_rule_profile(options.rule_profile);
  exchange_.welcome.set_seed(options.seed);
}

ConnectionId Hub::Connect() {
  const ConnectionId id = ++last_connection_;
  connections_[id].session = std::make_unique<Session>(exchange_);
  return id;
}

void Hub::SetNow(Time now) {
  DSTAP_CHECK(now >= now_);
  now_ = now;
}

void Hub::OnBytes(Time now, ConnectionId id, std::string_view bytes) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || found->second.hang_up) return;
  Connection& connection = found->second;
  if (!is_virtual()) SetNow(std::max(now, now_));
  FrameDecoder& decoder = connection.session->decoder();
  decoder.Append(bytes);
  while (!connection.hang_up) {
    auto frame = decoder.Next();
    if (!frame.ok()) {
      Refuse(connection, frame.status());
      return;
    }
    if (!frame->has_value()) return;
    const bool was_welcomed = connection.session->welcomed();
    if (Status status = OnFrame(connection, **frame); !status.ok()) {
      Refuse(connection, status);
    } else if (!was_welcomed && is_virtual()) {
      clock_owner_ = id;
      granted_until_ = now_;
    }
  }
}

Status Hub::OnFrame(Connection& connection, const v1::ClientFrame& frame) {
  Session& session = *connection.session;
  if (!is_virtual()) return session.OnFrame(now_, frame);
  if (!session.welcomed()) {
    if (frame.has_hello() && clock_owner_) {
      return {ErrorCode::kUsage,
              "another connection owns the virtual clock; one client at a time, or start \"dstap "
              "record --wall\""};
    }
    return session.OnFrame(now_, frame);
  }
  DSTAP_TRY(CheckInstant(frame));
  SetNow(Time(frame.now_ns()));
  if (frame.has_idle()) {
    OnIdle(session, frame.idle());
    return {};
  }
  return session.OnFrame(now_, frame);
}

Status Hub::CheckInstant(const v1::ClientFrame& frame) const {
  const Time at(frame.now_ns());
  if (at < now_) {
    return {ErrorCode::kDamaged, fmt::format("a frame of {} ns after the clock stood at {} ns",
                                             at.count(), now_.count())};
  }
  if (at > kVirtualTimeMax) {
    return {ErrorCode::kLimit, fmt::format("a frame of {} ns; virtual time ends at {} ns",
                                           at.count(), kVirtualTimeMax.count())};
  }
  if (at == now_ || !granted_until_) return {};
  // At the end of a grant the proxy's events come first: only `idle` may say that it is reached.
  if (at < *granted_until_ || (at == *granted_until_ && frame.has_idle())) return {};
  return {ErrorCode::kDamaged, fmt::format("a frame of {} ns, and the clock was granted to {} ns",
                                           at.count(), granted_until_->count())};
}

void Hub::OnIdle(Session& session, const v1::Idle& idle) {
  std::optional<Time> wake;
  if (idle.has_next_wake_ns()) wake = Time(idle.next_wake_ns());
  Backend& backend = exchange_.backend;
  const size_t before = session.output().size();
  std::optional<Time> until;
  for (;;) {
    backend.AdvanceTo(now_, *this);
    if (session.output().size() != before) {  // Something is due: it is the client's turn again.
      until = now_;
      break;
    }
    until = backend.NextEvent();
    DSTAP_CHECK(!until || *until > now_);
    if (!until || (wake && *wake < *until)) break;
    SetNow(*until);
  }
  granted_until_ = until;
  v1::ServerFrame frame;
  frame.set_now_ns(now_.count());
  if (until) frame.mutable_grant()->set_until_ns(until->count());
  frame.mutable_grant();
  session.Send(frame);
  Commit();  // One a batch.
}

void Hub::Advance(Time now) {
  if (is_virtual()) return;
  SetNow(std::max(now, now_));
  exchange_.backend.AdvanceTo(now_, *this);
}

std::optional<Time> Hub::NextEvent() const {
  if (is_virtual()) return {};
  std::optional<Time> next = exchange_.backend.NextEvent();
  std::optional<Time> other = exchange_.recorder.NextDeadline();
  // What becomes due while the file is busy is committed with what comes after it.
  if (!held_.empty()) {
    other.reset();
    if (answer_wait_max_) other = held_since_ + *answer_wait_max_;
  }
  if (other && (!next || *other < *next)) next = other;
  return next;
}

std::vector<Outgoing> Hub::Flush(Time now) {
  std::vector<Outgoing> out;
  if (!is_virtual()) {
    SetNow(std::max(now, now_));
    if (!Release(out)) return out;
    const std::optional<Time> deadline = exchange_.recorder.NextDeadline();
    if (answered_ || (deadline && *deadline <= now_)) Commit();
  }
  // Over virtual time replies come out of `idle` alone, and that has committed.
  DSTAP_CHECK(!answered_);
  std::vector<Outgoing> output = TakeOutput();
  if (!output.empty() && !file_is_slow_ && !IsWritten()) {
    held_ = std::move(output);
    held_since_ = now_;
    return out;
  }
  std::ranges::move(output, std::back_inserter(out));
  return out;
}

std::vector<Outgoing> Hub::TakeOutput() {
  std::vector<Outgoing> out;
  for (auto& [id, connection] : connections_) {
    std::string& output = connection.session->output();
    if (output.empty() && !connection.hang_up) continue;
    out.push_back({.connection = id, .bytes = std::move(output), .hang_up = connection.hang_up});
    output.clear();
  }
  return out;
}

bool Hub::IsWritten() const {
  return progress_ == nullptr || progress_->written() == progress_->submitted();
}

bool Hub::Release(std::vector<Outgoing>& out) {
  const bool is_written = IsWritten();
  if (is_written) file_is_slow_ = false;
  if (held_.empty()) return true;
  if (!is_written) {
    if (!answer_wait_max_ || now_ - held_since_ < *answer_wait_max_) return false;
    file_is_slow_ = true;
    exchange_.recorder.AddNotice(
        now_, 0, v1::NOTICE_KIND_RECORDER,
        fmt::format("answers went out before their records were in the file: it took longer than "
                    "{} s",
                    std::chrono::duration_cast<std::chrono::seconds>(*answer_wait_max_).count()),
        0);
  }
  out = std::exchange(held_, {});
  return true;
}

void Hub::Commit() {
  answered_ = false;
  if (Status status = exchange_.recorder.Commit(now_); !status.ok() && error_.ok()) {
    error_ = std::move(status);
  }
}

void Hub::Refuse(ConnectionId id, const Status& why) {
  const auto found = connections_.find(id);
  if (found != connections_.end() && !found->second.hang_up) Refuse(found->second, why);
}

void Hub::Refuse(Connection& connection, const Status& why) {
  if (++refused_ == 1) first_refusal_ = why.message();
  exchange_.recorder.AddNotice(now_, 0, v1::NOTICE_KIND_RECORDER,
                               "a client was refused: " + why.message(), 0);
  v1::ServerFrame frame;
  frame.set_now_ns(now_.count());
  frame.mutable_refusal()->set_text(why.message());
  connection.session->Send(frame);
  connection.session->Close();
  connection.hang_up = true;
  connection.refused = true;
}

void Hub::OnGone(Time now, ConnectionId id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (!is_virtual()) SetNow(std::max(now, now_));
  Session& session = *found->second.session;
  if (!found->second.refused && session.decoder().pending_bytes() > 0) {
    exchange_.recorder.AddNotice(
        now_, 0, v1::NOTICE_KIND_RECORDER,
        fmt::format("a client left in the middle of a frame: {} bytes of it had come",
                    session.decoder().pending_bytes()),
        0);
  }
  session.Close();
  if (clock_owner_ == id) clock_owner_.reset();
  connections_.erase(found);
  if (is_virtual()) Commit();
}

Status Hub::Close(Time now, v1::EndReason reason, std::string_view text) {
  if (!is_virtual()) SetNow(std::max(now, now_));
  for (auto& [id, connection] : connections_) connection.session->Close();
  connections_.clear();
  Status status = exchange_.recorder.Close(now_, reason, text);
  if (!status.ok() && error_.ok()) error_ = status;
  return status;
}

void Hub::OnQueued(CallId call, Time now, v1::RequestType /*type*/, std::string_view warning) {
  SessionOf(call).OnQueued(call, now, warning);
}

void Hub::OnAdmitted(CallId call, Time now) { exchange_.recorder.Admitted(call, now); }

void Hub::OnTransform(CallId call, Time now, TransformInput input) {
  SessionOf(call).OnTransform(call, now, input);
}

void Hub::OnAnswer(CallId call, Time now, BackendAnswer answer) {
  answered_ = true;
  SessionOf(call).OnAnswer(call, now, answer);
}

void Hub::OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) {
  for (auto& [id, connection] : connections_) {
    if (connection.session->Owns(source)) connection.session->OnNotice(source, now, kind, text);
  }
}

void Hub::OnLimits(SourceId source, Time now, const v1::Limits& limits) {
  v1::Row row;
  *row.mutable_limits() = limits;
  row.mutable_limits()->set_source(source);
  exchange_.recorder.AddRow(now, std::move(row));
}

void Hub::OnFault(Time now, const v1::InjectedFault& fault) {
  v1::Row row;
  *row.mutable_injected_fault() = fault;
  exchange_.recorder.AddRow(now, std::move(row));
}

void Hub::OnFaulted(CallId call, uint64_t fault) { exchange_.recorder.Faulted(call, fault); }

}  // namespace dstap::proxy
