#include "tests/bench/http_pcap.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/capture/format.h"

namespace dstap::bench {
namespace {

constexpr uint8_t kSyn = 0x02;
constexpr uint8_t kAck = 0x10;
constexpr uint8_t kPushAck = 0x18;
constexpr uint32_t kServiceAddress = 0x0A00'0001;  // 10.0.0.1; the servers are 10.1.x.y.
constexpr uint32_t kServersFrom = 0x0A01'0000;
constexpr uint16_t kHttp = 80;
constexpr uint16_t kFirstPort = 20'000;
constexpr size_t kIpHeader = 20;
constexpr size_t kTcpHeader = 20;

void Put16(std::string& out, uint32_t number) {
  out += static_cast<char>(number >> 8 & 0xFF);
  out += static_cast<char>(number & 0xFF);
}

void Put32(std::string& out, uint32_t number) {
  Put16(out, number >> 16);
  Put16(out, number & 0xFFFF);
}

// The file's own numbers are little-endian.
void PutLittle32(std::string& out, uint64_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xFF);
}

std::string QueryPart(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, ' ', '+');
  return out;
}

}  // namespace

HttpPcap::Connection& HttpPcap::Free(uint32_t server, int64_t at) {
  std::vector<Connection>& all = connections_[server];
  const auto found =
      std::ranges::find_if(all, [at](const Connection& each) { return each.free_at <= at; });
  if (found != all.end()) return *found;
  Connection& made = all.emplace_back();
  made.server = server;
  made.port = static_cast<uint16_t>(kFirstPort + all.size());
  Send(made, From::kClient, at, kSyn, "");
  Send(made, From::kServer, at, kSyn | kAck, "");
  Send(made, From::kClient, at, kAck, "");
  return made;
}

void HttpPcap::Send(Connection& connection, From from, int64_t at, uint8_t flags,
                    std::string_view payload) {
  const bool is_client = from == From::kClient;
  const uint32_t address = kServersFrom + connection.server;
  uint32_t& sent = is_client ? connection.client_sent : connection.server_sent;
  const uint32_t seen = is_client ? connection.server_sent : connection.client_sent;
  std::string packet(12, '\0');  // Both hardware addresses.
  Put16(packet, 0x0800);
  Put16(packet, 0x4500);
  Put16(packet, static_cast<uint32_t>(kIpHeader + kTcpHeader + payload.size()));
  Put32(packet, 0);            // No identification, no fragments.
  Put32(packet, 0x4006'0000);  // 64 hops, TCP; checksums are left to the card, as when sending.
  Put32(packet, is_client ? address : kServiceAddress);
  Put32(packet, is_client ? kServiceAddress : address);
  Put16(packet, is_client ? connection.port : kHttp);
  Put16(packet, is_client ? kHttp : connection.port);
  Put32(packet, sent);
  Put32(packet, (flags & kAck) != 0 ? seen : 0);
  Put16(packet, 0x5000U | flags);
  Put16(packet, 0xFFFF);
  Put32(packet, 0);
  packet += payload;
  sent += static_cast<uint32_t>(payload.size()) + ((flags & kSyn) != 0 ? 1 : 0);
  packets_.push_back({at, std::move(packet)});
}

void HttpPcap::Add(const capture::CallRecord& call, std::string_view step) {
  const auto micros = [](Time time) {
    return (capture::kVirtualEpochUnixNs + time.count()) / 1000;
  };
  const int64_t issued = micros(call.issued);
  const int64_t completed = micros(call.completed.value_or(call.issued));
  Connection& connection = Free(call.source, issued);
  connection.free_at = completed;
  const std::string verb = call.method == v1::METHOD_SET_ASYNC ? "POST" : "GET";
  Send(connection, From::kClient, issued, kPushAck,
       fmt::format("{} /v1/stores/{}/scopes/{}/entries/{}?method={}&step={} HTTP/1.1\r\n"
                   "Host: datastores.example\r\nUser-Agent: server\r\nContent-Length: 0\r\n\r\n",
                   verb, call.store, call.scope, call.key, static_cast<int>(call.method),
                   QueryPart(step)));
  const int code = call.error_code == 0 ? 200 : call.outcome == v1::OUTCOME_DROPPED ? 429 : 500;
  Send(connection, From::kServer, completed, kPushAck,
       fmt::format("HTTP/1.1 {} Answered\r\nContent-Type: application/json\r\n"
                   "Etag: \"{}\"\r\nContent-Length: 0\r\n\r\n",
                   code, call.version));
}

std::string HttpPcap::Take() {
  constexpr int64_t kMicrosPerSecond = 1'000'000;
  std::ranges::stable_sort(packets_, {}, &Packet::at);
  std::string file;
  for (const uint32_t number : {0xA1B2'C3D4U, 0x0004'0002U, 0U, 0U, 0xFFFFU, 1U}) {
    PutLittle32(file, number);
  }
  for (const Packet& packet : packets_) {
    PutLittle32(file, static_cast<uint64_t>(packet.at / kMicrosPerSecond));
    PutLittle32(file, static_cast<uint64_t>(packet.at % kMicrosPerSecond));
    PutLittle32(file, packet.bytes.size());
    PutLittle32(file, packet.bytes.size());
    file += packet.bytes;
  }
  packets_.clear();
  return file;
}

}  // namespace dstap::bench
