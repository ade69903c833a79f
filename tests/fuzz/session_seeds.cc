// The session target's seeds, and changes to them.
#include <algorithm>
#include <utility>
#include <vector>

#include "proto/capture/wire.h"
#include "tests/fuzz/session_input.h"
#include "tests/fuzz/target.h"
#include "tests/support/frames.h"

namespace dstap::fuzz {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using test::At;
using test::Delimited;

v1::ClientFrame SetTo(uint64_t id, std::string_view key, std::string_view json) {
  v1::ClientFrame frame = test::MakeCall(id, v1::METHOD_SET_ASYNC, key);
  frame.mutable_call()->set_value(std::string(json));
  return frame;
}

v1::ClientFrame Ordered(v1::ClientFrame frame) {
  frame.mutable_call()->mutable_store()->set_kind(v1::STORE_KIND_ORDERED);
  return frame;
}

v1::ClientFrame Plus(uint64_t id, std::string_view key, int64_t delta) {
  v1::ClientFrame frame = test::MakeCall(id, v1::METHOD_INCREMENT_ASYNC, key);
  frame.mutable_call()->set_delta(delta);
  return frame;
}

v1::ClientFrame Limit(uint64_t query) {
  v1::ClientFrame frame;
  frame.set_source(1);
  v1::SetRateLimit& limit = *frame.mutable_set_rate_limit();
  limit.set_query(query);
  limit.set_type(v1::REQUEST_TYPE_STANDARD_WRITE);
  limit.set_base_per_minute(100);
  limit.set_per_player_per_minute(10);
  return frame;
}

v1::ClientFrame StoreIs(uint64_t query) {
  v1::ClientFrame frame;
  frame.set_source(1);
  frame.mutable_open_store()->set_query(query);
  frame.mutable_open_store()->mutable_store()->set_name("PlayerData");
  return frame;
}

v1::ClientFrame StepBegins(uint64_t id) {
  v1::ClientFrame frame;
  frame.set_source(1);
  v1::StepBegin& step = *frame.mutable_step_begin();
  step.set_id(id);
  step.set_subject("subject");
  step.set_name("load");
  step.set_sample(1);
  step.add_about()->set_store("PlayerData");
  return frame;
}

v1::ClientFrame StepEnds(uint64_t id) {
  v1::ClientFrame frame;
  frame.set_source(1);
  frame.mutable_step_end()->set_id(id);
  frame.mutable_step_end()->set_ok(true);
  return frame;
}

v1::ClientFrame Players(uint32_t players) {
  v1::ClientFrame frame;
  frame.set_source(1);
  frame.mutable_players()->set_players(players);
  return frame;
}

// A call that the client answers itself, its one run, and its end.
std::vector<v1::ClientFrame> OwnCall(uint64_t id) {
  v1::ClientFrame call = test::MakeCall(id, v1::METHOD_MEMORY_MAP_UPDATE, "own");
  call.mutable_call()->mutable_store()->set_kind(v1::STORE_KIND_MEMORY_HASH_MAP);
  v1::ClientFrame run = test::TransformValue(id, "{\"own\":1}");
  run.mutable_transform_result()->set_given("null");
  run.mutable_transform_result()->set_took_ns(1000);
  v1::ClientFrame reply;
  reply.set_source(1);
  reply.mutable_own_reply()->set_call(id);
  reply.mutable_own_reply()->set_outcome(v1::OUTCOME_OK);
  return {call, run, reply};
}

std::vector<v1::ClientFrame> EveryMethod() {
  std::vector<v1::ClientFrame> frames = {
      test::Get(1, "key"),
      SetTo(2, "key", R"({"coins":1,"list":[1,2.5,"x"]})"),
      test::Update(3, "key"),
      Plus(4, "count", 2),
      test::MakeCall(5, v1::METHOD_REMOVE_ASYNC, "key"),
      Ordered(SetTo(6, "rank", "12")),
      Ordered(Plus(7, "rank", -1)),
      Ordered(test::MakeCall(8, v1::METHOD_GET_SORTED_ASYNC, "")),
  };
  uint64_t id = 8;
  for (int method = v1::METHOD_GET_VERSION_ASYNC; method <= v1::METHOD_ON_UPDATE; ++method) {
    if (!v1::Method_IsValid(method)) continue;
    v1::ClientFrame frame = test::MakeCall(++id, static_cast<v1::Method>(method), "key");
    v1::ListArguments& list = *frame.mutable_call()->mutable_list();
    list.set_page_size(2);
    list.set_prefix("k");
    list.set_at_ms(1'767'225'600'100);
    list.add_keys("key");
    list.set_version("08D9A1B2C3D4E5F6.0000000001.08D9A1B2C3D4E5F6.01");
    frames.push_back(frame);
  }
  for (const v1::ClientFrame& frame : OwnCall(++id)) frames.push_back(frame);
  return frames;
}

std::string Together(const std::vector<v1::ClientFrame>& frames) {
  std::string bytes;
  for (const v1::ClientFrame& frame : frames) bytes += Delimited(frame);
  return bytes;
}

std::vector<v1::ClientFrame> Opening(v1::ClockKind clock, std::string_view name = "server") {
  return {test::Hello(clock),
          test::SourceInfo(1, name),
          StoreIs(1),
          Players(3),
          test::BudgetOf(2, v1::REQUEST_TYPE_STANDARD_READ),
          Limit(3),
          StepBegins(1)};
}

// Batches whose idles let the proxy move the clock to its next events.
SessionInput Virtual() {
  SessionInput input;
  std::vector<v1::ClientFrame> frames = Opening(v1::CLOCK_KIND_VIRTUAL);
  for (const v1::ClientFrame& frame : EveryMethod()) frames.push_back(frame);
  frames.push_back(test::Idle());
  input.packets.push_back({.bytes = Together(frames)});
  // Instants of 60 a second that the client may not know: where it was granted less, it is refused.
  for (const Time at : {Time(0), Time(16'666'667), Time(100ms), Time(1s)}) {
    input.packets.push_back({.bytes = Together({At(at, test::TransformValue(3, "[1]")),
                                                At(at, test::IdleUntil(at + Time(1s)))})});
  }
  return input;
}

SessionInput OneCallAfterTheOther() {
  SessionInput input;
  input.packets.push_back({.bytes = Together(Opening(v1::CLOCK_KIND_VIRTUAL))});
  input.packets.push_back({.bytes = Together({test::Get(1, "key"), test::Idle()})});
  input.packets.push_back({.bytes = Together({StepEnds(1)})});
  return input;
}

SessionInput Wall() {
  SessionInput input;
  input.wall = true;
  input.splits = true;
  for (uint8_t i = 0; i < 3; ++i) {
    input.packets.push_back(
        {.connection = i, .bytes = Together(Opening(v1::CLOCK_KIND_WALL, i == 2 ? "crash" : "s"))});
  }
  for (uint8_t i = 0; i < 3; ++i) {
    input.packets.push_back({.connection = i, .pause = 27ms, .bytes = Together(EveryMethod())});
  }
  for (const Time pause : {Time(125ms), Time(1s), Time(2s)}) {
    input.packets.push_back(
        {.pause = pause, .bytes = Together({test::TransformValue(3, "{\"a\":[1,2]}")})});
  }
  input.packets.push_back(
      {.connection = 1, .leaves = true, .pause = 64ms, .bytes = Together({StepEnds(1)})});
  input.packets.push_back({.connection = 2, .pause = 30s, .bytes = Together({test::Get(99, "k")})});
  return input;
}

SessionInput Faulty(SessionInput input) {
  input.faults = true;
  std::vector<v1::ClientFrame> frames;
  uint64_t id = 100;
  for (const char* key : {"error", "queue", "drop", "late", "never", "ambiguous"}) {
    frames.push_back(SetTo(++id, key, "\"value\""));
  }
  frames.push_back(test::Update(++id, "conflict"));
  if (!input.wall) frames.push_back(test::Idle());
  input.packets.insert(input.packets.begin() + 1, {.bytes = Together(frames)});
  return input;
}

// More at once than a budget and a queue hold.
SessionInput Burst() {
  SessionInput input;
  std::vector<v1::ClientFrame> frames = {test::Hello(), test::SourceInfo(1, "s")};
  for (uint64_t id = 1; id <= 150; ++id) frames.push_back(test::Get(id, std::to_string(id)));
  frames.push_back(test::Idle());
  input.packets.push_back({.bytes = Together(frames)});
  return input;
}

// Bytes that are whole delimited messages, one by one; else nothing.
std::vector<std::string> FramesOf(std::string_view bytes) {
  std::vector<std::string> frames;
  capture::WireReader reader(bytes);
  while (!reader.AtEnd()) {
    std::string_view frame;
    if (!reader.Bytes(frame)) return {};
    frames.emplace_back(frame);
  }
  return frames;
}

std::string WithLength(std::string_view frame) {
  char buffer[10];
  char* const end = capture::WriteVarint(buffer, frame.size());
  return std::string(buffer, static_cast<size_t>(end - buffer)).append(frame);
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const SessionInput& plain : {Virtual(), OneCallAfterTheOther(), Wall(), Burst()}) {
    seeds.push_back(BytesOf(plain));
    seeds.push_back(BytesOf(Faulty(plain)));
    SessionInput other = plain;
    other.values = true;
    other.profile = 2;
    seeds.push_back(BytesOf(other));
  }
  return seeds;
}

