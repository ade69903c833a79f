// All connections of one recording, its clock and its backend, without sockets: bytes in, bytes
// out. The server owns the sockets and does what the hub says.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/session/commit_progress.h"
#include "proxy/session/session.h"

namespace dstap::proxy {

using ConnectionId = uint32_t;

// The last instant of virtual time: 104 days, what a client in JavaScript can count exactly. It
// leaves all later sums far from the end of 64 bits.
inline constexpr Time kVirtualTimeMax{int64_t{1} << 53};

// What the owner of the sockets must do next, in this order.
struct Outgoing {
  ConnectionId connection = 0;
  std::string bytes;
  bool hang_up = false;  // After the bytes.
};

// Units:    times are nanoseconds since the recording began and never go back. Over virtual time
//           the times passed in are ignored: the client's frames move the clock.
// Errors:   a client that breaks the protocol is refused, its calls stay in flight, the others go
//           on. Errors of the file stick to error() and change no call.
// Threads:  not thread-safe. Never blocks but for the file; reads no clock.
// Promises: nothing that Flush() gives answers a call whose record is not the kernel's, unless the
//           file took longer than Options::answer_wait_max; then a Notice says so.
class Hub final : private BackendListener {
 public:
  struct Options {
    v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL;
    int64_t start_unix_ns = 0;
    std::string rule_profile;
    uint64_t seed = 0;
    // Over the wall clock: who writes what the recorder commits. Null: it is written when the
    // recorder says so.
    const CommitProgress* progress = nullptr;
    // With `progress`: how long an answer waits for its record to be written. Absent: for ever.
    std::optional<Time> answer_wait_max;
  };

  Hub(Backend& backend, Recorder& recorder, const Options& options);

  ConnectionId Connect();
  void OnBytes(Time now, ConnectionId connection, std::string_view bytes);
  // The peer is gone, or was hung up on.
  void OnGone(Time now, ConnectionId connection);

  // Hangs up on a client for a reason that only the owner of the sockets can see.
  void Refuse(ConnectionId connection, const Status& why);

  // Wall clock: does what is due. Call it when NextEvent() comes, and before Flush().
  void Advance(Time now);
  // Wall clock: when Advance() and Flush() have something to do though no bytes come.
  std::optional<Time> NextEvent() const;

  // Commits what must be, and gives what to send. Every reply in it is in the file. While a
  // commit is being written nothing is given: what is answered meanwhile becomes one commit.
  std::vector<Outgoing> Flush(Time now);

  // Ends the recording: what is open stays in flight.
  Status Close(Time now, v1::EndReason reason, std::string_view text = {});

  // The recording's time: virtual, or the last that was passed in.
  Time now() const { return now_; }
  // The first error of the file, if any.
  const Status& error() const { return error_; }
  // Connections that were refused, and why the first was.
  uint64_t refused() const { return refused_; }
  const std::string& first_refusal() const { return first_refusal_; }
  size_t connections() const { return connections_.size(); }

 private:
  struct Connection {
    std::unique_ptr<Session> session;
    bool hang_up = false;
    bool refused = false;
  };

  bool is_virtual() const { return exchange_.welcome.clock() == v1::CLOCK_KIND_VIRTUAL; }
  void SetNow(Time now);
  Status OnFrame(Connection& connection, const v1::ClientFrame& frame);
  Status CheckInstant(const v1::ClientFrame& frame) const;
  void OnIdle(Session& session, const v1::Idle& idle);
  void Refuse(Connection& connection, const Status& why);
  void Commit();
  bool IsWritten() const;
  // Moves what waited for the file to `out`. False: it waits on.
  bool Release(std::vector<Outgoing>& out);
  std::vector<Outgoing> TakeOutput();

  void OnQueued(CallId call, Time now, v1::RequestType type, std::string_view warning) override;
  void OnAdmitted(CallId call, Time now) override;
  void OnTransform(CallId call, Time now, TransformInput input) override;
  void OnAnswer(CallId call, Time now, BackendAnswer answer) override;
  void OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) override;
  void OnLimits(SourceId source, Time now, const v1::Limits& limits) override;
  void OnFault(Time now, const v1::InjectedFault& fault) override;
  void OnFaulted(CallId call, uint64_t fault) override;

  Session& SessionOf(CallId call) { return *exchange_.calls.at(call).session; }

  Exchange exchange_;
  const CommitProgress* progress_;
  const std::optional<Time> answer_wait_max_;
  std::map<ConnectionId, Connection> connections_;
  ConnectionId last_connection_ = 0;
  std::optional<ConnectionId> clock_owner_;
  Time now_{};
  // How far the client may move the clock; absent: as far as it likes.
  std::optional<Time> granted_until_ = Time{};
  // Something was answered since the last commit.
  bool answered_ = false;
  // What waits for a commit to be written, and since when.
  std::vector<Outgoing> held_;
  Time held_since_{};
  // An answer has waited too long, and the file is not done since: nothing waits for it.
  bool file_is_slow_ = false;
  Status error_;
  uint64_t refused_ = 0;
  std::string first_refusal_;
};

}  // namespace dstap::proxy
