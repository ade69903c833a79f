// A small blocking client of the session protocol, for tests over real sockets.
#pragma once

#include <boost/asio.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/frames.h"

namespace dstap::test {

class TestClient {
 public:
  // "unix:PATH" or "tcp:127.0.0.1:PORT", as in DSTAP_SOCKET.
  explicit TestClient(const std::string& address) : socket_(io_) {
    namespace asio = boost::asio;
    if (address.starts_with("unix:")) {
      socket_.connect(asio::local::stream_protocol::endpoint(address.substr(5)));
    } else {
      const size_t colon = address.rfind(':');
      socket_.connect(
          asio::ip::tcp::endpoint(asio::ip::make_address(address.substr(4, colon - 4)),
                                  static_cast<uint16_t>(std::stoi(address.substr(colon + 1)))));
    }
  }

  void Send(const v1::ClientFrame& frame) { SendBytes(Delimited(frame)); }
  void SendBytes(std::string_view bytes) {
    boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()));
  }

  // The next frame, or nothing when the proxy hung up.
  std::optional<v1::ServerFrame> Receive() {
    for (;;) {
      google::protobuf::io::ArrayInputStream stream(received_.data(),
                                                    static_cast<int>(received_.size()));
      v1::ServerFrame frame;
      bool clean_end = false;
      if (google::protobuf::util::ParseDelimitedFromZeroCopyStream(&frame, &stream, &clean_end)) {
        received_.erase(0, static_cast<size_t>(stream.ByteCount()));
        return frame;
      }
      char buffer[65536];
      boost::system::error_code error;
      const size_t n = socket_.read_some(boost::asio::buffer(buffer), error);
      if (error) return {};
      received_.append(buffer, n);
    }
  }

  // The next frame in words, "gone" when the proxy hung up.
  std::string Next() {
    const auto frame = Receive();
    return frame ? Summary(*frame) : "gone";
  }

  void Close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  boost::asio::io_context io_;
  boost::asio::generic::stream_protocol::socket socket_;
  std::string received_;
};

}  // namespace dstap::test