std::string MutateInput(std::string_view bytes, Prng& random, const ByteMutator& mutate) {
  SessionInput input = SessionInputOf(bytes);
  if (input.packets.empty() || random.Below(16) == 0) {
    std::string out(bytes);
    mutate(out);
    return out;
  }
  const size_t at = random.Below(input.packets.size());
  const auto place = input.packets.begin() + static_cast<std::ptrdiff_t>(at);
  Packet& packet = *place;
  switch (random.Below(16)) {
    case 0: {
      Packet copy = packet;
      input.packets.insert(place, std::move(copy));
      break;
    }
    case 1:
      input.packets.erase(place);
      break;
    case 2:
      std::swap(packet, input.packets[random.Below(input.packets.size())]);
      break;
    case 3:
      packet.connection = static_cast<uint8_t>(random.Below(4));
      packet.leaves = random.Below(4) == 0;
      packet.pause = Time(1ms) * static_cast<int64_t>(random.Below(2000));
      break;
    case 4:
      input.wall = random.Below(2) == 0;
      input.faults = random.Below(2) == 0;
      input.values = random.Below(2) == 0;
      input.profile = static_cast<uint8_t>(random.Below(4));
      break;
    default: {
      std::vector<std::string> frames = FramesOf(packet.bytes);
      if (frames.empty()) {
        mutate(packet.bytes);
        break;
      }
      std::string& frame = frames[random.Below(frames.size())];
      switch (random.Below(8)) {
        case 0: {
          const std::string copy = frame;
          frames.push_back(copy);
          break;
        }
        case 1:
          frame = std::exchange(frames.back(), {});
          frames.pop_back();
          break;
        default:
          frame = MutateMessage(frame, random, mutate);
      }
      packet.bytes.clear();
      for (const std::string& each : frames) packet.bytes += WithLength(each);
    }
  }
  return BytesOf(input);
}

}  // namespace dstap::fuzz
