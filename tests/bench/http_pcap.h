// Calls as what a packet recorder sees of such requests: a pcap of HTTP over TCP over Ethernet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/capture/records.h"

namespace dstap::bench {

// A request and a response for each call. A server keeps its connections and opens another one when
// all of them wait for a response. Bodies are empty: of each value only its size is in a capture.
//
// Units:     times are microseconds since 1970, as a pcap has them.
// Ownership: keeps nothing of what is given to Add().
class HttpPcap {
 public:
  // Calls in the order of their issue. `step`: part of the request's query, with the method.
  void Add(const capture::CallRecord& call, std::string_view step);
  // The file. Packets in the order of their times.
  std::string Take();

 private:
  struct Connection {
    uint32_t server = 0;  // By its source's id.
    uint16_t port = 0;
    uint32_t client_sent = 0;  // Sequence numbers.
    uint32_t server_sent = 0;
    int64_t free_at = 0;
  };
  struct Packet {
    int64_t at = 0;
    std::string bytes;
  };
  enum class From : uint8_t { kClient, kServer };

  Connection& Free(uint32_t server, int64_t at);
  void Send(Connection& connection, From from, int64_t at, uint8_t flags, std::string_view payload);

  std::map<uint32_t, std::vector<Connection>> connections_;
  std::vector<Packet> packets_;
};

}  // namespace dstap::bench
