// Made-up traffic of game servers, as a recording holds it: the same for the same seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/capture/chunk_decoder.h"

namespace dstap::bench {

struct TrafficOptions {
  uint64_t seed = 1;
  uint32_t servers = 200;
  uint32_t users = 100'000;
  // Value hashes and version ids hardly compress: most of a packed capture is made of them.
  bool hashes_and_versions = true;
  // Calls open for more than 50 ms have a record in flight first, as a recorder on the wall clock
  // writes them; packing folds the two.
  bool in_flight_records = false;
};

// Servers that load, save and release players' data: users by Zipf's law, times log-normal, servers
// that save all their players at once, budgets that run out in some of these bursts (requests are
// queued and dropped then), a few requests that fail or find the local copy. One server in 40 marks
// each request and its follower on the same key as a step.
//
// Units:     times are nanoseconds since the recording began, whole microseconds.
// Order:     calls come with their answers, as a recorder writes them; ids count requests.
// Ownership: what Next() gives lives until the next one.
class Traffic {
 public:
  explicit Traffic(const TrafficOptions& options);
  ~Traffic();

  v1::Header Header() const;
  // Endless. The first records introduce the servers.
  capture::Record Next();
  // Of the call that Next() gave last: the name of its step, or nothing.
  std::string_view step() const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

// The records of a traffic up to its `calls`-th call (those in flight not counted), with all that
// they refer to.
class Recorded {
 public:
  Recorded(const TrafficOptions& options, uint64_t calls);
  ~Recorded();

  const std::vector<capture::Record>& records() const { return records_; }

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
  std::vector<capture::Record> records_;
};

}  // namespace dstap::bench
