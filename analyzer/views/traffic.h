// All calls of each source, in steps and outside of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/method_counts.h"
#include "analyzer/views/stage.h"

namespace dstap::analyzer {

struct MethodCount {
  std::string_view name;  // "past": GetAsync past the cache.
  bool is_data_store = true;
  uint64_t calls = 0;
  uint64_t outside_steps = 0;  // Of those.

  friend bool operator==(const MethodCount&, const MethodCount&) = default;
};

struct SourceTraffic {
  std::string file;
  uint32_t recording = 1;
  uint32_t source = 0;
  std::string source_name;  // Empty: the source was never introduced, or has no name.
  uint64_t calls = 0;
  uint64_t outside_steps = 0;
  std::vector<MethodCount> methods;
  Throttling throttling;                // Of DataStore calls,
  Throttling throttling_outside_steps;  // and of those outside of steps.
};

using Traffic = std::vector<SourceTraffic>;  // In order of first appearance.

// Limits: a kilobyte for each source.
class TrafficView final : public TimelineVisitor {
 public:
  void OnCall(const Call& call, const Step* step) override;
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kSummary; }
  void OnCallOutsideSteps(const CallSummary& call) override;
  void OnRecordingEnd(const Recording& recording) override;

  const Traffic& traffic() const { return traffic_; }

 private:
  struct Sum {
    std::array<uint64_t, kMethodColumns> calls{};
    std::array<uint64_t, kMethodColumns> outside{};
    Throttling throttling;
    Throttling throttling_outside;
    const Source* source = nullptr;  // Null: it has made no call.
  };

  // `T`: a Call or a CallSummary.
  template <typename T>
  void Count(const T& call, bool is_in_step);

  std::vector<Sum> sums_;  // Of the recording that is being read, by Source::index.
  Traffic traffic_;
};

}  // namespace dstap::analyzer
