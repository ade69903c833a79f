// Who makes the traffic: users, stores, servers and their budgets. Only traffic.cc uses this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/prng.h"

namespace dstap::bench {

// Random numbers of shapes that traffic has.
class Dice {
 public:
  explicit Dice(uint64_t seed) : prng_(seed) {}

  uint64_t Below(uint64_t bound) { return prng_.Below(bound); }
  uint64_t Next() { return prng_.Next(); }
  bool OneIn(uint64_t n) { return prng_.Below(n) == 0; }
  double Exponential(double mean);
  // exp(sigma * N) * median
  double LogNormal(double median, double sigma);

 private:
  Prng prng_;
};

// Time of `seconds`, in whole microseconds.
Time Seconds(double seconds);

// Players by rank: the n-th comes 1/n as often as the first.
class Users {
 public:
  struct User {
    uint64_t id = 0;     // Ten digits.
    uint64_t bytes = 0;  // Of what is stored; 0: nothing yet.
    uint64_t hash = 0;
    uint64_t writes = 0;
    std::string version;
  };

  Users(uint32_t count, Dice& dice);
  User& Pick(Dice& dice);

 private:
  std::vector<User> users_;
  std::vector<double> cumulative_;
};

struct StoreRow {
  std::string_view name;
  v1::StoreKind kind;
  std::string_view key_before;  // Around the user's id.
  std::string_view key_after;
  std::string_view caller;
  uint32_t weight;
};

const StoreRow& PickStore(Dice& dice);

struct MethodRow {
  v1::Method method;
  uint32_t weight;
  v1::RequestType read;  // What it spends, or unknown.
  v1::RequestType write;
  uint32_t drop_code;
  std::string_view drop_name;
  std::string_view drop_text;
};

// Of a store of that kind.
const MethodRow& PickMethod(v1::StoreKind kind, Dice& dice);

// One request type's budget on one server.
class Budget {
 public:
  Budget() = default;
  Budget(double per_minute, double start)
      : rate_(per_minute / 60), cap_(per_minute), level_(start) {}

  enum class Fate : uint8_t { kAdmitted, kQueued, kDropped };
  struct Ticket {
    Fate fate = Fate::kAdmitted;
    Time wait{};
  };

  uint64_t Visible(Time now);
  Ticket Take(Time now);

 private:
  void Refill(Time now);

  double rate_ = 1;
  double cap_ = 60;
  double level_ = 60;
  Time refilled_{};
  Time queue_free_{};  // When the last queued request has its token.
};

struct Server {
  uint32_t id = 0;
  uint32_t players = 0;
  bool marks_steps = false;
  Budget read;
  Budget write;
};

}  // namespace dstap::bench
