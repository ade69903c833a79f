// The sockets of a recording. Decides nothing: the hub does.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "proto/base/clock.h"
#include "proto/base/status.h"
#include "proxy/session/hub.h"

namespace dstap::proxy {

// Bytes that a connection may be behind with reading when there is more for it; past that it is
// refused: a slow reader must not make the proxy grow. What one batch of a client asks for may be
// more, and is sent.
inline constexpr size_t kUnreadBytesMax = size_t{64} << 20;

// Where a client finds the proxy, and what DSTAP_SOCKET holds.
struct Address {
  std::string text;  // "unix:PATH" or "tcp:HOST:PORT"
};

// Units:     times come from `clock`.
// Errors:    kUsage for an address of no known form, kWrite when it cannot be listened on.
// Ownership: keeps references to the io_context, hub and clock, which must outlive it.
// Threads:   lives on the thread that runs the io_context; so does the hub.
class SessionServer {
 public:
  // "unix:PATH" (the path must be free) or "tcp:HOST:PORT" (port 0: any). HOST is a loopback
  // address: whoever can connect can write into the recording.
  static Result<std::unique_ptr<SessionServer>> Listen(boost::asio::io_context& io, Hub& hub,
                                                       const Clock& clock,
                                                       const std::string& address);
  ~SessionServer();
  SessionServer(const SessionServer&) = delete;
  SessionServer& operator=(const SessionServer&) = delete;

  // With the port that was given.
  const Address& address() const;

  // Something the hub waited for has happened: does what it says now.
  void Wake();
  // Accepts no more; what was received is still handled. Connections end when their peers do.
  void StopAccepting();
  // Hangs up on everybody.
  void HangUp();
  size_t open_connections() const;

 private:
  class Impl;
  explicit SessionServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace dstap::proxy
