#include "proxy/server/session_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/asio.hpp>
#include <boost/asio/experimental/as_tuple.hpp>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace dstap::proxy {
namespace asio = boost::asio;
namespace {

using Protocol = asio::generic::stream_protocol;
using Socket = Protocol::socket;
using Acceptor = asio::basic_socket_acceptor<Protocol>;
using boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr size_t kReadBytes = 64 << 10;

struct Parsed {
  Protocol::endpoint endpoint;
  std::string unix_path;
  std::string host;
};

Status BadAddress(const std::string& address, const char* why) {
  return {ErrorCode::kUsage,
          fmt::format("{}: {}; an address is unix:PATH or tcp:127.0.0.1:PORT", address, why)};
}

Result<Parsed> Parse(const std::string& address) {
  const std::string_view text = address;
  if (text.starts_with("unix:")) {
    Parsed parsed{.endpoint = {}, .unix_path = address.substr(5), .host = {}};
    // One byte of sun_path is the end.
    if (parsed.unix_path.empty() || parsed.unix_path.size() > 107) {
      return BadAddress(address, "a socket's path has 1 to 107 bytes");
    }
    parsed.endpoint = asio::local::stream_protocol::endpoint(parsed.unix_path);
    return parsed;
  }
  if (!text.starts_with("tcp:")) return BadAddress(address, "is no address");
  const size_t colon = text.rfind(':');
  if (colon < 4) return BadAddress(address, "has no port");
  const std::string_view port_text = text.substr(colon + 1);
  uint16_t port = 0;
  const auto [end, bad] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (bad != std::errc() || end != port_text.data() + port_text.size()) {
    return BadAddress(address, "has no port");
  }
  Parsed parsed{.endpoint = {}, .unix_path = {}, .host = std::string(text.substr(4, colon - 4))};
  error_code error;
  const auto ip = asio::ip::make_address(parsed.host, error);
  if (error || !ip.is_loopback()) {
    return BadAddress(address, "is not a loopback address (127.0.0.1)");
  }
  parsed.endpoint = asio::ip::tcp::endpoint(ip, port);
  return parsed;
}

}  // namespace

class SessionServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, Hub& hub, const Clock& clock)
      : io_(io), hub_(hub), clock_(clock), acceptor_(io), timer_(io) {}

  Status Listen(const std::string& text) {
    auto parsed = Parse(text);
    if (!parsed.ok()) return parsed.status();
    const auto failed = [&text](const error_code& error) {
      const bool taken = error == asio::error::address_in_use;
      return Status(ErrorCode::kWrite,
                    fmt::format("{}: cannot be listened on: {}{}", text, error.message(),
                                taken ? "; end what has it, or name another address" : ""));
    };
    error_code error;
    acceptor_.open(parsed->endpoint.protocol(), error);
    if (error) return failed(error);
    // The command must not have it: it would go on listening when this process is gone, and clients
    // that come then would wait for ever.
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor_.bind(parsed->endpoint, error);
    if (error) return failed(error);
    unix_path_ = parsed->unix_path;  // From here on ours to remove.
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) return failed(error);
    address_.text = text;
    if (unix_path_.empty()) {
      asio::ip::tcp::endpoint bound;
      const auto local = acceptor_.local_endpoint(error);
      if (error) return failed(error);
      std::memcpy(bound.data(), local.data(), local.size());
      address_.text = fmt::format("tcp:{}:{}", parsed->host, bound.port());
    }
    asio::co_spawn(io_, Accept(shared_from_this()), asio::detached);
    return {};
  }

  void Wake() { CarryOut(); }

  void StopAccepting() {
    error_code ignored;
    acceptor_.close(ignored);
    if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
    unix_path_.clear();
  }

  void HangUp() {
    StopAccepting();
    timer_.cancel();
    for (auto& [id, peer] : peers_) {
      error_code ignored;
      peer->socket.close(ignored);
    }
  }

  const Address& address() const { return address_; }
  size_t open_connections() const { return peers_.size(); }

 private:
  struct Peer {
    explicit Peer(Socket s) : socket(std::move(s)) {}
    Socket socket;
    std::string waiting;  // Behind what is being written.
    bool writing = false;
    bool hang_up = false;
  };

  static asio::awaitable<void> Accept(std::shared_ptr<Impl> self) {
    for (;;) {
      auto [error, socket] = co_await self->acceptor_.async_accept(kNoThrow);
      if (error) {
        if (!self->acceptor_.is_open()) co_return;
        // Out of descriptors: those that are connected go on; try again when one may be free.
        asio::steady_timer pause(self->io_, std::chrono::milliseconds(50));
        co_await pause.async_wait(kNoThrow);
        continue;
      }
      const ConnectionId id = self->hub_.Connect();
      auto peer = std::make_shared<Peer>(std::move(socket));
      self->peers_[id] = peer;
      asio::co_spawn(self->io_, Read(self, id, peer), asio::detached);
    }
  }

  static asio::awaitable<void> Read(std::shared_ptr<Impl> self, ConnectionId id,
                                    std::shared_ptr<Peer> peer) {
    std::array<char, kReadBytes> buffer{};
    for (;;) {
      const auto [error, n] = co_await peer->socket.async_read_some(asio::buffer(buffer), kNoThrow);
      if (error) break;
      self->hub_.OnBytes(self->clock_.Now(), id, {buffer.data(), n});
      self->CarryOut();
    }
    self->hub_.OnGone(self->clock_.Now(), id);
    self->peers_.erase(id);
    self->CarryOut();
  }

  static asio::awaitable<void> Write(std::shared_ptr<Peer> peer) {
    std::string bytes;
    while (!peer->waiting.empty()) {
      bytes.clear();
      bytes.swap(peer->waiting);
      const auto [error, n] =
          co_await asio::async_write(peer->socket, asio::buffer(bytes), kNoThrow);
      if (error) break;
    }
    peer->writing = false;
    if (peer->hang_up) {
      // The reader sees the end and tells the hub.
      error_code ignored;
      peer->socket.shutdown(Socket::shutdown_both, ignored);
    }
  }

  // Lets the hub do what is due and sends what it says.
  void CarryOut() {
    const Time now = clock_.Now();
    hub_.Advance(now);
    for (Outgoing& outgoing : hub_.Flush(now)) {
      const auto found = peers_.find(outgoing.connection);
      if (found == peers_.end()) continue;
      const std::shared_ptr<Peer> peer = found->second;
      peer->hang_up = peer->hang_up || outgoing.hang_up;
      if (peer->waiting.size() > kUnreadBytesMax && !outgoing.hang_up) {
        hub_.Refuse(outgoing.connection,
                    {ErrorCode::kLimit,
                     fmt::format("the client has not read {} bytes", peer->waiting.size())});
        error_code ignored;
        peer->socket.close(ignored);
        continue;
      }
      peer->waiting += outgoing.bytes;
      if (peer->writing) continue;
      peer->writing = true;
      asio::co_spawn(io_, Write(peer), asio::detached);
    }
    Arm();
  }

  void Arm() {
    const std::optional<Time> next = hub_.NextEvent();
    if (!next) {
      timer_.cancel();
      armed_.reset();
      return;
    }
    if (armed_ && *armed_ == *next) return;
    armed_ = next;
    timer_.expires_after(std::max(*next - clock_.Now(), Time{}));
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error) return;
      self->armed_.reset();
      self->CarryOut();
    });
  }

  asio::io_context& io_;
  Hub& hub_;
  const Clock& clock_;
  Acceptor acceptor_;
  asio::steady_timer timer_;
  std::optional<Time> armed_;
  std::string unix_path_;
  Address address_;
  std::map<ConnectionId, std::shared_ptr<Peer>> peers_;
};

Result<std::unique_ptr<SessionServer>> SessionServer::Listen(asio::io_context& io, Hub& hub,
                                                             const Clock& clock,
                                                             const std::string& address) {
  auto impl = std::make_shared<Impl>(io, hub, clock);
  DSTAP_TRY(impl->Listen(address));
  return std::unique_ptr<SessionServer>(new SessionServer(std::move(impl)));
}

SessionServer::SessionServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
SessionServer::~SessionServer() { impl_->HangUp(); }
const Address& SessionServer::address() const { return impl_->address(); }
void SessionServer::Wake() { impl_->Wake(); }
void SessionServer::StopAccepting() { impl_->StopAccepting(); }
void SessionServer::HangUp() { impl_->HangUp(); }
size_t SessionServer::open_connections() const { return impl_->open_connections(); }

}  // namespace dstap::proxy
